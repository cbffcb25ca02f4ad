// Source whose fetches end when a test says so, and readers who wait for them.

import type { ListingDraft } from '../../../src/listings/draft.ts';
import { LiveError, type LiveFailure, type Source } from '../../../src/sources/source.ts';
import type { Closing } from '../database/database.ts';
import { type LiveService, startLive } from '../sources/live-service.ts';
import { type Reader, received, receivedFrom, request } from './clients.ts';

export interface Gate {
  readonly key: string;
  readonly signal: AbortSignal;
  give(): void;
  fail(code: LiveFailure): void;
}

export interface GatedService extends LiveService {
  /** Every fetch so far, in order. */
  readonly gates: Gate[];
  /** Opens a stream and resolves once `cached` has come: by then it waits for the fetch. */
  join(key: string): Promise<Reader>;
  streams(): Promise<number>;
}

export async function startGated(t: Closing): Promise<GatedService> {
  const gates: Gate[] = [];
  const service = await startLive(t, (memory) => gated(memory, gates));
  return {
    ...service,
    gates,
    async join(key) {
      const reader = await request(service.url, `/v1/listing/${service.id(key)}`, service.keys.internal);
      await received(reader, 'event: cached');
      if (reader.isClosed()) throw new Error(`The stream is closed, not waiting: ${reader.text()}`);
      return reader;
    },
    async streams() {
      const text = await (await service.get('/metrics')).text();
      return Number(/^freehold_http_streams (\d+)$/m.exec(text)?.[1]);
    },
  };
}

/** A fetch whose last reader has left ends at once, as one over HTTP does. */
function gated(
  memory: Source & { readonly listings: ReadonlyMap<string, ListingDraft> },
  gates: Gate[],
): Source {
  return {
    ...memory,
    fetchOne: (key, signal) =>
      new Promise((resolve, reject) => {
        const late = () => reject(new LiveError('timeout', 'aborted'));
        signal.addEventListener('abort', late, { once: true });
        gates.push({
          key,
          signal,
          give() {
            const draft = memory.listings.get(key);
            if (draft === undefined) throw new Error(`No listing ${key}`);
            resolve(draft);
          },
          fail: (code) => reject(new LiveError(code, 'A sentence.')),
        });
      }),
  };
}

/** How the stream of a reader who stayed ended: `live`, or the code of the error. Empty where the grammar is broken. */
export async function outcomeOf(reader: Reader): Promise<string> {
  await reader.closed;
  const { names, code, complete } = receivedFrom(reader.text());
  const grammar = names.join() === `cached,${code === null ? 'live' : 'error'},done`;
  return complete && grammar ? (code ?? 'live') : '';
}
