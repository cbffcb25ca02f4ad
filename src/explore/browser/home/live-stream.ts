// The stream of one listing, read by fetch: an EventSource cannot send a token in a header.

import { createParser } from 'eventsource-parser';
import type { Listing } from '../../../listings/record.ts';
import { now } from '../clock.ts';

/** An event as it arrived; `at` in milliseconds since the start. */
export type LiveEvent =
  | { readonly kind: 'cached' | 'live'; readonly at: number; readonly listing: Listing }
  | {
      readonly kind: 'error';
      readonly at: number;
      readonly code: string;
      readonly message: string;
      readonly requestId: string | null;
    }
  | { readonly kind: 'done'; readonly at: number }
  | { readonly kind: 'heartbeat'; readonly at: number };

/** How a stream ended, or why there is none. */
export type LiveOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'broken' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'unreachable' }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly retryAfter: number | null;
    };

interface StreamRequest {
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: LiveEvent) => void;
}

/** Reads the stream to its end. The token goes in a header, never in the URL. */
export async function readLiveStream({ url, token, signal, onEvent }: StreamRequest): Promise<LiveOutcome> {
  const start = now();
  const since = (): number => now() - start;
  let isDone = false;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const read = eventOf(event ?? '', data, since());
      if (read === null) return;
      isDone ||= read.kind === 'done';
      onEvent(read);
    },
    onComment: () => onEvent({ kind: 'heartbeat', at: since() }),
  });
  try {
    const response = await fetch(url, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
      cache: 'no-store',
      signal,
    });
    if (!response.ok || response.body === null) return await refusalOf(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) parser.feed(chunk.value);
    return { kind: isDone ? 'done' : 'broken' };
  } catch {
    if (signal.aborted) return { kind: 'aborted' };
    return { kind: isDone ? 'done' : 'unreachable' };
  }
}

function eventOf(event: string, data: string, at: number): LiveEvent | null {
  const value = JSON.parse(data);
  if (event === 'cached' || event === 'live') return { kind: event, at, listing: value };
  if (event === 'done') return { kind: 'done', at };
  if (event !== 'error') return null;
  return {
    kind: 'error',
    at,
    code: String(value.code),
    message: String(value.message),
    requestId: value.requestId ?? null,
  };
}

async function refusalOf(response: Response): Promise<LiveOutcome> {
  const problem = await response.json().catch(() => ({}));
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    kind: 'refused',
    status: response.status,
    code: String(problem.code ?? ''),
    detail: String(problem.detail ?? `The service answered ${response.status}.`),
    retryAfter: Number.isNaN(seconds) ? null : seconds,
  };
}
