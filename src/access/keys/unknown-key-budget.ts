// Budget of questions about keys that were never valid: a flood of invalid keys costs a bounded number of them.

import type { Clock } from '../../lib/clock.ts';
import { SlidingWindowLog } from '../limits/sliding-window-log.ts';

/** Failed queries in any minute. */
const PER_MINUTE = 6_000;

/** Share that anybody may use; the rest is reserved for addresses with a clean record. */
const COMMON_SHARE = 0.5;

/**
 * Only failed queries stay counted, so valid keys use nothing up. A flood of invalid keys fills the common share at most,
 * unless it comes from as many clean addresses as the rest has places.
 */
export class UnknownKeyBudget {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #failed = new SlidingWindowLog();

  constructor(clock: Clock, perMinute = PER_MINUTE) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** Reserves a query: 0, or the milliseconds until one is free. */
  reserve(hasCleanRecord: boolean): number {
    const now = this.#clock.monotonic();
    const quota = hasCleanRecord ? this.#perMinute : Math.floor(this.#perMinute * COMMON_SHARE);
    if (this.#failed.count(now) >= quota) return Math.max(1, this.#failed.timeUntilFree(quota, now));
    this.#failed.reserved++;
    return 0;
  }

  /** Ends a query; every answer but that the key is valid counts as failed. */
  release(failed: boolean): void {
    this.#failed.reserved--;
    if (failed) this.#failed.add(this.#clock.monotonic());
  }
}
