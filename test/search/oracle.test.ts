// Proves every filter and order of both searches, alone and together, against a plain loop over the same listings.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { SORT_KEYS } from '../../src/listings/common-parameters.ts';
import { RentalSearchQuery, SaleSearchQuery } from '../../src/search/query/parameters.ts';
import { factsArbitrary, NOW, writeAreas, writeMarket } from '../support/catalogue/random-market.ts';
import { idsOf, type ListingType, searchClient, walk, walkBack } from '../support/catalogue/search-client.ts';
import { runs } from '../support/check/runs.ts';
import type { Filter, Query } from '../support/oracle/filters.ts';
import { ALL_SORTS, compareBy, SORTS, sortArbitrary } from '../support/oracle/order.ts';
import { FILTERS, finds } from '../support/oracle/search-oracle.ts';
import { AREA_WORDS, NAMES, namesOf } from '../support/oracle/text.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after }, { clock: manualClock(NOW) });
const ask = searchClient(service);
await writeAreas(service.database);
const [sample = []] = fc.sample(fc.array(factsArbitrary, { minLength: 400, maxLength: 400, size: 'max' }), {
  seed: 7,
  numRuns: 1,
});
const market = await writeMarket(service.database, createCatalogue(service.database), sample);
const ids = new Map(market.map(({ key, id }) => [key, id]));

/** What is not a filter: it shapes the answer. Every search below is asked with some of it; other tests prove the rest. */
const SHAPING = [
  'sort',
  'limit',
  'cursor',
  'count',
  'includeTotalCount',
  'fields',
  'units',
  'display',
  'include',
  'format',
  'facets',
  'priceBucket',
  'stats',
  'cluster',
  'zoom',
  'explain',
];
/** What the engine answers; with every other status PostgreSQL does. */
const ON_MARKET = 'ACTIVE,ACTIVE_UNDER_CONTRACT,COMING_SOON';
const TYPES: readonly ListingType[] = ['rental', 'sale'];
const filtersOf = (type: ListingType): readonly Filter[] =>
  FILTERS.filter((filter) => (type === 'sale' ? !filter.rentalOnly : !filter.saleOnly));

const sent = (query: Query): Query =>
  query.ids === undefined
    ? query
    : {
        ...query,
        ids: query.ids
          .split(',')
          .map((key) => ids.get(key) ?? '')
          .join(),
      };

/** Walks all pages and back, and holds them to the loop; gives how many listings there were. */
async function prove(type: ListingType, query: Query): Promise<number> {
  const expected = market
    .filter((row) => finds(type, query, row, NOW))
    .sort((a, b) => compareBy(query.sort ?? '-listedAt', a, b, NOW, query))
    .map((row) => row.id);
  const asked = sent({ ...query, count: 'exact', fields: 'id' });
  const pages = await walk(ask, type, asked);
  assert.deepEqual(idsOf(pages), expected);
  for (const page of pages) {
    assert.deepEqual(page.total, { value: expected.length, relation: 'exact' });
    assert.equal(page.page.hasMore, page !== pages.at(-1));
  }
  const last = pages.at(-1);
  assert.ok(last !== undefined);
  assert.deepEqual(idsOf([...(await walkBack(ask, type, asked, last)), last]), expected);
  return expected.length;
}

test('the proof knows every parameter and every sort key that the searches take', () => {
  for (const [type, schema] of [['rental', RentalSearchQuery] as const, ['sale', SaleSearchQuery] as const]) {
    const proven = [...filtersOf(type).flatMap((filter) => filter.parameters), ...SHAPING];
    assert.deepEqual(proven.sort(), Object.keys(schema.properties).sort());
  }
  assert.deepEqual(Object.keys(ALL_SORTS).sort(), [...SORT_KEYS].sort());
  const names = market.filter(({ facts }) => facts.displayed).flatMap(({ facts }) => namesOf(facts));
  assert.deepEqual([...new Set([...names, ...AREA_WORDS])].sort(), [...NAMES].sort());
});

const shaping = fc.record(
  {
    limit: fc.constantFrom('19', '60', '500'),
    units: fc.constantFrom('imperial', 'metric'),
    display: fc.constantFrom('ignore'),
    sort: sortArbitrary,
  },
  { requiredKeys: ['limit'] },
);

