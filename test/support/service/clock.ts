// Manual clock: time moves only when a test moves it.

import type { Clock } from '../../../src/lib/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time and runs, in order, whatever falls due on the way. */
  advance(milliseconds: number): void;
  /** How many callbacks are waiting: 0 when nothing was leaked. */
  readonly waiting: number;
  /** Milliseconds until the next of them falls due; infinite where none is waiting. */
  readonly nextIn: number;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock that starts at the given time, by default noon of 5 January 2026 UTC. */
export function manualClock(start = Date.UTC(2026, 0, 5, 12)): ManualClock {
  const timers = new Set<Timer>();
  let elapsed = 0;
  function earliest(until: number): Timer | undefined {
    return [...timers].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due)[0];
  }
  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after(milliseconds, callback) {
      const timer = { due: elapsed + milliseconds, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(milliseconds) {
      const until = elapsed + milliseconds;
      for (let timer = earliest(until); timer !== undefined; timer = earliest(until)) {
        timers.delete(timer);
        elapsed = Math.max(elapsed, timer.due);
        timer.callback();
      }
      elapsed = until;
    },
    get waiting() {
      return timers.size;
    },
    get nextIn() {
      return Math.max(0, (earliest(Number.POSITIVE_INFINITY)?.due ?? Number.POSITIVE_INFINITY) - elapsed);
    },
  };
}
