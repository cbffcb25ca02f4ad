// Reader of a feed: events by eventsource-parser, as they arrive.

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { until } from '../check/until.ts';
import type { ReadEvent } from './event-service.ts';

export interface FeedReader {
  readonly response: Response;
  /** Events so far, in the order of arrival. */
  readonly events: readonly (EventSourceMessage & { readonly event: string; readonly value: ReadEvent })[];
  /** Everything so far. */
  text(): string;
  /** The last id that the stream has set, with an event or without. */
  lastId(): string;
  /** Resolves once this many events have arrived. */
  received(count: number): Promise<void>;
  /** Resolves when the server has ended the stream, or the connection broke. */
  readonly ended: Promise<void>;
  leave(): void;
}

/** Opens a feed; the answer must be 200. */
export async function openFeed(
  url: string,
  key: string,
  { path = '/v1/events/stream', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<FeedReader> {
  const leaving = new AbortController();
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    signal: leaving.signal,
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const events: (EventSourceMessage & { event: string; value: ReadEvent })[] = [];
  let text = '';
  const parser = createParser({
    onEvent: (message) =>
      events.push({ ...message, event: message.event ?? '', value: JSON.parse(message.data) as ReadEvent }),
  });
  const read = async () => {
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      parser.feed(chunk);
    }
  };
  return {
    response,
    events,
    text: () => text,
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '',
    received: (count) => until(`${count} events have arrived`, () => events.length >= count),
    ended: read().catch(() => {}),
    leave: () => leaving.abort(),
  };
}
