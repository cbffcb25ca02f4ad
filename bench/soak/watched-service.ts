// Server of the service that tells about itself: turns of its event loop, and its memory after garbage was collected.

import { appendFileSync } from 'node:fs';
import { measureTurns } from './turns.ts';

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
}

if (import.meta.main) {
  const { REPORT_FILE = '', REPORT_SECONDS = '60' } = process.env;
  const { turns, skip } = measureTurns();
  const sample = (): void => {
    const [longestTurn, turns999] = [turns.max, turns.percentile(99.9)];
    globalThis.gc?.();
    const { heapUsed: heap, rss: resident } = process.memoryUsage();
    const line: Sample = { at: Date.now(), heap, resident, longestTurn, turns999 };
    appendFileSync(REPORT_FILE, `${JSON.stringify(line)}\n`);
    turns.reset();
    // This collection is no part of the service.
    skip();
  };
  setInterval(sample, Number(REPORT_SECONDS) * 1_000).unref();
  await import('../service.ts');
}
