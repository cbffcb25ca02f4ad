// Proves that blocks of rows are passed over, and taken whole, only where each of their rows would be.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SearchRow } from '../../../src/listings/search-row.ts';
import { BLOCK_ROWS } from '../../../src/search/engine/columns/segment.ts';
import { GROUP_BLOCKS } from '../../../src/search/engine/questions/scan.ts';
import type { Condition } from '../../../src/search/query/condition.ts';
import { placedArbitrary, type RandomTable, tableOf } from '../../support/catalogue/engine-tables.ts';
import { runs } from '../../support/check/runs.ts';
import { expectedIds, scannedIds } from '../../support/engine/table-questions.ts';

/** Several blocks of what is shown, and of what is not. */
const ROWS = 5_200;
/** Degrees between neighbouring places. */
const GRID = 0.25;
const SIDE = 60;

const place = (at: number): readonly [lng: number, lat: number] => [
  20 + GRID * ((at * 37) % SIDE),
  10 + GRID * ((at * 53 + Math.floor(at / SIDE)) % SIDE),
];

/** Rows on a grid, whose numbers grow with their place, so that blocks differ in them and end on what is asked for. */
const tableOfRows = (count: number): RandomTable =>
  tableOf(
    fc.sample(placedArbitrary, { numRuns: 400, seed: 41 }).flatMap(({ row, ...facts }, number, all) =>
      Array.from({ length: count / all.length }, (_, copy) => {
        const at = number + copy * all.length;
        const [lng, lat] = place(at);
        const placed: Partial<SearchRow> = {
          id: `lst_${at}`,
          listing_type: 'sale',
          displayed: at % 17 > 0,
          price: lng * 1_000,
          bedrooms: lat,

          status: at % 11 === 0 ? 'COMING_SOON' : 'ACTIVE',
          area_nos: at % 3 === 0 ? [1, 70_000] : [at % 5],
          location: at % 13 === 0 ? null : `(${lng},${lat})`,
        };
        return { ...facts, isInTail: at % 40 === 0, isGone: at % 23 === 0, row: { ...row, ...placed } };
      }),
    ),
  );
const table = tableOfRows(ROWS);

const steps = fc.nat({ max: SIDE });
const lngOf = (step: number): number => 20 + GRID * step;
const latOf = (step: number): number => 10 + GRID * step;

const boxArbitrary = fc
  .tuple(steps, steps, steps, steps)
  .map(
    ([a, b, c, d]) =>
      [
        lngOf(Math.min(a, b)),
        latOf(Math.min(c, d)),
        lngOf(Math.max(a, b)),
        latOf(Math.max(c, d)),
      ] as unknown as readonly [number, number, number, number],
  );

const ring = (west: number, south: number, east: number, north: number) =>
  [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ].map(([lng = 0, lat = 0]) => ({ lng, lat }));

const conditionArbitrary: fc.Arbitrary<Condition> = fc.oneof(
  boxArbitrary.map((box): Condition => ({ kind: 'boxes', boxes: [box] })),
  // A frame: everything well inside of its hole lies outside.
  boxArbitrary.map(([west, south, east, north]): Condition => {
    const [width, height] = [(east - west) / 4, (north - south) / 4];
    const shell = ring(west, south, east + GRID / 3, north + GRID / 3);
    const hole = ring(west + width, south + height, east - width, north - height).toReversed();
    return {
      kind: 'polygon',
      boxes: [[west, south, east + GRID / 3, north + GRID / 3]],
      parts: [{ shell, holes: width > 0 && height > 0 ? [hole] : [] }],
    };
  }),
  // A triangle, whose edges cross blocks at an angle.
  boxArbitrary.map(
    ([west, south, east, north]): Condition => ({
      kind: 'polygon',
      boxes: [[west, south, east + 1, north + 1]],
      parts: [
        {
          shell: [
            { lng: west, lat: south },
            { lng: east + 1, lat: south },
            { lng: west, lat: north + 1 },
          ],
          holes: [],
        },
      ],
    }),
  ),
  fc.tuple(steps, steps, fc.constantFrom('within', 'below')).map(([a, b, how]): Condition => {
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    const upper =
      how === 'below'
        ? { max: undefined, below: lngOf(high) * 1_000 }
        : { max: lngOf(high) * 1_000, below: undefined };
    return { kind: 'range', column: 'price', min: lngOf(low) * 1_000, ...upper };
  }),
  steps.map(
    (step): Condition => ({
      kind: 'range',
      column: 'bedrooms',
      min: undefined,
      max: latOf(step),
      below: undefined,
    }),
  ),
  steps.map(
    (step): Condition => ({
      kind: 'range',
      column: 'bedrooms',
      min: latOf(step),
      max: undefined,
      below: undefined,
    }),
  ),
  fc
    .uniqueArray(fc.nat({ max: ROWS }), { minLength: 1, maxLength: 60 })
    .map((ids): Condition => ({ kind: 'words', column: 'id', values: ids.map((id) => `lst_${id}`) })),
  fc.constant<Condition>({ kind: 'areas', ids: [] }),
);
const statusesArbitrary = fc.constantFrom<Condition[]>(
  [{ kind: 'statuses', statuses: ['ACTIVE'] }],
  [{ kind: 'statuses', statuses: ['ACTIVE', 'COMING_SOON'] }],
  [{ kind: 'statuses', statuses: ['COMING_SOON'] }],
  [],
);

