// Proof of the follower of the log: every entry after where it begins, in order, once, in bounded batches, woken or not.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { appendChanges, appendPrivateEntries, headSequence } from '../../src/changes/change-store.ts';
import { createFollower, type FollowerOptions } from '../../src/changes/follower.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { runs } from '../support/check/runs.ts';
import { until } from '../support/check/until.ts';
import { atEnd, testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';

const NOW = Date.UTC(2026, 0, 10);

/** Commits one transaction with changes of these listings. */
async function append(database: Database, listingIds: readonly string[]): Promise<void> {
  const changes = listingIds.map((listingId) => ({
    kind: 'updated' as const,
    listingId,
    propertyId: 'prp_1',
    changed: ['price'],
    after: { price: 1 },
    before: null,
  }));
  await database.transaction((tx) => appendChanges(tx, changes, NOW, false));
}

/** Follows until the test ends, and keeps each batch as sequences. */
function follow(t: TestContext, database: Database, options: Partial<FollowerOptions> = {}) {
  const batches: number[][] = [];
  const reported: unknown[] = [];
  const stopping = new AbortController();
  const report = (error: unknown) => void reported.push(error);
  const follower = createFollower(database, { from: 0, report, ...options });
  const running = (async () => {
    for await (const batch of follower.entries(stopping.signal)) {
      assert.ok(batch.length > 0, 'a batch has entries');
      batches.push(batch.map(({ sequence }) => sequence));
    }
  })();
  const stop = async () => {
    stopping.abort();
    await running;
  };
  atEnd(t, stop);
  return { follower, batches, reported, stop };
}

const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at + 1);

test('whatever is committed in whatever portions, a follower gets all after where it begins, in order, once, and no batch above its size', async (t) => {
  const { database } = await testDatabase(t);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 7 }),
      fc.nat(20),
      async (portions, batchSize, before) => {
        const start = await database.read(headSequence);
        const from = Math.max(0, start - before);
        for (const size of portions)
          await append(
            database,
            Array.from({ length: size }, (_, at) => `l${at}`),
          );
        const head = start + portions.reduce((sum, size) => sum + size, 0);
        const { signal } = new AbortController();
        const follower = createFollower(database, { from, report: assert.ifError, batchSize });
        const batches: number[][] = [];
        for await (const batch of follower.entries(signal)) {
          batches.push(batch.map(({ sequence }) => sequence));
          if (batch.at(-1)?.sequence === head) break;
        }
        assert.deepEqual(batches.flat(), upTo(from, head));
        for (const [at, { length }] of batches.entries())
          assert.ok(at === batches.length - 1 ? length <= batchSize : length === batchSize, `${length}`);
      },
    ),
    runs(25, 5),
  );
});

test('a follower is woken by each commit, without any time passing, and tells up to where nothing is missing', async (t) => {
  const { database } = await testDatabase(t);
  const clock = manualClock();
  const { follower, batches } = follow(t, { ...database, clock });
  assert.equal(follower.completeAt, null, 'nothing is known before the first look');
  await until('it has looked', () => follower.completeAt !== null);
  for (let commit = 1; commit <= 5; commit++) {
    await append(database, ['a', 'b']);
    await until('the commit is there', () => batches.flat().length === 2 * commit);
  }
  assert.deepEqual(batches.flat(), upTo(0, 10));
  await until('it is done with them', () => follower.position === 10);
  assert.equal(clock.monotonic(), 0);
});

test('a notification that is lost costs a second at most', async (t) => {
  const { database } = await testDatabase(t);
  const clock = manualClock();
  const deaf: Database = {
    ...database,
    clock,
    dedicated: (hooks) => database.dedicated({ ...hooks, onNotification: () => {} }),
  };
  const { follower, batches, reported } = follow(t, deaf);
  await until('it listens', async () => {
    const [session] = await database.read(
      (sql) => sql`
        select from pg_stat_activity
        where datname = current_database() and query ilike 'listen%' and state = 'idle'`,
    );
    return session !== undefined && follower.completeAt !== null;
  });
  // Its timer, and the heartbeat of the listener.
  await until('it waits', () => clock.waiting === 2);
  await append(database, ['a']);
  clock.advance(1_000);
  await until('the change is there', () => batches.length > 0);
  assert.deepEqual([batches, reported], [[[1]], []]);
});

test('a log that cannot be read is reported and read again, and nothing is lost or repeated over it', async (t) => {
  const { database } = await testDatabase(t);
  const clock = manualClock();
  let failures = 3;
  const failing: Database = {
    ...database,
    clock,
    read: (work, options) =>
      failures-- > 0 ? Promise.reject(new Error('The database is down')) : database.read(work, options),
  };
  await append(database, ['a', 'b', 'c']);
  const { follower, batches, reported } = follow(t, failing, { batchSize: 2 });
  for (let failure = 1; failure <= 3; failure++) {
    await until('the failure is reported', () => reported.length === failure);
    await until('it waits', () => clock.waiting > 0);
    clock.advance(250);
  }
  await until('all are there', () => batches.flat().length === 3);
  assert.deepEqual(batches, [[1, 2], [3]]);
  assert.deepEqual(reported.map(String), Array(3).fill('Error: The database is down'));
  await until('it is done with them', () => follower.position === 3);
});

test('private entries come in their place among the changes, and one that begins at the end gets only what follows', async (t) => {
  const { database } = await testDatabase(t);
  await append(database, ['a']);
  await database.transaction(async (tx) => {
    await appendPrivateEntries(tx, [{ watcherId: 'wat_1', action: 'created', data: null }], NOW);
  });
  await append(database, ['b']);
  const all = follow(t, database);
  const late = follow(t, database, { from: 3 });
  await until('the first one has all', () => all.follower.position === 3);
  await append(database, ['c']);
  await until('both have the last', () => all.batches.flat().length === 4 && late.batches.length === 1);
  assert.deepEqual([all.batches.flat(), late.batches], [[1, 2, 3, 4], [[4]]]);
});

test('a follower that is stopped ends at once, and leaves no connection', async (t) => {
  const { database } = await testDatabase(t);
  const open = new Set<object>();
  const counted: Database = {
    ...database,
    dedicated(hooks) {
      const connection = database.dedicated(hooks);
      open.add(connection);
      return {
        ...connection,
        destroy() {
          open.delete(connection);
          connection.destroy();
        },
      };
    },
  };
  const { follower, stop } = follow(t, { ...counted, clock: manualClock() });
  await until('it follows', () => follower.completeAt !== null && open.size === 1);
  await stop();
  assert.equal(open.size, 0);
});
