// Turns of the event loop by processor time: what others do on the machine makes them no longer.

import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Milliseconds. */
const TICK = 1;

export interface TurnMeter {
  /** Microseconds of processor from one firing of a timer to the next: no turn is longer than the greatest. */
  readonly turns: RecordableHistogram;
  /** Leaves out what was done since the last firing. */
  skip(): void;
}

/** Begins to measure the thread that calls this. */
export function measureTurns(): TurnMeter {
  const turns = createHistogram();
  let since = threadTime();
  const take = (): number => {
    const now = threadTime();
    const spent = now - since;
    since = now;
    return spent;
  };
  setInterval(() => turns.record(Math.max(1, take())), TICK).unref();
  return { turns, skip: take };
}

/** Microseconds. */
function threadTime(): number {
  // Brings the account of this thread up to date, which otherwise lags by a tick of the kernel.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