const WORDS = { oak: { spellings: ['oak'], areaNos: [] } };

async function check(
  conditions: readonly Condition[],
  ignoreDisplayRules = false,
  among = table,
): Promise<number> {
  const question = { conditions, ignoreDisplayRules, words: WORDS };
  const expected = expectedIds(among, question);
  assert.deepEqual(await scannedIds(among, question), expected, JSON.stringify(question));
  return expected.length;
}

test('in a table of many blocks conditions keep the rows that a plain loop keeps', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      statusesArbitrary,
      fc.array(conditionArbitrary, { minLength: 1, maxLength: 2 }),
      fc.boolean(),
      async (statuses, others, ignoreDisplayRules) => {
        found += await check([...statuses, ...others], ignoreDisplayRules);
      },
    ),
    { ...runs(400, 29), endOnFailure: true },
  );
  assert.ok(found > 20_000, `they find something: ${found}`);
});

test('each line of the grid is found where a block begins or ends on it', async () => {
  for (let step = 0; step <= SIDE; step++) {
    const [lng, lat] = [lngOf(step), latOf(step)];
    await check([{ kind: 'boxes', boxes: [[lng, 0, lng, 80]] }]);
    await check([{ kind: 'boxes', boxes: [[0, lat, 80, lat]] }]);
    await check([{ kind: 'range', column: 'price', min: lng * 1_000, max: lng * 1_000, below: undefined }]);
    await check([{ kind: 'range', column: 'bedrooms', min: lat, max: lat, below: undefined }]);
  }
});

test('blocks within a polygon are whole without the rows that have no place, and its holes are not', async () => {
  const shell = ring(0, 0, 80, 80);
  const frames = boxArbitrary.map(([west, south, east, north]): Condition => {
    const hole = ring(west - 0.1, south - 0.1, east + 0.1, north + 0.1).toReversed();
    return { kind: 'polygon', boxes: [[0, 0, 80, 80]], parts: [{ shell, holes: [hole] }] };
  });
  assert.ok(
    (await check([{ kind: 'polygon', boxes: [[0, 0, 80, 80]], parts: [{ shell, holes: [] }] }])) > 3_000,
  );
  await fc.assert(
    fc.asyncProperty(frames, fc.boolean(), async (frame, isHidden) => {
      await check([frame], isHidden);
    }),
    { ...runs(30, 30), endOnFailure: true },
  );
});

test('rows that two lists have are found, whichever list is the shorter, and in whatever order it came', async () => {
  const ids = fc
    .uniqueArray(fc.nat({ max: ROWS }), { minLength: 2, maxLength: 900, size: 'max' })
    .map((list): Condition => ({ kind: 'words', column: 'id', values: list.map((id) => `lst_${id}`) }));
  const texts = fc.constant<Condition>({
    kind: 'text',
    words: ['oak'],
    fields: ['address', 'id', 'area', 'description'],
  });
  const others = fc.oneof(texts, conditionArbitrary);
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(ids, texts), others, async (one, other) => {
      found += await check([one, other], true);
    }),
    { ...runs(120, 31), endOnFailure: true },
  );
  assert.ok(found > 1_000, `they find something: ${found}`);
});

test('ids are found in whatever order they are asked for', async () => {
  const ids = table.rows.map(({ row }) => row.id).reverse();
  const boxes = [[lngOf(8), latOf(8), lngOf(28), latOf(40)]] as const;
  // One of them is asked for twice, and is one listing still.
  const values = [...ids, ...ids.slice(-40)];
  const found = await check([
    { kind: 'words', column: 'id', values },
    { kind: 'boxes', boxes },
  ]);
  assert.ok(found > 100, `they find something: ${found}`);
});

test('among many blocks whole groups of them are passed over, and no other', async () => {
  const many = tableOfRows(4 * GROUP_BLOCKS * BLOCK_ROWS - ((4 * GROUP_BLOCKS * BLOCK_ROWS) % 400));
  const small = fc.tuple(fc.nat({ max: SIDE - 3 }), fc.nat({ max: SIDE - 3 })).map(
    ([lng, lat]): Condition => ({
      kind: 'boxes',
      boxes: [[lngOf(lng), latOf(lat), lngOf(lng + 3), latOf(lat + 3)]],
    }),
  );
  let found = 0;
  await fc.assert(
    fc.asyncProperty(small, fc.option(conditionArbitrary, { nil: null }), async (box, other) => {
      found += await check(other === null ? [box] : [other, box], true, many);
    }),
    { ...runs(25, 37), endOnFailure: true },
  );
  assert.ok(found > 1_000, `they find something: ${found}`);
});
