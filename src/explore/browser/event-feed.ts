// Feed of watchers' events over fetch, since EventSource cannot send a token: resumed where it broke off.

import { createParser } from 'eventsource-parser';
import { after } from './clock.ts';
import { ROOT } from './sign-in.ts';

export interface WatcherEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly watcherId: string;
  readonly data: {
    readonly object?: { readonly id?: string; readonly address?: { readonly formatted?: string | null } };
    /** Of a digest. */
    readonly events?: readonly WatcherEvent[];
  };
}

export interface FeedOptions {
  readonly findToken: () => Promise<string | null>;
  readonly onEvent: (event: WatcherEvent) => void;
  /** What the service says where it refuses the feed for good. */
  readonly onRefused: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds before a feed that broke off is opened again. */
const PAUSE = 3_000;
/** Of all watchers; without the id of where a former one stood it begins now. */
const FEED = 'v1/events/stream';

/** Follows the events until the signal aborts or the service refuses. */
export async function followEvents({ findToken, onEvent, onRefused, signal }: FeedOptions): Promise<void> {
  let last: string | null = null;
  while (!signal.aborted) {
    const token = await findToken();
    if (token === null) return;
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    if (last !== null) headers['last-event-id'] = last;
    const answer = await fetch(new URL(FEED, ROOT), { headers, signal }).catch(() => null);
    if (
      answer !== null &&
      !answer.ok &&
      answer.status < 500 &&
      answer.status !== 429 &&
      answer.status !== 401
    ) {
      const problem = (await answer.json().catch(() => null)) as { detail?: string } | null;
      return onRefused(problem?.detail ?? `The service answered with ${answer.status}.`);
    }
    const parser = createParser({
      // The feed begins with the id of where it stands, and repeats it when it is quiet, without an event.
      onId: (id) => {
        last = id;
      },
      onEvent: ({ data }) => onEvent(JSON.parse(data) as WatcherEvent),
    });
    if (answer?.ok) await read(answer, (text) => parser.feed(text));
    await new Promise<void>((resolve) => after(PAUSE, resolve));
  }
}

/** Hands over the text until the feed ends, whichever way. */
async function read({ body }: Response, feed: (text: string) => void): Promise<void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read())
      feed(next.value);
  } catch {
    // It broke off, or was aborted: the next one goes on behind the last event.
  }
}
