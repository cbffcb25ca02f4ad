// Proof that partitions are made while rows are written, without failing a writer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { createDayPartitions } from '../../src/postgres/client/day-partitions.ts';
import { until } from '../support/check/until.ts';
import { atEnd, testDatabase } from '../support/database/database.ts';

const TODAY = Date.UTC(2026, 0, 10, 12);

test('a row that is written while the rows of its day move to a partition is kept', async (t) => {
  const { database, url } = await testDatabase(t);
  const writers = openDatabase({ url, maxConnections: 2 });
  atEnd(t, () => writers.close(1_000));
  const write = (day: string) => writers.transaction((tx) => tx`insert into reading (day) values (${day})`);
  const waiting = async () => {
    const rows = await database.read(
      (sql) =>
        sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length;
  };
  await database.transaction(async (tx) => {
    await tx`create table reading (day date not null) partition by range (day)`;
    await tx`create table reading_default partition of reading default`;
  });
  await write('2026-01-10');

  // On a busy machine making partitions may give way to the writers; the next round makes them.
  let gaveWay = false;
  let partitions: Promise<void> | undefined;
  let second: Promise<unknown> | undefined;
  await writers.transaction(async (tx) => {
    await tx`insert into reading (day) values ('2026-03-01')`;
    partitions = createDayPartitions(database, 'reading', TODAY).then(() => {
      gaveWay = true;
    });
    await until('the partition waits for the writer', async () => gaveWay || (await waiting()) === 1);
    second = write('2026-01-10');
    await until('the second writer waits', async () => gaveWay || (await waiting()) === 2);
  });
  await Promise.all([partitions, second]);
  await createDayPartitions(database, 'reading', TODAY);

  const rows = await database.read(
    (sql) =>
      sql<{ partition: string }[]>`select tableoid::regclass::text as partition from reading order by day`,
  );
  assert.deepEqual(
    rows.map(({ partition }) => partition),
    ['reading_20260110', 'reading_20260110', 'reading_default'],
  );
});
