// Proves that a page is the same by whichever way its listings are found: how many there are decides only how fast.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { findNamedAreas } from '../../src/areas/name-store.ts';
import type { Cursor } from '../../src/http/input/cursor.ts';
import { compileQuery } from '../../src/http/input/query.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { resolveQuery } from '../../src/search/http/resolve-query.ts';
import { createCrowd } from '../../src/search/legacy/crowd.ts';
import { countExactly, countRoughly, findPage } from '../../src/search/legacy/search-store.ts';
import { isShape } from '../../src/search/query/condition.ts';
import { SaleSearchQuery, type SearchQuery } from '../../src/search/query/parameters.ts';
import {
  planSearch,
  type ResolvedQuery,
  type SearchPlan,
  type ShapeEstimate,
} from '../../src/search/query/plan.ts';
import type { Shape } from '../../src/search/query/shapes.ts';
import { factsArbitrary, NOW, writeAreas, writeMarket } from '../support/catalogue/random-market.ts';
import { runs } from '../support/check/runs.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import type { Query } from '../support/oracle/filters.ts';
import { FILTERS } from '../support/oracle/search-oracle.ts';
import { manualClock } from '../support/service/clock.ts';

const { database } = await testDatabase({ after });
await writeAreas(database);
const [facts = []] = fc.sample(fc.array(factsArbitrary, { minLength: 300, maxLength: 300, size: 'max' }), {
  ...{ seed: 29, numRuns: 1 },
});
await writeMarket(database, createCatalogue(database), facts);

const readQuery = compileQuery(SaleSearchQuery);
const LIMIT = 3;

const planOf = (query: Query): SearchPlan =>
  planSearch('sale', readQuery(new URLSearchParams(query).toString()) as SearchQuery, LIMIT, NOW);

const resolve = (plan: SearchPlan): Promise<ResolvedQuery> =>
  resolveQuery({ database, named: (ids) => findNamedAreas(database, ids) }, plan);

/** What stands on all pages, forwards to the end and back from there: ids with what they were sorted by. */
async function walked(plan: SearchPlan, resolved: ResolvedQuery): Promise<unknown[]> {
  const pages: unknown[] = [];
  let at: SearchPlan = plan;
  for (const direction of ['next', 'previous'] as const) {
    for (let turn = 0; turn < 100; turn++) {
      const { rows, more } = await findPage(database, at, resolved);
      pages.push([direction, more, rows.map(({ listing, values }) => [listing.id, values])]);
      const edge = direction === 'next' ? rows.at(-1) : rows[0];
      if (edge === undefined || !more) break;
      at = { ...plan, cursor: cursorAt(plan, direction, edge) };
    }
    const [last] = (await findPage(database, at, resolved)).rows;
    if (last === undefined) return pages;
    at = { ...plan, cursor: cursorAt(plan, 'previous', last) };
  }
  return pages;
}

const cursorAt = (
  { digest, startedAt }: SearchPlan,
  direction: Cursor['direction'],
  { values, listing }: Pick<Cursor, 'values'> & { readonly listing: { readonly id: string } },
): Cursor => ({ query: digest, direction, startedAt, values, id: listing.id });

const filterOf = (parameter: string): fc.Arbitrary<Query> => {
  const filter = FILTERS.find(({ parameters }) => parameters.includes(parameter));
  if (!filter) throw new Error(`There is no filter with ${parameter}`);
  return filter.values;
};

const more = fc.oneof(fc.constant({}), filterOf('minPrice'), filterOf('minBedrooms'));
const kept = ['listedAt', 'updatedAt', 'price', 'pricePerArea', 'bedrooms', 'yearBuilt', 'daysOnMarket'];
const sort = fc.constantFrom(...kept.flatMap((key) => [key, `-${key}`]));

test('whether many or few lie in a shape decides how they are found, and the page is the same', async () => {
  let pages = 0;
  const shape = fc.oneof(filterOf('bbox'), filterOf('lat'), filterOf('polygon'));
  await fc.assert(
    fc.asyncProperty(shape, more, sort, async (where, rest, by) => {
      const plan = planOf({ ...rest, ...where, sort: by });
      const resolved = await resolve(plan);
      const plain = await walked(plan, { ...resolved, inShape: null });
      assert.deepEqual(await walked(plan, { ...resolved, inShape: CROWDED }), plain);
      assert.deepEqual(await walked(plan, { ...resolved, inShape: SPARSE }), plain);
      pages += plain.length;
    }),
    runs(150, 17),
  );
  assert.ok(pages > 400, `${pages} pages were compared`);
});