for (const type of TYPES) {
  test(`each filter of ${type}s alone finds what a plain loop finds`, async () => {
    for (const filter of filtersOf(type)) {
      let found = 0;
      const query = fc.record({
        status: fc.constantFrom({}, { status: 'any' }),
        own: filter.values,
        shaping,
      });
      await fc.assert(
        fc.asyncProperty(query, async ({ status, own, shaping: shaped }) => {
          found += await prove(type, { ...status, ...shaped, limit: '500', ...own });
        }),
        runs(6, 3),
      );
      assert.ok(found > 0, `${filter.parameters.join()} found something`);
    }
  });

  test(`each order of ${type}s, rising and falling, is walked forwards and back as a plain sort gives it`, async () => {
    for (const key of Object.keys(SORTS))
      for (const sort of [key, `-${key}`])
        for (const status of ['any', ON_MARKET]) await prove(type, { status, sort, limit: '29' });
    await prove(type, { limit: '7' });
  });

  test(`any filters of ${type}s in any order give, page by page, what a plain loop gives`, async () => {
    let found = 0;
    const queries = fc
      .subarray(
        filtersOf(type).filter(({ alone }) => !alone),
        { minLength: 1, maxLength: 4 },
      )
      .chain((filters) => fc.tuple(shaping, ...filters.map((filter) => filter.values)))
      .chain((parts) =>
        fc.constantFrom('any', ON_MARKET).map((status): Query => Object.assign({ status }, ...parts)),
      );
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        if ((await prove(type, query)) > 0) found += 1;
      }),
      runs(90, 11),
    );
    assert.ok(found > 20, `enough of them find something: ${found}`);
  });
}

/** By relevance and by time. */
async function proveWords(): Promise<void> {
  for (const q of ['umbra', 'sunny umbra', 'aldren', 'key oak st umbra'])
    for (const sort of ['-relevance', 'relevance,-price', '-listedAt', 'price,relevance'])
      await prove('sale', { q, sort, limit: '6' });
  const narrow = { q: 'umbra', qFields: 'area,description', minBedrooms: '1', sort: '-relevance' };
  await prove('sale', { ...narrow, limit: '2' });
}

test('words are found and ordered as a plain loop and sort give them', proveWords);

test('by distance and by relevance results stand as a plain sort puts them', async () => {
  const near = { lat: '10.43', lng: '20.17', radius: '100km' };
  for (const sort of ['distance', '-distance,price', 'bedrooms,-distance'])
    for (const status of ['any', ON_MARKET])
      assert.ok((await prove('sale', { ...near, status, sort, limit: '7' })) > 20, sort);
  for (const q of ['umbra', 'oak st', 'sunny umbra', 'aldren', 'key'])
    for (const sort of ['-relevance', 'relevance,-price'])
      assert.ok((await prove('sale', { q, status: 'any', sort, limit: '11' })) > 5, `${q} ${sort}`);
});

test('another name of a parameter means the same', async () => {
  const { page } = await ask('sale', { limit: '3' });
  const shaped: Query[] = [
    { limit: '9' },
    { sort: '-price' },
    { cursor: page.nextCursor ?? '' },
    { facets: 'city' },
    { stats: 'inventory' },
    { include: 'history' },
  ];
  for (const [type, schema] of [['rental', RentalSearchQuery] as const, ['sale', SaleSearchQuery] as const]) {
    for (const [name, parameter] of Object.entries(schema.properties)) {
      if (type === 'rental' && name === 'cursor') continue;
      const values = filtersOf(type).find(({ parameters }) => parameters.includes(name))?.values;
      const samples = values ? fc.sample(values, { seed: 5, numRuns: 20 }) : shaped;
      const query = samples.find((each) => name in each) ?? {};
      const { [name]: value = '', ...others } = sent(name === 'cursor' ? query : { status: 'any', ...query });
      for (const alias of (parameter as { aliases?: string[] }).aliases ?? []) {
        const main = await ask(type, { ...others, [name]: value });
        const other = await ask(type, { ...others, [alias]: value });
        assert.deepEqual({ ...other, meta: null }, { ...main, meta: null }, alias);
      }
    }
  }
});

test('a sort may be written with Asc or Desc behind its keys', async () => {
  for (const [sort, written] of [
    ['price', 'priceAsc'],
    ['-price,bedrooms', 'priceDesc,bedroomsAsc'],
  ] as const) {
    const [plain, other] = [
      await ask('sale', { sort, limit: '50' }),
      await ask('sale', { sortBy: written, limit: '50' }),
    ];
    assert.deepEqual(idsOf([other]), idsOf([plain]));
    assert.equal(other.page.nextCursor, plain.page.nextCursor);
  }
});

test('a total is counted exactly or not at all as includeTotalCount says', async () => {
  const exact = await ask('sale', { includeTotalCount: 'true', limit: '3' });
  assert.deepEqual(exact.total, (await ask('sale', { count: 'exact', limit: '3' })).total);
  assert.equal((await ask('sale', { includeTotalCount: 'false', limit: '3' })).total, null);
});
