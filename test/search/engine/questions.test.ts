// Proves that the engine answers from its columns what a plain loop over the same rows answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Scheduler } from '../../../src/lib/scheduler.ts';
import { SORT_KEYS, type SortKey } from '../../../src/listings/common-parameters.ts';
import type { SearchRow } from '../../../src/listings/search-row.ts';
import { createEngineBackend } from '../../../src/search/engine/questions/engine-backend.ts';
import { findPage, type PageBounds } from '../../../src/search/engine/questions/page.ts';
import type { Condition } from '../../../src/search/query/condition.ts';
import type { SearchPlan } from '../../../src/search/query/plan.ts';
import { distanceKm } from '../../../src/search/query/shape-predicate.ts';
import {
  placedArbitrary,
  type RandomTable,
  tableArbitrary,
  tableOf,
} from '../../support/catalogue/engine-tables.ts';
import { CONDITIONS, namesArbitrary, STARTED_AT } from '../../support/catalogue/search-rows.ts';
import { runs } from '../../support/check/runs.ts';
import {
  CENTRE,
  expectedIds,
  expectedRows,
  planOf,
  prepare,
  scannedIds,
} from '../../support/engine/table-questions.ts';

const conditionArbitrary = fc.oneof(...(Object.values(CONDITIONS) as fc.Arbitrary<Condition>[]));

