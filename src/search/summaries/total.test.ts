// Proves what a total tells where a count is not in time, goes beyond its bound, or fails.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { databaseUnavailable } from '../../postgres/client/connection-errors.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { createTotals, MAX_COUNTED } from './total.ts';

const search = { plan: { count: 'estimate' } } as ResolvedSearch;

const finder = (counts: {
  upTo: () => Promise<number>;
  roughly?: number;
}): Parameters<typeof createTotals>[0] => ({
  countExactly: async () => ({ count: 123_456 }),
  countUpTo: async () => ({ count: await counts.upTo() }),
  countRoughly: async () => ({ count: counts.roughly ?? 0 }),
});

const totalOf = (counts: Parameters<typeof finder>[0], clock = manualClock(), page?: Promise<unknown>) =>
  createTotals(finder(counts), clock)(search, page);

test('up to the bound a total is exact', async () => {
  const total = await totalOf({ upTo: async () => MAX_COUNTED, roughly: 34 });
  assert.deepEqual(total, { value: MAX_COUNTED, relation: 'exact' });
});

test('above the bound it is an estimate that is never below what was counted', async () => {
  const upTo = async () => MAX_COUNTED + 1;
  assert.deepEqual(await totalOf({ upTo, roughly: 34 }), { value: MAX_COUNTED + 1, relation: 'estimate' });
  assert.deepEqual(await totalOf({ upTo, roughly: 50_000 }), { value: 50_000, relation: 'estimate' });
});

test('a count that takes longer than 30 ms, and longer than the page, is not waited for', async () => {
  const clock = manualClock();
  const page = Promise.withResolvers<void>();
  const upTo = Promise.withResolvers<number>();
  let total: unknown = null;
  const told = totalOf({ upTo: () => upTo.promise, roughly: 700 }, clock, page.promise);
  void told.then((value) => {
    total = value;
  });
  clock.advance(30);
  await new Promise(setImmediate);
  assert.equal(total, null, 'the page is not there, so a count costs nobody time');
  page.resolve();
  assert.deepEqual(await told, { value: 700, relation: 'estimate' });
  upTo.reject(new Error('nobody waits for it'));
  assert.equal(clock.waiting, 0);
});

test('a page that is there sooner waits for its count up to 30 ms', async () => {
  const clock = manualClock();
  const upTo = Promise.withResolvers<number>();
  const told = totalOf({ upTo: () => upTo.promise, roughly: 700 }, clock, Promise.resolve());
  clock.advance(29);
  await new Promise(setImmediate);
  upTo.resolve(701);
  assert.deepEqual(await told, { value: 701, relation: 'exact' });
  assert.equal(clock.waiting, 0);
});

test('a count that the database gives up is replaced by an estimate, and a wrong statement is not', async () => {
  const refused = { upTo: () => Promise.reject(databaseUnavailable(new Error('slow'))), roughly: 700 };
  assert.deepEqual(await totalOf(refused), { value: 700, relation: 'estimate' });
  await assert.rejects(totalOf({ upTo: () => Promise.reject(new Error('a fault')) }), /a fault/);
});