test('words that many listings have are looked for in another way, and the page is the same', async () => {
  let pages = 0;
  const by = fc.constantFrom('-listedAt', 'listedAt', '-price', '-relevance', 'relevance');
  await fc.assert(
    fc.asyncProperty(filterOf('q'), more, by, async (words, rest, order) => {
      const plan = planOf({ ...rest, ...words, sort: order });
      const resolved = await resolve(plan);
      const ways: unknown[][] = [];
      for (const size of [10, 10_000, 1_000_000])
        ways.push(await walked(plan, { ...resolved, sizes: sizesOf(size) }));
      assert.deepEqual(ways[1], ways[0]);
      assert.deepEqual(ways[2], ways[0]);
      pages += ways[0]?.length ?? 0;
    }),
    runs(150, 17),
  );
  assert.ok(pages > 350, `${pages} pages were compared`);
});

const CROWDED: ShapeEstimate = { listings: 1_000_000, share: 1 };
const SPARSE: ShapeEstimate = { listings: 10, share: 0.01 };

test('what is taken to lie in a shape is what lies there, where the sample holds all', async () => {
  const crowd = createCrowd(database, manualClock(NOW));
  await until('the sample is drawn', async () => crowd('sale', []) !== null);
  const shape = fc.oneof(filterOf('bbox'), filterOf('lat'), filterOf('polygon'));
  let inside = 0;
  await fc.assert(
    fc.asyncProperty(shape, fc.oneof(fc.constant({}), shape), async (one, other) => {
      const plan = planOf({ ...one, ...other });
      const known = crowd('sale', plan.conditions.filter(isShape));
      const resolved = await resolve(plan);
      const all = await countExactly(database, planOf({}), resolved);
      const exact = await countExactly(database, plan, resolved);
      // A guess need not know on which side of an edge a place lies that is on it.
      const edges = plan.conditions.some(({ kind }) => kind === 'polygon') ? 4 : 0;
      assert.ok(Math.abs((known?.listings ?? -1) - exact) <= edges, `${known?.listings} for ${exact}`);
      assert.equal(known?.share, (known?.listings ?? 0) / all);
      inside += exact;
    }),
    runs(100, 23),
  );
  assert.ok(inside > 500, `${inside} listings were in a shape`);
});

test('in a crowded shape as many are guessed as the rest of the query lets expect', async () => {
  const plan = planOf({ bbox: '-180,-90,180,90' });
  const resolved = await resolve(plan);
  const all = await countRoughly(database, planOf({}), resolved);
  const inShape = { listings: 1_000_000, share: 0.25 };
  assert.equal(await countRoughly(database, plan, { ...resolved, inShape }), Math.round(all / 4));
});

/** As if every query of words were met by so many listings. */
const sizesOf = (size: number): ReadonlyMap<string, number> =>
  new (class extends Map<string, number> {
    override get = (): number => size;
  })();

test('about how many listings lie in boxes is known by a sample, which is drawn anew and by nobody waited for', async () => {
  const clock = manualClock(NOW);
  let draws = 0;
  let away = true;
  const crowd = createCrowd(
    {
      ...database,
      read(work, options) {
        draws += 1;
        return away ? Promise.reject(new Error('The database is away')) : database.read(work, options);
      },
    },
    clock,
  );
  const rows = await database.read(
    (sql) => sql<{ lng: number; lat: number }[]>`
      select location[0] as lng, location[1] as lat from listing_search
      where listing_type = 'sale' and status = 'ACTIVE' and displayed and location is not null`,
  );
  const [west, north] = [rows.map(({ lng }) => lng), rows.map(({ lat }) => lat)].map(
    (all) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0,
  );
  const box = [-180, north ?? 0, west ?? 0, 90] as const;
  const quarter: Shape = { kind: 'boxes', boxes: [box] };
  const inside = rows.filter(({ lng, lat }) => lng <= box[2] && lat >= box[1]).length;
  assert.ok(inside > 0 && inside < rows.length, `${inside} of ${rows.length}`);

  assert.equal(crowd('sale', [quarter]), null);
  await until('the failure is noticed', async () => {
    clock.advance(10_000);
    away = false;
    return crowd('sale', [quarter]) !== null;
  });
  // Of so few rows the sample holds all.
  assert.equal(crowd('sale', [quarter])?.listings, inside);
  const before = draws;
  crowd('sale', [quarter]);
  assert.equal(draws, before);
  clock.advance(600_000);
  assert.equal(crowd('sale', [quarter])?.listings, inside);
  assert.equal(draws, before + 1);
});
