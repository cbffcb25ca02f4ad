// Proves that counts of many sets of conditions in one pass are those of a plain loop for each.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEngineBackend } from '../../../src/search/engine/questions/engine-backend.ts';
import type { Condition } from '../../../src/search/query/condition.ts';
import { compileConditions } from '../../../src/search/query/predicate.ts';
import { tableArbitrary } from '../../support/catalogue/engine-tables.ts';
import { CONDITIONS, namesArbitrary, STARTED_AT } from '../../support/catalogue/search-rows.ts';
import { runs } from '../../support/check/runs.ts';
import { planOf } from '../../support/engine/table-questions.ts';

const AREA_NOS = [1, 70_000];
const conditionArbitrary = fc.oneof(...(Object.values(CONDITIONS) as fc.Arbitrary<Condition>[]));
const unasked = () => assert.fail();
/** Sets that share conditions, as those of an explanation do. */
const setsArbitrary = fc
  .array(conditionArbitrary, { minLength: 1, maxLength: 5 })
  .chain((all) => fc.array(fc.subarray(all), { minLength: 1, maxLength: 6 }));

test('rows that meet a set are counted as a plain loop counts them, in the currency and under the display rules of the search', async () => {
  let counted = 0;
  await fc.assert(
    fc.asyncProperty(
      tableArbitrary(120),
      fc.array(fc.tuple(setsArbitrary, fc.boolean(), fc.boolean()), { minLength: 10, maxLength: 10 }),
      namesArbitrary,
      async ({ table, dictionaries, rows }, all, { words }) => {
        const generation = { tables: { sale: table, rental: table }, dictionaries, sequence: 0 };
        const backend = createEngineBackend({
          generation,
          findListings: unasked,
          findMatching: unasked,
          areaIds: unasked,
        });
        for (const [sets, ignoreDisplayRules, inEuros] of all) {
          const currency: Condition = { kind: 'words', column: 'currency', values: ['EUR'] };
          const always = inEuros ? [currency] : [];
          const plan = planOf({ conditions: always, ignoreDisplayRules });
          const resolved = { areas: [], areaNos: AREA_NOS, words: new Map(Object.entries(words)) };
          const found = await backend.countEach({ plan, resolved }, sets);
          const expected = sets.map((set) => {
            const context = { areaNos: AREA_NOS, words, startedAt: STARTED_AT };
            const meets = compileConditions([...set, ...always], context);
            return rows.filter(
              ({ row, tokens }) => (row.displayed || ignoreDisplayRules) && meets(row, new Set(tokens)),
            ).length;
          });
          assert.deepEqual(found, expected);
          counted += expected.reduce((sum, count) => sum + count, 0);
        }
      },
    ),
    { ...runs(20, 24), endOnFailure: true },
  );
  assert.ok(counted > 1_000, `they count something: ${counted}`);
});
