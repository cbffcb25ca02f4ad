// Server of the service that tells about itself: turns of its event loop, and its memory after garbage was collected.

import { appendFileSync } from 'node:fs';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Causes } from './causes.ts';
import { LONG_TURN, measureTurns, type Turn } from './turns.ts';

/** One line of the file. */
export interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Bytes. */
  readonly heap: number;
  readonly resident: number;
  /** Microseconds of processor, since the last sample. */
  readonly longestTurn: number;
  readonly turns999: number;
  readonly longestRound: number;
  /** Those of ten milliseconds and more. */
  readonly longTurns: readonly Turn[];
  /** Milliseconds by the clock of the longest collection of garbage, those for a sample left out. */
  readonly longestCollection: number;
}

/** Milliseconds. */
const RELEASE = 500;
/** Microseconds: what longer turns did is looked for. */
const LONG = 4_000;

const FORCED = constants.NODE_PERFORMANCE_GC_FLAGS_FORCED;

type GarbageEntry = PerformanceEntry & { readonly detail: { readonly flags: number } };

if (import.meta.main) {
  const { REPORT_FILE = '', REPORT_SECONDS = '60', CAUSES_FILE = '' } = process.env;
  const causes = CAUSES_FILE === '' ? null : new Causes(CAUSES_FILE);
  let longTurns: Turn[] = [];
  const note = (turn: Turn): void => {
    causes?.note(turn);
    if (turn.spent >= LONG_TURN) longTurns.push(turn);
  };
  const { turns, rounds, skip } = measureTurns(note, LONG);
  let longestCollection = 0;
  new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as GarbageEntry[])
      if ((detail.flags & FORCED) === 0) longestCollection = Math.max(longestCollection, duration);
  }).observe({ entryTypes: ['gc'] });
  const sample = async (): Promise<void> => {
    const [longestTurn, turns999, longestRound] = [turns.max, turns.percentile(99.9), rounds.max];
    const measured = { longestTurn, turns999, longestRound, longTurns, longestCollection };
    causes?.tell();
    globalThis.gc?.();
    const { heapUsed: heap } = process.memoryUsage();
    turns.reset();
    rounds.reset();
    longestCollection = 0;
    longTurns = [];
    // This collection is no part of the service.
    skip();
    // Threads give back what they held for the columns that were collected.
    await setTimeout(RELEASE);
    const line: Sample = { at: Date.now(), heap, resident: process.memoryUsage.rss(), ...measured };
    appendFileSync(REPORT_FILE, `${JSON.stringify(line)}\n`);
  };
  setInterval(() => void sample(), Number(REPORT_SECONDS) * 1_000).unref();
  await import('../service.ts');
}
