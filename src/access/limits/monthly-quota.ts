// Calendar months in UTC, and the monthly quota in this process: requests are leased from the shared count in blocks before any is admitted.

import type { Clock } from '../../lib/clock.ts';
import { databaseUnavailable } from '../../postgres/client/connection-errors.ts';
import type { Database } from '../../postgres/client/database.ts';
import { findUsed, leaseQuota, returnQuota } from './monthly-usage-store.ts';

/** Milliseconds for which an exhausted month is not read again. */
const EXHAUSTED_PAUSE = 10_000;

/** Milliseconds that a request waits in the queue. Far less than the minute after which callers are evicted. */
const QUEUE_TIMEOUT = 10_000;
const TOO_SLOW = 'The monthly count is too slow for those who wait for it';
/** Percent of a month at which owners are notified. */
export const THRESHOLDS = [80, 100] as const;

/** Requests of one caller that may wait at once. */
const MAX_QUEUE = 10_000;

/** Requests of one caller's month that this process has leased. */
export class QuotaLease {
  /** Name of the month; empty: nothing was leased yet. */
  month = '';
  quota = 0;
  /** Requests leased and not yet spent. */
  unspent = 0;
  /** Requests that nobody had leased at the last read; null: not read yet. */
  unleased: number | null = null;
  /** Monotonic time until which the month counts as exhausted. */
  exhaustedUntil = Number.NEGATIVE_INFINITY;
  /** Requests that wait for a lease, in order of arrival. */
  queue: QueuedRequest[] = [];
  /** Whether the queue is being served. */
  isServing = false;
  /** Percent of the month that were announced as used. */
  announced = 0;
}

/** A request that waits for a lease. */
interface QueuedRequest {
  readonly spender: LeaseHolder;
  readonly since: number;
  /** Tries again: false while another lease is needed. Throws its refusal. */
  readonly attempt: () => boolean;
  readonly reject: (error: unknown) => void;
}

/** Whose quota is leased. */
export interface LeaseHolder {
  readonly account: string;
  /** Null: nobody is notified. */
  readonly owner: string | null;
  /** Requests that a minute allows; null: unlimited. */
  readonly minute: number | null;
}

/** The quota of a month. */
export interface MonthLimit {
  /** The month's name. */
  readonly month: string;
  /** Requests that it allows. */
  readonly quota: number;
}

/** A share of a month that is used, counted with what processes have leased. */
export interface ReachedQuota {
  readonly account: string;
  readonly owner: string;
  readonly month: string;
  readonly quota: number;
  /** Percent. */
  readonly threshold: number;
}

/** Notifies the owner, once however often it is called. */
export type OnReached = (reached: ReachedQuota) => Promise<void>;

export interface MonthlyQuotaOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Called when requests could not be returned, or an owner not be notified. */
  readonly report: (error: unknown) => void;
  readonly onReached?: OnReached | undefined;
}

export class MonthlyQuota {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #report: (error: unknown) => void;
  readonly #onReached: OnReached | undefined;
  #announcing: Promise<void> = Promise.resolve();

  constructor(options: MonthlyQuotaOptions) {
    this.#onReached = options.onReached;
    this.#database = options.database;
    this.#clock = options.clock;
    this.#report = options.report;
  }

  /** Spends one leased request: true when there was one. */
  spend(lease: QuotaLease, account: string, limit: MonthLimit): boolean {
    if (!isFor(lease, limit)) this.#begin(lease, account, limit);
    if (lease.unspent === 0) return false;
    lease.unspent--;
    return true;
  }

  /** Requests left in the month as far as this process knows; null where it has not read the count yet. */
  remaining(lease: QuotaLease, limit: MonthLimit): number | null {
    return isFor(lease, limit) && lease.unleased !== null ? lease.unspent + lease.unleased : null;
  }

  /** Whether the month is exhausted by a recent count of the database. */
  isExhausted(lease: QuotaLease, limit: MonthLimit): boolean {
    return isFor(lease, limit) && lease.unspent === 0 && this.#clock.monotonic() < lease.exhaustedUntil;
  }

  /**
   * Queues the request until `attempt` gives a result, leasing blocks as needed: requests of one caller share the
   * statements and are served in order. Throws DATABASE_UNAVAILABLE, and what `attempt` throws.
   * @param attempt tries to admit the request; undefined while another lease is needed
   */
  enqueue<Result>(
    lease: QuotaLease,
    spender: LeaseHolder,
    attempt: () => Result | undefined,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (lease.queue.length >= MAX_QUEUE) throw databaseUnavailable(TOO_SLOW);
      const settle = () => {
        const result = attempt();
        if (result !== undefined) resolve(result);
        return result !== undefined;
      };
      lease.queue.push({ spender, since: this.#clock.monotonic(), attempt: settle, reject });
      if (!lease.isServing) void this.#serve(lease);
    });
  }

