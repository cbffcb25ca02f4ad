// SQL of the log's upkeep: partitions by day, retention, and how large the log is.

import { DAY } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { createDayPartitions, dayOf, dropDayPartitions } from '../postgres/client/day-partitions.ts';

/** Milliseconds. */
const LOG_RETENTION = 30 * DAY;

/** Makes room for the changes of the next days. `now` in milliseconds. */
export function createChangePartitions(database: Database, now: number): Promise<void> {
  return createDayPartitions(database, 'change', now);
}

/** Drops the changes of days that ended more than 30 days ago, and remembers from which sequence on the log is complete. */
export async function dropOldChanges(database: Database, now: number): Promise<void> {
  await dropDayPartitions(database, 'change', dayOf(now - LOG_RETENTION), async (tx, rows) => {
    await tx.unsafe(`update change_log set retained_from = greatest(retained_from, (
      select max(first_sequence + changes) from change_batch where id in (select batch_id from ${rows})))`);
  });
}

const BATCH = 10_000;

/** Deletes the batches before the retention that no listing was last changed by; the newest stays, since it marks where the log ends. */
export async function deleteOldBatches(database: Database, isStopped: () => boolean): Promise<void> {
  for (let after: number | null = 0; after !== null && !isStopped(); ) {
    const from: number = after;
    const [last] = await database.write(
      (sql) => sql<{ sequence: number | null }[]>`
        with batch as (
          select id, first_sequence from change_batch
          where first_sequence > ${from} and first_sequence + changes <= (select retained_from from change_log)
            and first_sequence < (select max(first_sequence) from change_batch)
          order by first_sequence limit ${BATCH}),
        deleted as (
          delete from change_batch using batch where change_batch.id = batch.id
            and not exists (select from listing where change_batch_id = batch.id))
        select max(first_sequence) as sequence from batch`,
    );
    after = last?.sequence ?? null;
  }
}

export interface LogSize {
  /** The sequence of the newest change. */
  readonly head: number;
  readonly retainedFrom: number;
  readonly bytes: number;
}

export async function measureLog(database: Database): Promise<LogSize | undefined> {
  const [size] = await database.read(
    (sql) => sql<LogSize[]>`
      select coalesce((select max(first_sequence + changes) - 1 from change_batch), 0) as head,
        retained_from as "retainedFrom",
        pg_total_relation_size('change_batch') + (
          select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'change'::regclass)::bigint as bytes
      from change_log`,
  );
  return size;
}
