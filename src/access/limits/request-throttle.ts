// Limit on requests by name in any minute, exact and in bounded memory.

import type { Clock } from '../../lib/clock.ts';
import { wholeSeconds } from './rate-limit-status.ts';
import { RecentCallers, SlidingWindowLog } from './sliding-window-log.ts';

const CAPACITY = 65_536;

export class RequestThrottle {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #callers: RecentCallers<SlidingWindowLog>;

  constructor(clock: Clock, perMinute: number, capacity = CAPACITY) {
    this.#clock = clock;
    this.#perMinute = perMinute;
    const now = clock.monotonic();
    this.#callers = new RecentCallers({ capacity, now, create: () => new SlidingWindowLog() });
  }

  /** Takes back one request that was counted, as if it had never been sent. */
  giveBack(name: string): void {
    this.#callers.peek(name)?.removeLatest();
  }

  /** Counts one request: 0 if it may pass, else the seconds until the next one may. */
  take(name: string): number {
    const now = this.#clock.monotonic();
    const log = this.#callers.getOrCreate(name, now);
    // No room for another caller: refusing new ones would let a flood lock everybody else out, and a flood has many names.
    if (log === undefined) return 0;
    if (log.count(now) >= this.#perMinute)
      return Math.max(1, wholeSeconds(log.timeUntilFree(this.#perMinute, now)));
    log.add(now);
    return 0;
  }
}
