// Proves what a total tells where a count is in time, late, or given up.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { EVERYTHING } from '../../access/tiers/reach.ts';
import { Problem } from '../../lib/problem.ts';
import { databaseUnavailable } from '../../postgres/client/connection-errors.ts';
import { planSearch, type ResolvedSearch } from '../query/plan.ts';
import { COUNT_DEADLINE, findTotal } from './total.ts';

const search: ResolvedSearch = {
  plan: planSearch('sale', {}, 10, 0, EVERYTHING),
  resolved: { areas: [], areaNos: [], words: new Map() },
};

test('a total is exact by default, as it is for count=exact and count=estimate, and absent for none', async () => {
  const total = (count?: 'exact' | 'estimate' | 'none') =>
    findTotal({ count: async () => 123_456 }, manualClock(), {
      ...search,
      plan: planSearch('sale', count ? { count } : {}, 10, 0, EVERYTHING),
    });
  const exact = { total: { value: 123_456, relation: 'exact' }, note: null };
  assert.deepEqual(await total(), exact);
  assert.deepEqual(await total('exact'), exact);
  assert.deepEqual(await total('estimate'), exact);
  assert.deepEqual(await total('none'), { total: null, note: null });
});

test('a count is waited for until its deadline; then it is stopped, and the answer says why there is no total', async () => {
  const clock = manualClock();
  let stopped = false;
  const backend = {
    count: ({ signal }: ResolvedSearch) =>
      new Promise<number>((_, reject) => {
        signal?.addEventListener('abort', () => {
          stopped = true;
          reject(signal.reason);
        });
      }),
  };
  const told = findTotal(backend, clock, search);
  clock.advance(COUNT_DEADLINE - 1);
  await new Promise(setImmediate);
  assert.equal(stopped, false);
  clock.advance(1);
  const { total, note } = await told;
  assert.equal(total, null);
  assert.match(note ?? '', /longer than a second/);
  assert.equal(stopped, true);
  assert.equal(clock.waiting, 0);
});

test('a count that the queue refuses or the database cannot answer is no total, for the reason that it had', async () => {
  const refused = async (error: Error) => {
    const { total, note } = await findTotal({ count: () => Promise.reject(error) }, manualClock(), search);
    assert.equal(total, null);
    assert.doesNotMatch(note ?? '', /longer than a second/);
    return note ?? '';
  };
  const busy = await refused(new Problem('OVERLOADED', 'Too much.'));
  assert.match(busy, /because too many expensive queries .* a smaller place, .* is counted sooner\.$/);
  for (const error of [databaseUnavailable(new Error('gone')), new Problem('SEARCH_LOADING', 'Wait.')])
    assert.match(
      await refused(error),
      /because the service cannot do that at the moment\. Paging .* again\.$/,
    );
});

test('a fault of the service while it counts is told', async () => {
  const count = () => Promise.reject(new Error('a fault'));
  await assert.rejects(findTotal({ count }, manualClock(), search), /a fault/);
});
