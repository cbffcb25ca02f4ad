// Proof that the log makes room ahead, refuses no day, and forgets what is older than its retention, knowing what it forgot.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  appendPrivateEntries,
  headSequence,
  readChanges,
  retainedFrom,
} from '../../src/changes/change-store.ts';
import { createFollower, LogGap } from '../../src/changes/follower.ts';
import {
  createChangePartitions,
  deleteOldBatches,
  dropOldChanges,
  measureLog,
} from '../../src/changes/retention-store.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';

const DAY = 86_400_000;
const TODAY = Date.UTC(2026, 0, 10, 12);

async function append(database: Database, at: number, text: string): Promise<void> {
  await database.transaction((tx) =>
    appendPrivateEntries(tx, [{ watcherId: text, action: 'test', data: null }], at),
  );
}

async function partitions(database: Database): Promise<Record<string, string>> {
  const rows = await database.read(
    (sql) => sql<{ watcher: string; partition: string }[]>`
      select watcher_id as watcher, tableoid::regclass::text as partition from change`,
  );
  return Object.fromEntries(rows.map(({ watcher, partition }) => [watcher, partition]));
}

async function batches(database: Database): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`select count(*)::int as count from change_batch`,
  );
  return row?.count ?? 0;
}

async function filled(t: TestContext): Promise<Database> {
  const { database } = await testDatabase(t);
  await append(database, TODAY, 'before any partition');
  await createChangePartitions(database, TODAY);
  await append(database, TODAY, 'today');
  await append(database, TODAY + DAY, 'tomorrow');
  await append(database, TODAY + 9 * DAY, 'some day');
  return database;
}

test('each day has a partition made ahead, a day that began without gets one with its rows, and days that have none are kept all the same', async (t) => {
  const database = await filled(t);
  assert.deepEqual(await partitions(database), {
    'before any partition': 'change_20260110',
    today: 'change_20260110',
    tomorrow: 'change_20260111',
    'some day': 'change_default',
  });
  assert.equal((await database.read((sql) => readChanges(sql, 0, 10))).length, 4);
});

test('days that went by without partitions get theirs once somebody makes them, and nothing is in the default one', async (t) => {
  const { database } = await testDatabase(t);
  for (const day of [0, 1, 2]) await append(database, TODAY + day * DAY, `day ${day}`);
  await createChangePartitions(database, TODAY + 2 * DAY);
  assert.deepEqual(await partitions(database), {
    'day 0': 'change_20260110',
    'day 1': 'change_20260111',
    'day 2': 'change_20260112',
  });
  assert.equal((await database.read((sql) => readChanges(sql, 0, 10))).length, 3);
  const [index] = await database.read(
    (sql) => sql`select count(*)::int as count from pg_index where indrelid = 'change_20260110'::regclass`,
  );
  const [other] = await database.read(
    (sql) => sql`select count(*)::int as count from pg_index where indrelid = 'change_20260113'::regclass`,
  );
  assert.equal(index?.count, other?.count);
  await dropOldChanges(database, TODAY + 31 * DAY);
  assert.deepEqual(Object.keys(await partitions(database)), ['day 1', 'day 2']);
});

test('past the retention a day is dropped whole, wherever it was, and the log knows from where on it is complete', async (t) => {
  const database = await filled(t);
  await dropOldChanges(database, TODAY + 30 * DAY);
  assert.equal(await database.read(retainedFrom), 1);
  await dropOldChanges(database, TODAY + 31 * DAY);
  assert.deepEqual(Object.keys(await partitions(database)), ['tomorrow', 'some day']);
  assert.equal(await database.read(retainedFrom), 3);
  await dropOldChanges(database, TODAY + 32 * DAY);
  assert.deepEqual(Object.keys(await partitions(database)), ['some day']);
  assert.equal(await database.read(retainedFrom), 4);
  assert.equal(await batches(database), 4);
  await deleteOldBatches(database, () => false);
  assert.equal(await batches(database), 1);
  const size = await measureLog(database);
  assert.deepEqual([size?.head, size?.retainedFrom], [4, 4]);
  assert.ok((size?.bytes ?? 0) > 8_192);
});

