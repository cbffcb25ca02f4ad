// Limits on fetching client documents, by address, by host and in all.

import { RecentCallers, SlidingWindowLog } from '../../access/limits/sliding-window-log.ts';
import type { Clock } from '../../lib/clock.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { ClientDocumentError } from './client-document.ts';

/** In any minute, from this process. */
export interface FetchLimits {
  /** Altogether. The last sixth is for documents that were once found good. */
  readonly all: number;
  /** Wanted by one address, or /64. */
  readonly address: number;
  /** From one host. */
  readonly host: number;
  /** In vain from one host; documents that were once found good are exempt. */
  readonly hostFailures: number;
  /** At the same time. */
  readonly open: number;
}

const BOUNDS: FetchLimits = { all: 600, address: 30, host: 60, hostFailures: 10, open: 64 };
/** More than can be entered within two generations. */
const CAPACITY = 10_000;

/** Who asks for what. */
export interface Fetch {
  readonly address: string;
  readonly host: string;
  /** Whether the document was found good before: then nobody else's failures stand against it. */
  readonly known: boolean;
}

export class DocumentThrottle {
  readonly #clock: Clock;
  readonly #bounds: FetchLimits;
  readonly #all = new SlidingWindowLog();
  readonly #addresses: RecentCallers<SlidingWindowLog>;
  readonly #hosts: RecentCallers<{ readonly fetches: SlidingWindowLog; readonly failures: SlidingWindowLog }>;
  #open = 0;

  constructor(clock: Clock, bounds: Partial<FetchLimits> = {}) {
    const now = clock.monotonic();
    this.#clock = clock;
    this.#bounds = { ...BOUNDS, ...bounds };
    this.#addresses = new RecentCallers({ capacity: CAPACITY, now, create: () => new SlidingWindowLog() });
    this.#hosts = new RecentCallers({
      ...{ capacity: CAPACITY, now },
      create: () => ({ fetches: new SlidingWindowLog(), failures: new SlidingWindowLog() }),
    });
  }

  /**
   * Runs one fetch and counts it, also as a failure where it ends in a ClientDocumentRefusal. Throws ClientDocumentRefusal `busy` instead when a
   * bound is reached.
   */
  async run<T>(fetch: Fetch, work: () => Promise<T>): Promise<T> {
    this.#begin(fetch);
    this.#open++;
    try {
      return await work();
    } catch (error) {
      // Anything else is no word about the host: whoever asked has left, or the database is gone.
      if (error instanceof ClientDocumentError) this.#failed(fetch.host);
      throw error;
    } finally {
      this.#open--;
    }
  }

  /** Looks at all bounds before it takes a place of any. What all share comes first: it bounds the others' memory. */
  #begin({ address, host, known }: Fetch): void {
    const now = this.#clock.monotonic();
    const { all, open, ...bounds } = this.#bounds;
    if (this.#open >= open) throw busy(1_000, 'Too many documents are being fetched at the moment');
    this.#check(this.#all, known ? all : all - Math.floor(all / 6), 'Too many documents were fetched');
    const asker = this.#addresses.getOrCreate(addressGroup(address), now);
    const server = this.#hosts.getOrCreate(host, now);
    if (asker === undefined || server === undefined) throw busy(60_000, 'Too many documents were fetched');
    this.#check(asker, bounds.address, 'Too many documents were fetched for your address');
    this.#check(server.fetches, bounds.host, `Too many documents were fetched from ${host}`);
    if (!known) this.#check(server.failures, bounds.hostFailures, `Too many fetches from ${host} failed`);
    for (const ring of [this.#all, asker, server.fetches]) ring.add(now);
  }

  #failed(host: string): void {
    const now = this.#clock.monotonic();
    this.#hosts.getOrCreate(host, now)?.failures.add(now);
  }

  #check(ring: SlidingWindowLog, quota: number, what: string): void {
    const now = this.#clock.monotonic();
    if (ring.count(now) >= quota) throw busy(ring.timeUntilFree(quota, now), what);
  }
}

/** @param wait milliseconds */
function busy(wait: number, what: string): ClientDocumentError {
  const retryAfter = Math.max(1, Math.ceil(wait / 1000));
  return new ClientDocumentError('busy', `${what}. Try again in ${retryAfter} s.`, { retryAfter });
}