for (const [kind, arbitrary] of Object.entries(CONDITIONS)) {
  test(`a filter of the kind ${kind} keeps the rows that its predicate keeps`, async () => {
    let [met, unmet] = [0, 0];
    const conditions = fc.array(arbitrary as fc.Arbitrary<Condition>, { minLength: 20, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(tableArbitrary(120), conditions, namesArbitrary, async (random, all, { words }) => {
        for (const condition of all) {
          const question = { conditions: [condition], words };
          const expected = expectedIds(random, question);
          assert.deepEqual(
            await scannedIds(random, question),
            expected,
            JSON.stringify({ condition, words }),
          );
          met += expected.length;
          unmet += random.rows.length - expected.length;
        }
      }),
      { ...runs(15, 21), endOnFailure: true },
    );
    assert.ok(met > 100 && unmet > 100, `both are common: ${met} met, ${unmet} not met`);
  });
}

const statusesArbitrary = fc.constantFrom<Condition[]>(
  [{ kind: 'statuses', statuses: ['ACTIVE'] }],
  [{ kind: 'statuses', statuses: ['ACTIVE', 'COMING_SOON'] }],
  [{ kind: 'statuses', statuses: ['ACTIVE_UNDER_CONTRACT'] }],
  [],
);

test('conditions together keep the rows that meet all of them and may be shown', async () => {
  let found = 0;
  const conditions = fc
    .tuple(statusesArbitrary, fc.array(conditionArbitrary, { maxLength: 2 }))
    .map(([statuses, others]) => [...statuses, ...others]);
  await fc.assert(
    fc.asyncProperty(
      tableArbitrary(120),
      fc.array(fc.tuple(conditions, fc.boolean()), { minLength: 20, maxLength: 20 }),
      namesArbitrary,
      async (random, all, { words }) => {
        for (const [conditions, ignoreDisplayRules] of all) {
          const question = { conditions, ignoreDisplayRules, words };
          const expected = expectedIds(random, question);
          assert.deepEqual(await scannedIds(random, question), expected);
          found += expected.length;
        }
      },
    ),
    { ...runs(40, 22), endOnFailure: true },
  );
  assert.ok(found > 1_000, `they find something: ${found}`);
});

const sortArbitrary = fc
  .uniqueArray(fc.constantFrom<SortKey>(...SORT_KEYS.filter((key) => key !== 'relevance')), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((keys) =>
    fc.tuple(...keys.map((key) => fc.record({ key: fc.constant(key), descending: fc.boolean() }))),
  );

const NAMES: Readonly<Partial<Record<SortKey, keyof SearchRow>>> = {
  price: 'price',
  pricePerArea: 'price_per_area',
  listedAt: 'listed_at',
  updatedAt: 'updated_at',
  closedAt: 'closed_at',
  bedrooms: 'bedrooms',
  bathrooms: 'bathrooms',
  livingArea: 'living_area',
  yearBuilt: 'year_built',
  priceChangedAt: 'price_changed_at',
};

function valueOfKey(row: SearchRow, key: SortKey): number | null {
  const name = NAMES[key];
  if (name !== undefined) {
    const value = row[name];
    return typeof value === 'string' ? Date.parse(value) : (value as number | null);
  }
  if (key === 'distance') {
    const [, lng, lat] = /^\((.*),(.*)\)$/.exec(row.location ?? '') ?? [];
    return lng === undefined ? null : distanceKm(CENTRE, Number(lng), Number(lat));
  }
  const { days_on_market_start: start, days_on_market_end: end } = row;
  if (start === null) return null;
  const to = end === null ? STARTED_AT : Date.parse(end);
  return Math.max(0, Math.floor((to - Date.parse(start)) / 86_400_000));
}

function compareRows(a: SearchRow, b: SearchRow, order: SearchPlan['order']): number {
  for (const { key, descending } of order) {
    const [one, other] = [valueOfKey(a, key), valueOfKey(b, key)];
    if (one === other) continue;
    if (one === null) return 1;
    if (other === null) return -1;
    if (one !== other) return one < other === descending ? 1 : -1;
  }
  const isDescending = order.at(-1)?.descending === true;
  return a.id < b.id === isDescending ? 1 : -1;
}

const WAYS: readonly (readonly [how: string, count: SearchPlan['count'], bounds: PageBounds])[] = [
  ['ranked while they are counted', 'exact', { ranked: 16_384, walked: 0 }],
  ['along the orders of the segment', 'exact', { ranked: 5, walked: 0 }],
  ['without totals, along the orders of the segment', 'none', { ranked: 16_384, walked: 16_384 }],
  ['without totals, ranked where few of the next rows pass', 'none', { ranked: 16_384, walked: 64 }],
];

for (const [how, count, bounds] of WAYS) {
  test(`pages ${how} are walked forwards and back in the order that plain sorting gives`, async () => {
    const conditions: Condition[] = [{ kind: 'range', column: 'updatedAt', min: '1969-01-01T00:00:00Z' }];
    await fc.assert(
      fc.asyncProperty(
        tableArbitrary(90),
        fc.array(sortArbitrary, { minLength: 6, maxLength: 6 }),
        async (random, orders) => {
          for (const order of orders) {
            const plan = { ...planOf({ conditions }, order), count };
            const expected = expectedRows(random, { conditions })
              .map(({ row }) => row)
              .sort((a, b) => compareRows(a, b, order))
              .map(({ id }) => id);
            await checkWalk(random, plan, expected, bounds);
          }
        },
      ),
      { ...runs(25, 23), endOnFailure: true },
    );
  });
}

async function checkWalk(
  random: RandomTable,
  plan: SearchPlan,
  expected: readonly string[],
  bounds: PageBounds,
): Promise<void> {
  const search = await prepare(random, plan);
  for (const direction of ['next', 'previous'] as const) {
    const ids: string[] = [];
    let cursor: SearchPlan['cursor'] = null;
    for (;;) {
      const page = await findPage({ ...plan, cursor }, search, plan.limit, bounds);
      if (plan.count === 'exact' || page.total !== null) assert.equal(page.total, expected.length);
      ids.push(...page.found.map(({ id }) => id));
      assert.ok(ids.length <= expected.length, `the walk ends, ${JSON.stringify(plan.order)}`);
      const last = page.found.at(-1);
      if (last === undefined) break;
      cursor = { query: '', direction: 'next', startedAt: STARTED_AT, values: last.values(), id: last.id };
      if (direction === 'previous') break;
    }
    if (direction === 'next') assert.deepEqual(ids, expected, JSON.stringify(plan.order));
    else await checkWayBack(random, plan, expected, bounds);
  }
}

/** From the end: the cursor of the last row leads back over all rows before it. */
async function checkWayBack(
  random: RandomTable,
  plan: SearchPlan,
  expected: readonly string[],
  bounds: PageBounds,
): Promise<void> {
  const search = await prepare(random, plan);
  const all = await findPage(plan, search, expected.length + 1, bounds);
  let last = all.found.at(-1);
  const ids: string[] = [];
  while (last !== undefined) {
    const { id } = last;
    const values = last.values();
    const cursor = { query: '', direction: 'previous' as const, startedAt: STARTED_AT, values, id };
    const page = await findPage({ ...plan, cursor }, search, plan.limit, bounds);
    ids.push(...page.found.map((each) => each.id));
    assert.ok(ids.length < expected.length, `the way back ends, ${JSON.stringify(plan.order)}`);
    last = page.found.at(-1);
  }
  assert.deepEqual(ids.reverse(), expected.slice(0, -1), JSON.stringify(plan.order));
}

/** Homes in so many cities. */
function inCities(homes: number, cities: number) {
  const [like] = fc.sample(placedArbitrary, { numRuns: 1, seed: 1 });
  assert.ok(like);
  const { table, dictionaries, rows } = tableOf(
    Array.from({ length: homes }, (_, at) => ({
      ...like,
      isInTail: at % 10 === 0,
      isGone: false,
      row: { ...like.row, id: `home${at}`, city: `city ${(at * 7_919) % cities}` },
    })),
  );
  return { generation: { tables: { sale: table, rental: table }, dictionaries, sequence: 0 }, rows };
}

const everything = () => ({
  plan: planOf({ conditions: [] }),
  resolved: { areas: [], areaNos: [], words: new Map() },
});

test('of very many values the most frequent come first, and ties in the order of their texts', async () => {
  const { generation, rows } = inCities(3_000, 2_600);
  const others = { findListings: unasked, findMatching: unasked, areaIds: unasked };
  const backend = createEngineBackend({ generation, ...others });
  const { values } = await backend.facets(everything(), ['city'], { max: 500, priceStep: null });
  const counts = Map.groupBy(rows, ({ row }) => row.city);
  const expected = [...counts]
    .map(([value, { length: count }]) => ({ value, count }))
    .sort((one, other) => other.count - one.count || (String(one.value) < String(other.value) ? -1 : 1));
  assert.equal(expected[399]?.count, 2);
  assert.deepEqual(values.get('city'), expected.slice(0, 500));
});

test('facets of many rows and values look at the clock often enough to end each slice in time', async () => {
  const { generation } = inCities(12_000, 12_000);
  let looks = 0;
  const scheduler = new Scheduler({ monotonic: () => ++looks });
  const others = { findListings: unasked, findMatching: unasked, areaIds: unasked };
  const backend = createEngineBackend({
    generation,
    scan: (_search, _after, work) => scheduler.run({}, work),
    ...others,
  });
  const { values } = await backend.facets(everything(), ['city'], { max: 500, priceStep: null });
  assert.equal(values.get('city')?.length, 500);
  // Once for each 1,024 rows and each 512 values.
  assert.ok(looks >= 12 + 23, `${looks} looks`);
});

const unasked = () => assert.fail();
