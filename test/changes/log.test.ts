// Proves that what a transaction appends to the log of changes is read in the order of commits.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isListingChange } from '../../src/changes/change.ts';
import {
  appendChanges,
  appendPrivateEntries,
  headSequence,
  readChanges,
} from '../../src/changes/change-store.ts';
import { createFollower } from '../../src/changes/follower.ts';
import { DAY } from '../../src/lib/clock.ts';
import { createDayPartitions } from '../../src/postgres/client/day-partitions.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });
const NOW = Date.UTC(2026, 0, 10);

const change = (listingId: string, price: number) => ({
  kind: 'updated' as const,
  listingId,
  propertyId: `prp_${listingId}`,
  changed: ['price'],
  after: { row: { price } },
  before: { row: { price: 1 } },
});

test('changes and private entries are read in the order in which their transactions were committed', async () => {
  const late = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const slow = database.transaction(async (tx) => {
    await appendChanges(tx, [change('a', 2), change('b', 3)], NOW, false);
    open.resolve();
    await late.promise;
    await appendPrivateEntries(tx, [{ watcherId: 'wat_1', action: 'created', data: { no: 7 } }], NOW);
  });
  await open.promise;
  await database.transaction((tx) => appendChanges(tx, [change('c', 4)], NOW, true));
  late.resolve();
  await slow;
  const entries = await database.read((sql) => readChanges(sql, 0, 10));
  assert.deepEqual(entries, [
    { sequence: 1, at: NOW, ...change('c', 4), quiet: true, wordsBefore: null },
    { sequence: 2, at: NOW, ...change('a', 2), quiet: false, wordsBefore: null },
    { sequence: 3, at: NOW, ...change('b', 3), quiet: false, wordsBefore: null },
    { sequence: 4, at: NOW, kind: 'watcher', watcherId: 'wat_1', action: 'created', data: { no: 7 } },
  ]);
  assert.equal(await database.read(headSequence), 4);
  for (const from of [0, 1, 2, 3, 4]) {
    const rest = await database.read((sql) => readChanges(sql, from, 2));
    assert.deepEqual(rest, entries.slice(from, from + 2), `after ${from}`);
  }
});

test('reading some entries reads those and no others, however long the log is', async (t) => {
  const { database: own } = await testDatabase(t);
  await createDayPartitions(own, 'change', NOW);
  const many = Array.from({ length: 50 }, (_, at) => change(`l${at}`, at));
  for (let batch = 0; batch < 300; batch++)
    await own.transaction((tx) => appendChanges(tx, many, NOW + Math.floor(batch / 200) * DAY, false));
  // As the server itself does, which knows nothing of a partitioned table as a whole.
  for (const table of ['change_batch', 'change_20260110', 'change_20260111'])
    await own.write((sql) => sql`analyze ${sql(table)}`);
  /** Rows of the log that were read in all, by the statistics of the server. */
  const rowsRead = async (): Promise<number> => {
    const [row] = await own.read(
      (sql) => sql<{ count: number }[]>`
        select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int as count from pg_stat_user_tables
        where relname like 'change%'`,
    );
    return row?.count ?? 0;
  };
  for (const planned of ['once', 'each'] as const) {
    const before = await rowsRead();
    const entries = await own.read(
      async (sql) => {
        const found = await readChanges(sql, 1_020, 100);
        await sql`select pg_stat_force_next_flush()`;
        return found;
      },
      { planned },
    );
    assert.deepEqual([entries.length, entries[0]?.sequence, entries.at(-1)?.sequence], [100, 1_021, 1_120]);
    await until('the statistics are there', async () => (await rowsRead()) > before);
    const read = (await rowsRead()) - before;
    assert.ok(read < 500, `${read} rows were read, planned ${planned}`);
  }
});

test('a log that was put back and went on is noticed by its last entry, though no number is missing', async (t) => {
  const { database: own } = await testDatabase(t);
  const append = (listingId: string, at: number) =>
    own.transaction((tx) => appendChanges(tx, [change(listingId, 1)], at, false));
  await append('a', NOW);
  const ends = new AbortController();
  const follower = createFollower(own, { from: 0, report: assert.ifError, endsAtGap: true });
  const read: (string | undefined)[] = [];
  const following = (async () => {
    for await (const batch of follower.entries(ends.signal))
      for (const entry of batch) read.push(isListingChange(entry) ? entry.listingId : undefined);
  })();
  following.catch(() => {}); // Awaited below.
  await until('the first is read', () => follower.completeAt !== null);
  // As after a failover that lost it: its number is given again, and more follow.
  await own.transaction(async (tx) => {
    await tx`update change set listing_id = 'b', at = ${new Date(NOW + 1)}`;
    await appendChanges(tx, [change('c', 1)], NOW + 2, false);
  });
  await assert.rejects(following, { name: 'LogGap', message: /another entry 1 / });
  assert.deepEqual(read, ['a']);
});

test('a follower whose reader breaks off in a batch has not passed it, and another one goes on there', async () => {
  const head = await database.read(headSequence);
  for (let at = 0; at < 5; at++)
    await database.transaction((tx) => appendChanges(tx, [change('d', at)], NOW, false));
  const { signal } = new AbortController();
  const follow = (from: number) => createFollower(database, { from, report: assert.ifError, batchSize: 2 });
  const follower = follow(head);
  const batches: number[][] = [];
  for await (const batch of follower.entries(signal)) {
    batches.push(batch.map(({ sequence }) => sequence - head));
    if (batches.length === 2) break;
  }
  assert.deepEqual(batches, [
    [1, 2],
    [3, 4],
  ]);
  assert.equal(follower.position, head + 2);
  for await (const [first] of follow(follower.position).entries(signal)) {
    assert.equal(first?.sequence, head + 3);
    break;
  }
});
