// Sweeper: deletes what has expired every few minutes, in small batches, while the service runs.

import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import type { OAuthContext } from '../protocol/context.ts';
import { SWEEPS, type Sweep } from './sweep-store.ts';

/** Milliseconds between the end of one round and the next. */
const PAUSE = 300_000;
const BATCH = 1_000;
/** Batches of one table in a round: the rest waits for the next, and requests come in between. */
const MAX_BATCHES = 100;

type SweepContext = Pick<OAuthContext, 'database' | 'clock'>;

/** Sweeps now, then after each pause; once stopped, it ends after the current batch. */
export function startSweeper(context: SweepContext & Pick<OAuthContext, 'report'>): PeriodicWork {
  const { clock, report } = context;
  return startPeriodicWork({
    clock,
    report,
    pause: PAUSE,
    work: (isStopped) => sweepAll(context, isStopped),
  });
}

/** One round over all tables. */
export async function sweepAll(context: SweepContext, isStopped: () => boolean = () => false): Promise<void> {
  for (const sweep of SWEEPS) await sweepTable(context, sweep, isStopped);
}

async function sweepTable({ database, clock }: SweepContext, sweep: Sweep, isStopped: () => boolean) {
  const now = new Date(clock.now());
  for (let batch = 0; batch < MAX_BATCHES && !isStopped(); batch++) {
    if ((await database.write((sql) => sweep(sql, now, BATCH))) < BATCH) return;
  }
}
