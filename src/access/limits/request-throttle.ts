// Limit on requests by name in any minute, exact and in bounded memory: of this process, or of all that count together.

import type { Clock } from '../../lib/clock.ts';
import { wholeSeconds } from './rate-limit-status.ts';
import type { SharedCounting } from './shared/shared-counting.ts';
import { RecentCallers, SlidingWindowLog } from './sliding-window-log.ts';

const CAPACITY = 65_536;

/** A limit that this process keeps alone. */
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

/** A limit of the service: counted with other processes, where they count together. */
export interface ServiceThrottle {
  /** Counts one request: 0 if it may pass, else the seconds until the next one may. */
  take(name: string): Promise<number>;
}

export interface ThrottleParts {
  readonly clock: Clock;
  /** Null or absent: this process counts alone. */
  readonly counting?: SharedCounting | null | undefined;
}

/** @param kind what is counted: another one for each throttle */
export function createServiceThrottle(
  { clock, counting }: ThrottleParts,
  kind: string,
  perMinute: number,
): ServiceThrottle {
  if (!counting) {
    const own = new RequestThrottle(clock, perMinute);
    return { take: async (name) => own.take(name) };
  }
  const window = counting.window(kind, CAPACITY);
  return {
    async take(name) {
      // As above: a flood of names must not lock everybody else out.
      if (!window.hasRoom(name)) return 0;
      const { slot, reset } = await window.take(name, perMinute);
      return slot === null ? Math.max(1, wholeSeconds(reset)) : 0;
    },
  };
}
