// Upkeep of the log of changes: partitions made ahead, old days dropped, and its size measured, while the service runs.

import { type Clock, MINUTE } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import { type PeriodicWork, startPeriodicWork } from '../lib/periodic-work.ts';
import type { Database } from '../postgres/client/database.ts';
import {
  createChangePartitions,
  deleteOldBatches,
  dropOldChanges,
  type LogSize,
  measureLog,
} from './retention-store.ts';

export interface ChangeUpkeepOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly report: (error: unknown) => void;
}

/** The log is measured in every round; partitions and old batches are looked for once in so many rounds. */
const PARTITION_ROUNDS = 10;
const BATCH_ROUNDS = 1_440;

export function startChangeUpkeep({ database, clock, metrics, report }: ChangeUpkeepOptions): PeriodicWork {
  let rounds = 0;
  let size: LogSize | undefined;
  metrics.gauge('freehold_change_log_sequence', 'Sequence of the newest change.', () => size?.head ?? 0);
  metrics.gauge(
    'freehold_change_log_retained_from',
    'First sequence from which on the log is complete.',
    () => size?.retainedFrom ?? 0,
  );
  metrics.gauge('freehold_change_log_bytes', 'Bytes of the log of changes on disk.', () => size?.bytes ?? 0);

  return startPeriodicWork({
    clock,
    report,
    pause: MINUTE,
    async work(isStopped) {
      const round = rounds++;
      size = await measureLog(database);
      if (round % PARTITION_ROUNDS === 0) {
        await createChangePartitions(database, clock.now());
        await dropOldChanges(database, clock.now());
      }
      if (round % BATCH_ROUNDS === 0) await deleteOldBatches(database, isStopped);
    },
  });
}
