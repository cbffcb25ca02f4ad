// Limits on fetches of client documents, by requesting address, by host and in all.

import { RecentCallers, SlidingWindowLog } from '../../access/limits/sliding-window-log.ts';
import type { Clock } from '../../lib/clock.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { ClientDocumentError } from './client-document.ts';

/** In any minute, from this process. */
export interface FetchLimits {
  /** The last sixth is for documents that were valid before. */
  readonly all: number;
  /** For one address, or /64. */
  readonly address: number;
  readonly host: number;
  /** Failures of one host; documents that were valid before are exempt. */
  readonly hostFailures: number;
  /** At the same time. */
  readonly concurrent: number;
}

const LIMITS: FetchLimits = { all: 600, address: 30, host: 60, hostFailures: 10, concurrent: 64 };
/** More than can be entered within two generations. */
const CAPACITY = 10_000;

export interface Fetch {
  readonly address: string;
  readonly host: string;
  /** Whether the document was valid before: failures of others then do not count against it. */
  readonly wasValid: boolean;
}

export class DocumentThrottle {
  readonly #clock: Clock;
  readonly #limits: FetchLimits;
  readonly #all = new SlidingWindowLog();
  readonly #addresses: RecentCallers<SlidingWindowLog>;
  readonly #hosts: RecentCallers<{ readonly fetches: SlidingWindowLog; readonly failures: SlidingWindowLog }>;
  #running = 0;

  constructor(clock: Clock, limits: Partial<FetchLimits> = {}) {
    const common = { capacity: CAPACITY, now: clock.monotonic() };
    this.#clock = clock;
    this.#limits = { ...LIMITS, ...limits };
    this.#addresses = new RecentCallers({ ...common, create: () => new SlidingWindowLog() });
    this.#hosts = new RecentCallers({
      ...common,
      create: () => ({ fetches: new SlidingWindowLog(), failures: new SlidingWindowLog() }),
    });
  }

  /**
   * Runs one fetch and counts it, also as a failure if it throws a ClientDocumentError. Throws ClientDocumentError `busy`
   * instead when a limit is reached.
   */
  async run<T>(fetch: Fetch, work: () => Promise<T>): Promise<T> {
    this.#begin(fetch);
    this.#running++;
    try {
      return await work();
    } catch (error) {
      // Other errors say nothing about the host: the caller has left, or the database is down.
      if (error instanceof ClientDocumentError) this.#countFailure(fetch.host);
      throw error;
    } finally {
      this.#running--;
    }
  }

  /** Checks all limits before it counts against any. The common one comes first: it bounds the memory of the others. */
  #begin({ address, host, wasValid }: Fetch): void {
    const now = this.#clock.monotonic();
    const { all, concurrent, ...limits } = this.#limits;
    if (this.#running >= concurrent) throw busy(1_000, 'Too many documents are being fetched at the moment');
    this.#check(this.#all, wasValid ? all : all - Math.floor(all / 6), 'Too many documents were fetched');
    const byAddress = this.#addresses.getOrCreate(addressGroup(address), now);
    const byHost = this.#hosts.getOrCreate(host, now);
    if (byAddress === undefined || byHost === undefined)
      throw busy(60_000, 'Too many documents were fetched');
    this.#check(byAddress, limits.address, 'Too many documents were fetched for your address');
    this.#check(byHost.fetches, limits.host, `Too many documents were fetched from ${host}`);
    if (!wasValid) this.#check(byHost.failures, limits.hostFailures, `Too many fetches from ${host} failed`);
    for (const log of [this.#all, byAddress, byHost.fetches]) log.add(now);
  }

  #countFailure(host: string): void {
    const now = this.#clock.monotonic();
    this.#hosts.getOrCreate(host, now)?.failures.add(now);
  }

  #check(log: SlidingWindowLog, limit: number, reason: string): void {
    const now = this.#clock.monotonic();
    if (log.count(now) >= limit) throw busy(log.timeUntilFree(limit, now), reason);
  }
}

/** @param wait milliseconds */
function busy(wait: number, reason: string): ClientDocumentError {
  const retryAfter = Math.max(1, Math.ceil(wait / 1000));
  return new ClientDocumentError('busy', `${reason}. Try again in ${retryAfter} s.`, { retryAfter });
}
