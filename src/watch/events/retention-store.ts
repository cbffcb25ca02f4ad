// SQL that keeps the event log for 30 days: partitions made ahead, and dropped with what can no longer be read.

import { DAY, HOUR } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { createDayPartitions, dayOf, dropDayPartitions } from '../../postgres/client/day-partitions.ts';

/** Milliseconds. */
const EVENT_RETENTION = 30 * DAY;
const PARTITIONED = ['watch_event', 'watch_event_content', 'webhook_delivery'] as const;

/** Makes room for the events of the next days. `now` in milliseconds. */
export async function createEventPartitions(database: Database, now: number): Promise<void> {
  for (const table of PARTITIONED) await createDayPartitions(database, table, now);
}

/** Drops the events of days that ended more than 30 days ago, and remembers up to which sequence events may be missing. */
export async function dropOldEvents(database: Database, now: number): Promise<void> {
  const oldest = dayOf(now - EVENT_RETENTION);
  await dropDayPartitions(database, 'watch_event', oldest, async (tx, rows) => {
    await tx.unsafe(`update watch_event_retention
      set dropped_through = greatest(dropped_through, (select max(sequence) from ${rows}))`);
  });
  await dropDayPartitions(database, 'watch_event_content', oldest);
  await dropDayPartitions(database, 'webhook_delivery', oldest);
  const hour = new Date(now - EVENT_RETENTION - HOUR);
  await database.write((sql) => sql`delete from watch_hour where hour < ${hour}`);
}
