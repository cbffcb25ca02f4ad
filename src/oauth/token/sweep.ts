// Sweeper: deletes what has expired every few minutes, in small batches, while the service runs.

import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { SWEEPS, type Sweep } from './sweep-store.ts';

/** Milliseconds between the end of one round and the next. */
const PAUSE = 300_000;
const BATCH = 1_000;
/** Batches of one table in a round: what is left over waits for the next, and requests come in between. */
const MAX_BATCHES = 100;

interface Sweeping {
  readonly database: Database;
  readonly clock: Clock;
}

export interface Sweeper {
  /** Ends after the batch that is under way. */
  stop(): Promise<void>;
}

/** Sweeps now, and then again and again. `report` is told of rounds that failed. */
export function startSweeper(parts: Sweeping & { readonly report: (error: unknown) => void }): Sweeper {
  let stopped = false;
  let cancel = (): void => {};
  let round = Promise.resolve();
  function start(): void {
    round = sweepAll(parts, () => stopped)
      .catch(parts.report)
      .then(() => {
        if (!stopped) cancel = parts.clock.after(PAUSE, start);
      });
  }
  start();
  return {
    async stop() {
      stopped = true;
      cancel();
      await round;
    },
  };
}

/** One round over all tables. */
export async function sweepAll(parts: Sweeping, isStopped: () => boolean = () => false): Promise<void> {
  for (const sweep of SWEEPS) await sweepTable(parts, sweep, isStopped);
}

async function sweepTable(
  { database, clock }: Sweeping,
  sweep: Sweep,
  isStopped: () => boolean,
): Promise<void> {
  const now = new Date(clock.now());
  for (let batch = 0; batch < MAX_BATCHES && !isStopped(); batch++) {
    if ((await database.write((sql) => sweep(sql, now, BATCH))) < BATCH) return;
  }
}
