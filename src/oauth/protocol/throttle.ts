// Limit of requests by name in any minute, exact and in bounded memory.

import { wholeSeconds } from '../../access/limits/rate-limit-status.ts';
import { RecentCallers, SlidingWindowLog } from '../../access/limits/sliding-window-log.ts';
import type { Clock } from '../../lib/clock.ts';

const CAPACITY = 65_536;

export class RequestThrottle {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #roster: RecentCallers<SlidingWindowLog>;

  constructor(clock: Clock, perMinute: number, capacity = CAPACITY) {
    this.#clock = clock;
    this.#perMinute = perMinute;
    this.#roster = new RecentCallers({
      capacity,
      now: clock.monotonic(),
      create: () => new SlidingWindowLog(),
    });
  }

  /** Counts one request: 0 when it may pass, else the seconds after which the next one may. */
  take(name: string): number {
    const now = this.#clock.monotonic();
    const ring = this.#roster.getOrCreate(name, now);
    // More callers than can be told apart: to refuse those not yet known would let a flood lock everybody else out, and
    // hold up nobody who has that many names.
    if (ring === undefined) return 0;
    if (ring.count(now) >= this.#perMinute)
      return Math.max(1, wholeSeconds(ring.timeUntilFree(this.#perMinute, now)));
    ring.add(now);
    return 0;
  }
}