test('a log whose last entry is older than the retention still ends there, and goes on from there', async (t) => {
  const database = await filled(t);
  await dropOldChanges(database, TODAY + 60 * DAY);
  for (let round = 0; round < 2; round++) await deleteOldBatches(database, () => false);
  assert.deepEqual(await database.read((sql) => readChanges(sql, 0, 10)), []);
  assert.deepEqual([await database.read(headSequence), await database.read(retainedFrom)], [4, 5]);
  assert.equal(await batches(database), 1);
  await append(database, TODAY + 60 * DAY, 'after the silence');
  const [next] = await database.read((sql) => readChanges(sql, 4, 10));
  assert.equal(next?.sequence, 5);
  await deleteOldBatches(database, () => false);
  assert.equal(await batches(database), 1);
});

test('a follower that was away for longer than the retention reports it, and goes on with what there is', async (t) => {
  const database = await filled(t);
  await dropOldChanges(database, TODAY + 32 * DAY);
  const reported: unknown[] = [];
  const stopping = new AbortController();
  const report = (error: unknown) => reported.push(error);
  const follower = createFollower(database, { from: 1, report });
  for await (const batch of follower.entries(stopping.signal)) {
    assert.deepEqual(
      batch.map(({ sequence }) => sequence),
      [4],
    );
    stopping.abort();
  }
  assert.match(String(reported[0]), /begins at 4: changes since 2 were dropped/);
});

test('a follower that keeps a copy ends where entries are missing, even before others come, or where the log was put back', async (t) => {
  const database = await filled(t);
  const { signal } = new AbortController();
  const follow = async (from: number) => {
    const follower = createFollower(database, { from, report: assert.ifError, endsAtGap: true });
    for await (const batch of follower.entries(signal)) return batch.map(({ sequence }) => sequence);
    return [];
  };
  assert.deepEqual(await follow(3), [4]);
  await assert.rejects(follow(5), (error) => error instanceof LogGap && /ends at 4/.test(error.message));
  await dropOldChanges(database, TODAY + 32 * DAY);
  assert.deepEqual(await follow(3), [4]);
  await assert.rejects(follow(2), (error) => error instanceof LogGap && /begins at 4/.test(error.message));
  await dropOldChanges(database, TODAY + 60 * DAY);
  await assert.rejects(follow(3), (error) => error instanceof LogGap && /begins at 5/.test(error.message));
});

test('a follower knows up to when nothing is missing, and that grows only while the log can be read', async (t) => {
  const { database } = await testDatabase(t);
  const clock = manualClock();
  let isAway = false;
  let failures = 0;
  const read: Database['read'] = async (work, options) => {
    if (!isAway) return database.read(work, options);
    failures++;
    throw new Error('away');
  };
  const stopping = new AbortController();
  const follower = createFollower({ ...database, clock, read }, { from: 0, report: () => {} });
  const reading = (async () => {
    for await (const _ of follower.entries(stopping.signal));
  })();
  // Time passes as it does, whether a reading or a pause is under way.
  const afterTime = (isSo: () => boolean) => () => {
    clock.advance(100);
    return isSo();
  };
  await until('the log was read', () => follower.completeAt !== null);
  const first = follower.completeAt ?? 0;
  await until(
    'it was read again',
    afterTime(() => (follower.completeAt ?? 0) > first),
  );
  isAway = true;
  await until(
    'a reading failed, and those before it have ended',
    afterTime(() => failures >= 1),
  );
  const last = follower.completeAt ?? 0;
  await append(database, TODAY, 'unread');
  await until(
    'readings failed',
    afterTime(() => failures >= 5),
  );
  assert.deepEqual([follower.completeAt, follower.position], [last, 0]);
  isAway = false;
  await until(
    'it was read when the database was back',
    afterTime(() => follower.position === 1),
  );
  assert.ok((follower.completeAt ?? 0) > last);
  stopping.abort();
  await reading;
});
