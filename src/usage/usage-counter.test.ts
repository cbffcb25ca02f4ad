// Tests of the counter of use: everything that is added is taken once, and what has no room of its own is summed up.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HOUR } from '../lib/clock.ts';
import { OTHER, UsageCounter, type UsageRow } from './usage-counter.ts';

const added = fc.record({
  at: fc.integer({ min: 0, max: 3 * HOUR }),
  account: fc.constantFrom('sub:a', 'sub:b', 'sub:c', 'anonymous'),
  operation: fc.constantFrom('search', 'export'),
  shown: fc.dictionary(fc.constantFrom('abor', 'crm'), fc.integer({ min: 1, max: 9 })),
  bytes: fc.nat({ max: 1_000 }),
});

const sum = (rows: readonly UsageRow[], value: (row: UsageRow) => number): number =>
  rows.reduce((total, row) => total + value(row), 0);

test('nothing is lost or counted twice, however little room there is, and whatever is taken and put back', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(added, fc.boolean())), fc.integer({ min: 1, max: 6 }), (all, max) => {
      const counter = new UsageCounter(max);
      const taken: UsageRow[] = [];
      for (const [{ at, account, operation, shown, bytes }, isTaken] of all) {
        const key = { account, client: '', tier: 'pro', channel: 'search', operation, status: 2 };
        counter.add(at, key, { requests: 1, bytes, shown: new Map(Object.entries(shown)) });
        if (isTaken) counter.restore(counter.take());
      }
      taken.push(...counter.take());
      assert.deepEqual(counter.take(), []);
      assert.equal(
        sum(taken, ({ requests }) => requests),
        all.length,
      );
      assert.equal(
        sum(taken, ({ bytes }) => bytes),
        all.reduce((total, [{ bytes }]) => total + bytes, 0),
      );
      for (const name of ['abor', 'crm'])
        assert.equal(
          sum(taken, ({ source, listings }) => (source === name ? listings : 0)),
          all.reduce((total, [{ shown }]) => total + (shown[name] ?? 0), 0),
        );
      const own = taken.filter(({ account, source }) => account !== OTHER && source === '');
      assert.ok(own.length <= max, 'and there is no more of it than there may be');
    }),
    { numRuns: 300, seed: 44 },
  );
});
