// Streams: server-sent events, JSON lines and text as async iterators.

import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import { ConnectionError, FreeholdError, withoutAnswer } from './errors.ts';
import type { Event, Listing, ListingStreamError } from './generated/types.gen.ts';
import { type Transport, wait } from './transport.ts';

/** What a stream of one listing sends: the copy, then the listing as its source has it now, or why that failed. */
export type ListingEvent =
  | { readonly type: 'cached' | 'live'; readonly listing: Listing }
  | { readonly type: 'error'; readonly error: ListingStreamError };

export interface CallOptions {
  readonly signal?: AbortSignal;
}

const UTF8 = () => new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;

export async function open(
  transport: Transport,
  path: string,
  accept: string,
  { signal, headers = {} }: CallOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<ReadableStream<string>> {
  const request = new Request(`${transport.options.baseUrl}${path}`, { headers: { accept, ...headers } });
  const { body } = await transport.send(request, signal);
  return (body ?? new ReadableStream<Uint8Array>({ start: (end) => end.close() })).pipeThrough(UTF8());
}

async function* messages(text: ReadableStream<string>, onRetry?: (milliseconds: number) => void) {
  const events = text.pipeThrough(new EventSourceParserStream({ ...(onRetry && { onRetry }) }));
  yield* events as unknown as AsyncIterable<EventSourceMessage>;
}

/** Ends after the last event. Throws ConnectionError where it breaks off before that; never connects again. */
export async function* streamListing(
  transport: Transport,
  id: string,
  { signal }: CallOptions = {},
): AsyncGenerator<ListingEvent, void> {
  const path = `/v1/listing/${encodeURIComponent(id)}`;
  try {
    for await (const { event, data } of messages(
      await open(transport, path, 'text/event-stream', { ...(signal && { signal }) }),
    )) {
      if (event === 'done') return;
      if (event === 'error') yield { type: 'error', error: JSON.parse(data) as ListingStreamError };
      else if (event === 'cached' || event === 'live')
        yield { type: event, listing: JSON.parse(data) as Listing };
    }
  } catch (error) {
    throw withoutAnswer(error, signal);
  }
  throw withoutAnswer(new Error('The stream broke off'), signal);
}

export interface FeedOptions extends CallOptions {
  /** The cursor of the last event that was read, or `now`; default: the oldest event that is kept. */
  readonly after?: string;
  /** Of one watcher; default: of all. */
  readonly watcherId?: string;
}

/**
 * Events as they happen, each with the cursor to go on from, over cuts and restarts of the service. Ends only with the signal, or by
 * an error that a repeat does not mend: CursorExpiredError (410) where events after the cursor are no longer kept.
 */
export async function* feed(
  transport: Transport,
  { after, watcherId, signal }: FeedOptions = {},
): AsyncGenerator<{ readonly event: Event; readonly cursor: string }, void> {
  const path =
    watcherId === undefined ? '/v1/events/stream' : `/v1/watchers/${encodeURIComponent(watcherId)}/stream`;
  let cursor = after;
  let pause = 1_000;
  for (;;) {
    try {
      const query = cursor === undefined ? '' : `?after=${encodeURIComponent(cursor)}`;
      const text = await open(transport, `${path}${query}`, 'text/event-stream', {
        ...(signal && { signal }),
      });
      for await (const { id, event, data } of messages(text, (milliseconds) => {
        pause = milliseconds;
      })) {
        if (id !== undefined && id !== '') cursor = id;
        if (event !== undefined && data !== '' && cursor !== undefined)
          yield { event: JSON.parse(data) as Event, cursor };
      }
    } catch (error) {
      const failure = withoutAnswer(error, signal);
      const passes =
        failure instanceof ConnectionError ||
        (failure instanceof FreeholdError && (failure.status ?? 0) >= 500);
      if (!passes) throw failure;
    }
    await wait(pause * (1 + Math.random() / 4), signal);
  }
}

/** The values of JSON lines. */
export async function* lines<Value>(text: ReadableStream<string>): AsyncGenerator<Value, void> {
  let rest = '';
  for await (const part of text as unknown as AsyncIterable<string>) {
    const whole = `${rest}${part}`.split('\n');
    rest = whole.pop() ?? '';
    for (const line of whole) if (line !== '') yield JSON.parse(line) as Value;
  }
  if (rest !== '') yield JSON.parse(rest) as Value;
}
