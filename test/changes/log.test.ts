// Proves that what a transaction appends to the log of changes is read in the order of commits.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  appendChanges,
  appendPrivateEntries,
  headSequence,
  readChanges,
} from '../../src/changes/change-store.ts';
import { createFollower } from '../../src/changes/follower.ts';
import { testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });
const NOW = Date.UTC(2026, 0, 10);

const change = (listingId: string, price: number) => ({
  ...{ kind: 'updated' as const, listingId, propertyId: `prp_${listingId}`, changed: ['price'] },
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
