// Turns of the event loop by processor time: what others do on the machine makes them no longer.

import { createHook } from 'node:async_hooks';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Milliseconds. */
const TICK = 1;

/** Microseconds of processor: longer turns are told one by one. */
export const LONG_TURN = 10_000;

export interface Turn {
  /** Microseconds on the monotonic clock of the system. */
  readonly begun: number;
  readonly ended: number;
  /** Microseconds of processor, and of them those in the kernel, as far as it knows. */
  readonly spent: number;
  readonly system: number;
}

export interface TurnMeter {
  /** Microseconds of processor from one callback of the loop to the next: nobody else has the thread meanwhile. */
  readonly turns: RecordableHistogram;
  /** The same from one firing of a timer to the next: all turns of a round, as many as there is to do. */
  readonly rounds: RecordableHistogram;
  /** Leaves out what the turn that calls this has done. */
  skip(): void;
}

/** Begins to measure the thread that calls this; `note` is called with each turn of so many microseconds or more. */
export function measureTurns(note: (turn: Turn) => void = () => {}, long = 0): TurnMeter {
  const [turns, rounds] = [createHistogram(), createHistogram()];
  let last = { at: now(), ...threadTime() };
  let round = 0;
  const take = (): Turn => {
    const next = { at: now(), ...threadTime() };
    const [spent, system] = [next.spent - last.spent, next.system - last.system];
    const turn = { begun: last.at, ended: next.at, spent, system };
    last = next;
    return turn;
  };
  const before = (): void => {
    const turn = take();
    turns.record(Math.max(1, turn.spent));
    round += turn.spent;
    if (turn.spent >= long) note(turn);
  };
  createHook({ before, trackPromises: false }).enable();
  const end = (): void => {
    rounds.record(Math.max(1, round));
    round = 0;
  };
  setInterval(end, TICK).unref();
  return { turns, rounds, skip: take };
}

const now = (): number => Number(process.hrtime.bigint() / 1_000n);

/** Microseconds. */
function threadTime(): Pick<Turn, 'spent' | 'system'> {
  // Brings the account of this thread up to date, which otherwise lags by a tick of the kernel.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return { spent: user + system, system };
}
