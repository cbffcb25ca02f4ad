// Streams: server-sent events, JSON lines and text as async iterators. A reader that stops closes the connection.

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ConnectionError, FreeholdError, withoutAnswer } from './errors.ts';
import type { Event, Listing, ListingStreamError } from './generated/types.gen.ts';
import { type CallOptions, get, type Transport, wait } from './transport.ts';

/** What a stream of one listing sends: the copy, then the listing as its source has it now, or why that failed. */
export type ListingEvent =
  | { readonly type: 'cached' | 'live'; readonly listing: Listing }
  | { readonly type: 'error'; readonly error: ListingStreamError };

/** The text of an answer as it comes. Throws ConnectionError where it breaks off, and after a long silence. */
export async function* textOf(
  { body }: Response,
  { options: { idleTimeout } }: Transport,
  { signal }: CallOptions,
): AsyncGenerator<string, void> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new DOMException('Silence', 'TimeoutError')), idleTimeout);
      });
      const { done = true, value } = (await Promise.race([reader?.read(), silence])) ?? {};
      clearTimeout(timer);
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } catch (error) {
    throw withoutAnswer(error, signal);
  } finally {
    clearTimeout(timer);
    await reader?.cancel().catch(() => {});
  }
}

async function* messages(text: AsyncIterable<string>, onRetry?: (milliseconds: number) => void) {
  const ready: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => ready.push(message), ...(onRetry && { onRetry }) });
  for await (const part of text) {
    parser.feed(part);
    yield* ready.splice(0);
  }
}

/** Ends after the last event. Throws ConnectionError where it breaks off before that; never connects again. */
export async function* streamListing(
  transport: Transport,
  id: string,
  call: CallOptions = {},
): AsyncGenerator<ListingEvent, void> {
  const path = `/v1/listing/${encodeURIComponent(id)}`;
  const response = await get(transport, path, {}, 'text/event-stream', call);
  for await (const { event, data } of messages(textOf(response, transport, call))) {
    if (event === 'done') return;
    if (event === 'error') yield { type: 'error', error: JSON.parse(data) as ListingStreamError };
    else if (event === 'cached' || event === 'live')
      yield { type: event, listing: JSON.parse(data) as Listing };
  }
  throw withoutAnswer(new Error('The stream broke off'), call.signal);
}

export interface FeedOptions extends CallOptions {
  /** The cursor of the last event that was read, or `now`; default: the oldest event that is kept. */
  readonly after?: string | undefined;
  /** Of one watcher; default: of all. */
  readonly watcherId?: string | undefined;
}

/**
 * Events as they happen, each with the cursor to go on from, over cuts and restarts of the service. Ends only with the signal, or by
 * an error that a repeat does not mend: CursorExpiredError (410) where events after the cursor are no longer kept.
 */
export async function* feed(
  transport: Transport,
  { after, watcherId, ...call }: FeedOptions = {},
): AsyncGenerator<{ readonly event: Event; readonly cursor: string }, void> {
  const of = watcherId === undefined ? 'events' : `watchers/${encodeURIComponent(watcherId)}`;
  let cursor = after;
  let pause = 1_000;
  const onRetry = (milliseconds: number) => {
    pause = milliseconds;
  };
  for (;;) {
    try {
      const response = await get(transport, `/v1/${of}/stream`, { after: cursor }, 'text/event-stream', call);
      for await (const { id, event, data } of messages(textOf(response, transport, call), onRetry)) {
        if (id !== undefined && id !== '') cursor = id;
        if (event !== undefined && data !== '' && cursor !== undefined)
          yield { event: JSON.parse(data) as Event, cursor };
      }
    } catch (error) {
      const isOurs = error instanceof FreeholdError;
      const passes = error instanceof ConnectionError || (isOurs && (error.status ?? 0) >= 500);
      if (!passes) throw error;
    }
    await wait(pause * (1 + Math.random() / 4), call.signal);
  }
}

/** The values of JSON lines. */
export async function* valuesOf<Value>(text: AsyncIterable<string>): AsyncGenerator<Value, void> {
  let rest = '';
  for await (const part of text) {
    const whole = `${rest}${part}`.split('\n');
    rest = whole.pop() ?? '';
    for (const line of whole) if (line !== '') yield JSON.parse(line) as Value;
  }
  if (rest !== '') yield JSON.parse(rest) as Value;
}