  /** Requests left by the database's count, plus what this process has leased. Throws DATABASE_UNAVAILABLE. */
  async countRemaining(lease: QuotaLease, account: string, limit: MonthLimit): Promise<number> {
    const { month, quota } = limit;
    const used = await this.#database.read((sql) => findUsed(sql, account, month), {
      planned: 'once',
    });
    return Math.max(0, quota - used) + (isFor(lease, limit) ? lease.unspent : 0);
  }

  /** Returns leased requests that will not be spent here. */
  async returnLeases(leases: ReadonlyMap<string, QuotaLease>): Promise<void> {
    const months = new Map<string, Map<string, number>>();
    for (const [account, lease] of leases) {
      const unspent = months.get(lease.month) ?? new Map<string, number>();
      months.set(lease.month, unspent.set(account, lease.unspent));
      lease.unspent = 0;
    }
    for (const [month, unspent] of months) await this.#return(month, unspent);
  }

  /** Starts a lease for a new month or tier: what is left of the old one is returned, not spent. */
  #begin(lease: QuotaLease, account: string, { month, quota }: MonthLimit): void {
    if (lease.unspent > 0 && lease.month === month)
      void this.#return(month, new Map([[account, lease.unspent]]));
    lease.month = month;
    lease.quota = quota;
    lease.unspent = 0;
    lease.unleased = null;
    lease.announced = 0;
    lease.exhaustedUntil = Number.NEGATIVE_INFINITY;
  }

  async #serve(lease: QuotaLease): Promise<void> {
    lease.isServing = true;
    for (let first = lease.queue[0]; first !== undefined; first = lease.queue[0]) {
      if (this.#settle(first)) lease.queue.shift();
      else await this.#lease(lease, first.spender).catch((error: unknown) => rejectAll(lease, error));
    }
    lease.isServing = false;
  }

  /** Whether the request has its result or an error. */
  #settle({ attempt, since, reject }: QueuedRequest): boolean {
    try {
      if (attempt()) return true;
      if (this.#clock.monotonic() - since <= QUEUE_TIMEOUT) return false;
      throw databaseUnavailable(TOO_SLOW);
    } catch (error) {
      reject(error);
      return true;
    }
  }

  async #lease(lease: QuotaLease, { account, owner, minute }: LeaseHolder): Promise<void> {
    const limit = { month: lease.month, quota: lease.quota };
    const at = new Date(this.#clock.now());
    const request = { account, ...limit, maxSize: leaseSize(minute), at };
    const leased = await this.#database.write((sql) => leaseQuota(sql, request));
    if (isFor(lease, limit)) {
      lease.unspent += leased?.block ?? 0;
      lease.unleased = leased === undefined ? 0 : limit.quota - leased.used;
      if (lease.unleased === 0) lease.exhaustedUntil = this.#clock.monotonic() + EXHAUSTED_PAUSE;
      if (owner !== null) this.#announce(lease, { account, owner, ...limit });
    } else if (leased !== undefined) {
      await this.#return(limit.month, new Map([[account, leased.block]]));
    }
  }

  /** Notifies the owner of shares of the month that are used now; tried again with the next lease where it fails. */
  #announce(lease: QuotaLease, reached: Omit<ReachedQuota, 'threshold'>): void {
    const { quota } = reached;
    const used = quota - (lease.unleased ?? quota);
    for (const threshold of THRESHOLDS) {
      const { announced } = lease;
      if (this.#onReached === undefined || announced >= threshold || used * 100 < threshold * quota) continue;
      lease.announced = threshold;
      this.#announcing = this.#announcing
        .then(() => this.#onReached?.({ ...reached, threshold }))
        .catch((error) => {
          lease.announced = Math.min(lease.announced, announced);
          this.#report(error);
        });
    }
  }

  /** Resolves once all owners are notified. */
  async close(): Promise<void> {
    await this.#announcing;
  }

  /** Never fails: requests that cannot be returned are lost to the caller, not counted twice. */
  async #return(month: string, unspent: ReadonlyMap<string, number>): Promise<void> {
    await this.#database.write((sql) => returnQuota(sql, month, unspent)).catch(this.#report);
  }
}

function rejectAll(lease: QuotaLease, error: unknown): void {
  const { queue } = lease;
  lease.queue = [];
  for (const { reject } of queue) reject(error);
}

function isFor(lease: QuotaLease, { month, quota }: MonthLimit): boolean {
  return lease.month === month && lease.quota === quota;
}

export interface Month {
  /** Its first day, YYYY-MM-DD. */
  readonly name: string;
  /** Wall-clock milliseconds: start included, end excluded. */
  readonly start: number;
  readonly end: number;
  /** How long it is: 28 to 31 days. */
  readonly seconds: number;
}

/** The month that holds a wall-clock time. */
export function monthOf(now: number): Month {
  const date = new Date(now);
  const start = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return { name: new Date(start).toISOString().slice(0, 10), start, end, seconds: (end - start) / 1000 };
}

/** The name of the month before. */
export function monthBefore(month: Month): string {
  return monthOf(month.start - 1).name;
}

/** Caches the current month, in which nearly every request falls. */
export function createMonthCache(): (now: number) => Month {
  let current = monthOf(0);
  return (now) => {
    if (now < current.start || now >= current.end) current = monthOf(now);
    return current;
  };
}

/** Largest number of requests leased at once: what the tier may spend in one second. */
export function leaseSize(minute: number | null): number {
  return minute === null ? 1_000 : Math.max(1, Math.floor(minute / 60));
}
