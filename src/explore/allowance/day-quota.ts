// What one caller may see in a UTC day: leased from the shared count in blocks before any of it is shown.

import { type Clock, DAY } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { type DayKind, leaseDay, returnDay } from './usage-store.ts';

/** Milliseconds for which a day that is used up is not read again. */
const EXHAUSTED_PAUSE = 10_000;

/** What this process has leased of one caller's day, and not spent. */
export class DayLease {
  /** YYYY-MM-DD; empty: nothing was leased yet. */
  day = '';
  unspent = 0;
  /** Monotonic milliseconds until which nothing is left. */
  exhaustedUntil = Number.NEGATIVE_INFINITY;
  /** Those who wait share one statement. */
  leasing: Promise<void> | null = null;
}

export interface DayQuotaOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Called when something could not be returned. */
  readonly report: (error: unknown) => void;
  readonly kind: DayKind;
  /** How many a day allows. */
  readonly quota: number;
  /** How many are leased at once; a process that crashes loses as many to the caller. */
  readonly block: number;
  /** When fewer are left, the next block is leased before anybody waits for it. */
  readonly ahead: number;
}

/** The UTC day of a wall-clock time, YYYY-MM-DD. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

export class DayQuota {
  readonly #options: DayQuotaOptions;

  constructor(options: DayQuotaOptions) {
    this.#options = options;
  }

  /** Takes so many of the caller's day: all of them, or none where fewer are left. Throws DATABASE_UNAVAILABLE. */
  async take(account: string, lease: DayLease, amount: number): Promise<boolean> {
    const { clock } = this.#options;
    for (;;) {
      const day = dayOf(clock.now());
      // What is left of a day that is over is of no use to anybody.
      if (lease.day !== day) this.#begin(lease, day);
      if (lease.unspent >= amount) {
        lease.unspent -= amount;
        this.#leaseAhead(account, lease);
        return true;
      }
      if (clock.monotonic() < lease.exhaustedUntil) return false;
      await this.#startLease(account, lease, amount);
    }
  }

  #leaseAhead(account: string, lease: DayLease): void {
    const { clock, ahead, report } = this.#options;
    if (lease.unspent >= ahead || lease.leasing !== null || clock.monotonic() < lease.exhaustedUntil) return;
    this.#startLease(account, lease, 0).catch(report);
  }

  #startLease(account: string, lease: DayLease, amount: number): Promise<void> {
    lease.leasing ??= this.#lease(account, lease, amount).finally(() => {
      lease.leasing = null;
    });
    return lease.leasing;
  }

  /** Seconds until the day ends. */
  secondsLeft(): number {
    return Math.ceil((DAY - (this.#options.clock.now() % DAY)) / 1_000);
  }

  /** Returns what will not be spent here. Never fails. */
  async giveBack(account: string, lease: DayLease): Promise<void> {
    const { database, report, kind } = this.#options;
    // What is leased at this moment is not spent either.
    await lease.leasing?.catch(() => {});
    const { day, unspent } = lease;
    lease.unspent = 0;
    if (unspent > 0)
      await database.write((sql) => returnDay(sql, { account, day, kind }, unspent)).catch(report);
  }

  #begin(lease: DayLease, day: string): void {
    lease.day = day;
    lease.unspent = 0;
    lease.exhaustedUntil = Number.NEGATIVE_INFINITY;
  }

  async #lease(account: string, lease: DayLease, amount: number): Promise<void> {
    const { database, clock, kind, quota, block } = this.#options;
    const { day } = lease;
    const request = { account, day, kind, quota, block: Math.max(block, amount - lease.unspent) };
    const leased = await database.write((sql) => leaseDay(sql, request));
    // Meanwhile another day may have started: the block was of the former one.
    if (lease.day !== day) return;
    lease.unspent += leased;
    if (leased === 0) lease.exhaustedUntil = clock.monotonic() + EXHAUSTED_PAUSE;
  }
}
