// Answer of the live read: the events of the listing stream, gathered into one.

import type { ServerSentEvent } from '../../http/output/reply.ts';
import { listingLine, objectOf } from './listing-text.ts';
import type { Json } from './tool-row.ts';

export interface LiveOptions {
  readonly progress: ((message: string) => Promise<void>) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Both copies of the listing, or the cached one and why there is no other. Tells the cached one as progress at once. */
export async function readLiveAnswer(
  events: AsyncIterable<ServerSentEvent>,
  { progress, now }: LiveOptions,
): Promise<Json> {
  const answer: Record<string, unknown> = { cached: null, live: null, error: null };
  for await (const { event, data, json } of events) {
    if (!Object.hasOwn(answer, event)) continue;
    answer[event] = json === undefined ? data : JSON.parse(json);
    if (event === 'cached') await progress?.(cachedLine(objectOf(answer.cached), now()));
  }
  return answer;
}

/** `Cached: USD 1,895 a month · … · confirmed 3 min ago`. */
function cachedLine(listing: Json, now: number): string {
  const { price, currency, priceFrequency, status, fetchedAt } = listing;
  return `Cached: ${listingLine({ price, currency, priceFrequency, status, fetchedAt }, now)}. Fetching it live.`;
}
