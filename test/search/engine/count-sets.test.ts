// Proves that counts of many sets of conditions in one pass are those of a plain loop for each, and that they come in turns.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEngineBackend } from '../../../src/search/engine/questions/engine-backend.ts';
import { Pace } from '../../../src/search/engine/questions/pace.ts';
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

test('a question that was costly waits for a place, goes on in its turns, and ends with the signal of its place', async () => {
  const events: string[] = [];
  const late = new AbortController();
  const pace = new Pace({
    limits: { turn: 1_000, free: 2_000 },
    async enter() {
      events.push('entered');
      return {
        signal: late.signal,
        turn: async () => void events.push('turn'),
        leave: () => void events.push('left'),
      };
    },
  });
  function* steps(): Generator<number, string> {
    for (let at = 0; at < 4; at++) {
      events.push(`step ${at}`);
      yield 600_000;
    }
    return 'done';
  }
  assert.equal(pace.spend(999), false);
  assert.equal(pace.spend(1), true);
  await pace.pause();
  assert.deepEqual(events, [], 'it was free so far');
  assert.equal(await pace.run(steps()), 'done');
  assert.deepEqual(events, [
    'step 0',
    'entered',
    'turn',
    'step 1',
    'turn',
    'step 2',
    'turn',
    'step 3',
    'turn',
  ]);
  late.abort(new Error('late'));
  await assert.rejects(pace.pause(), /late/);
  pace.end();
  pace.end();
  assert.equal(events.filter((each) => each === 'left').length, 1);
});
