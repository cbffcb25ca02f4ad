// Limits on fetches of client documents, by requesting address, by host and in all.

import type { ThrottleParts } from '../../access/limits/request-throttle.ts';
import type { SharedCounting } from '../../access/limits/shared/shared-counting.ts';
import type { SharedWindow } from '../../access/limits/shared/shared-window.ts';
import type { Slot } from '../../access/limits/shared/window-name.ts';
import { RecentCallers, SlidingWindowLog } from '../../access/limits/sliding-window-log.ts';
import type { Clock } from '../../lib/clock.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { ClientDocumentError } from './client-document.ts';

/** In any minute. */
export interface FetchLimits {
  /** The last sixth is for documents that were valid before. */
  readonly all: number;
  /** For one address, or /64. */
  readonly address: number;
  readonly host: number;
  /** Failures of one host; documents that were valid before are exempt. */
  readonly hostFailures: number;
  /** At the same time, by this process. */
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

/** Runs one fetch and counts it, also as a failure if it throws a ClientDocumentError. */
export interface DocumentThrottle {
  /** Throws ClientDocumentError `busy` instead when a limit is reached. */
  run<T>(fetch: Fetch, work: () => Promise<T>): Promise<T>;
}

export function createDocumentThrottle(
  { clock, counting }: ThrottleParts,
  limits: Partial<FetchLimits> = {},
): DocumentThrottle {
  const all = { ...LIMITS, ...limits };
  return counting ? new SharedDocumentThrottle(counting, all) : new LocalDocumentThrottle(clock, all);
}

/** Counts in this process. */
class LocalDocumentThrottle implements DocumentThrottle {
  readonly #clock: Clock;
  readonly #limits: FetchLimits;
  readonly #all = new SlidingWindowLog();
  readonly #addresses: RecentCallers<SlidingWindowLog>;
  readonly #hosts: RecentCallers<{ readonly fetches: SlidingWindowLog; readonly failures: SlidingWindowLog }>;
  #running = 0;

  constructor(clock: Clock, limits: FetchLimits) {
    const common = { capacity: CAPACITY, now: clock.monotonic() };
    this.#clock = clock;
    this.#limits = limits;
    this.#addresses = new RecentCallers({ ...common, create: () => new SlidingWindowLog() });
    this.#hosts = new RecentCallers({
      ...common,
      create: () => ({ fetches: new SlidingWindowLog(), failures: new SlidingWindowLog() }),
    });
  }

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
    if (this.#running >= concurrent) throw busy(1_000, TOO_MANY_NOW);
    this.#check(this.#all, wasValid ? all : forNewOnes(all), TOO_MANY);
    const byAddress = this.#addresses.getOrCreate(addressGroup(address), now);
    const byHost = this.#hosts.getOrCreate(host, now);
    if (byAddress === undefined || byHost === undefined) throw busy(60_000, TOO_MANY);
    this.#check(byAddress, limits.address, TOO_MANY_FOR_ADDRESS);
    this.#check(byHost.fetches, limits.host, tooManyFrom(host));
    if (!wasValid) this.#check(byHost.failures, limits.hostFailures, tooManyFailed(host));
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

/** Counts with all processes. */
class SharedDocumentThrottle implements DocumentThrottle {
  readonly #limits: FetchLimits;
  readonly #all: SharedWindow;
  readonly #addresses: SharedWindow;
  readonly #hosts: SharedWindow;
  readonly #failures: SharedWindow;
  #running = 0;

  constructor(counting: SharedCounting, limits: FetchLimits) {
    this.#limits = limits;
    this.#all = counting.window('documents', 1);
    this.#addresses = counting.window('documents-address', CAPACITY);
    this.#hosts = counting.window('documents-host', CAPACITY);
    this.#failures = counting.window('documents-failed', CAPACITY);
  }

  async run<T>(fetch: Fetch, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limits.concurrent) throw busy(1_000, TOO_MANY_NOW);
    this.#running++;
    try {
      await this.#take(fetch);
      return await work();
    } catch (error) {
      if (error instanceof ClientDocumentError && error.kind !== 'busy')
        await this.#failures.take(fetch.host, Number.MAX_SAFE_INTEGER);
      throw error;
    } finally {
      this.#running--;
    }
  }

  /** Takes a slot of each limit, or gives back what it took. */
  async #take({ address, host, wasValid }: Fetch): Promise<void> {
    const { all, ...limits } = this.#limits;
    const taken: Slot[] = [];
    const take = async (window: SharedWindow, name: string, limit: number, reason: string): Promise<void> => {
      const { slot, reset } = await window.take(name, limit);
      if (slot === null) throw busy(reset, reason);
      taken.push(slot);
    };
    try {
      await take(this.#all, 'all', wasValid ? all : forNewOnes(all), TOO_MANY);
      await take(this.#addresses, addressGroup(address), limits.address, TOO_MANY_FOR_ADDRESS);
      await take(this.#hosts, host, limits.host, tooManyFrom(host));
      if (wasValid) return;
      const { remaining, reset } = await this.#failures.look(host, limits.hostFailures);
      if (remaining === 0) throw busy(reset, tooManyFailed(host));
    } catch (error) {
      for (const slot of taken) slot.giveBack();
      throw error;
    }
  }
}

/** The last sixth is for documents that were valid before. */
const forNewOnes = (all: number): number => all - Math.floor(all / 6);

const TOO_MANY = 'Too many documents were fetched';
const TOO_MANY_NOW = 'Too many documents are being fetched at the moment';
const TOO_MANY_FOR_ADDRESS = 'Too many documents were fetched for your address';
const tooManyFrom = (host: string): string => `Too many documents were fetched from ${host}`;
const tooManyFailed = (host: string): string => `Too many fetches from ${host} failed`;

/** @param wait milliseconds */
function busy(wait: number, reason: string): ClientDocumentError {
  const retryAfter = Math.max(1, Math.ceil(wait / 1000));
  return new ClientDocumentError('busy', `${reason}. Try again in ${retryAfter} s.`, { retryAfter });
}
