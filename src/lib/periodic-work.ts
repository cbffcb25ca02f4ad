// Periodic work: one round after another, with a pause in between, until it is stopped.

import type { Clock } from './clock.ts';

export interface PeriodicWorkOptions {
  readonly clock: Clock;
  /** Milliseconds between the end of one round and the next. */
  readonly pause: number;
  /** One round. `isStopped` tells whether it should end early. */
  readonly work: (isStopped: () => boolean) => Promise<void>;
  /** Called with the error of a round that failed; the next one comes all the same. */
  readonly report: (error: unknown) => void;
}

export interface PeriodicWork {
  /** Starts the next round without a pause. */
  runNow(): void;
  /** Resolves when the current round has ended; no other begins. */
  stop(): Promise<void>;
}

/** Starts with a round at once. */
export function startPeriodicWork({ clock, pause, work, report }: PeriodicWorkOptions): PeriodicWork {
  let stopped = false;
  let cancel = (): void => {};
  let round = Promise.resolve();
  const isStopped = () => stopped;
  function schedule(): void {
    cancel();
    if (!stopped) cancel = clock.after(pause, runNow);
  }
  function runNow(): void {
    cancel();
    round = round
      .then(() => (stopped ? undefined : work(isStopped)))
      .catch(report)
      .then(schedule);
  }
  runNow();
  return {
    runNow,
    async stop() {
      stopped = true;
      cancel();
      await round;
    },
  };
}
