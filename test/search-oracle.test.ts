// Proves every filter and order of both searches, alone and together, against a plain loop over the same listings.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../src/catalogue/catalogue.ts';
import { RentalSearchQuery, SaleSearchQuery, SORT_KEYS } from '../src/catalogue/search-parameters.ts';
import { manualClock } from './support/clock.ts';
import { factsArbitrary, NOW, writeAreas, writeMarket } from './support/market.ts';
import { FILTERS, type Filter, finds, type Query } from './support/oracle.ts';
import { compareBy, SORTS, sortArbitrary } from './support/oracle-order.ts';
import { runs } from './support/runs.ts';
import { asking, idsOf, type ListingType, walk, walkBack } from './support/searching.ts';
import { startService } from './support/service.ts';

const service = await startService({ after }, { clock: manualClock(NOW) });
const ask = asking(service);
await writeAreas(service.database);
const [sample = []] = fc.sample(fc.array(factsArbitrary, { minLength: 400, maxLength: 400, size: 'max' }), {
  ...{ seed: 7, numRuns: 1 },
});
const market = await writeMarket(service.database, createCatalogue(service.database), sample);
const ids = new Map(market.map(({ key, id }) => [key, id]));

/** What is not a filter: it shapes the answer, and every search below is asked with some of it. */
const SHAPING = ['sort', 'limit', 'cursor', 'count', 'fields', 'units', 'display'];
const TYPES: readonly ListingType[] = ['rental', 'sale'];
const filtersOf = (type: ListingType): readonly Filter[] =>
  FILTERS.filter((filter) => type === 'sale' || filter.saleOnly !== true);

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
    .sort((a, b) => compareBy(query.sort ?? '-listedAt', a, b, NOW))
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
  assert.deepEqual(Object.keys(SORTS).sort(), [...SORT_KEYS].sort());
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
    for (const key of Object.keys(SORTS)) {
      for (const sort of [key, `-${key}`]) await prove(type, { status: 'any', sort, limit: '29' });
    }
    await prove(type, { limit: '7' });
  });

  test(`any filters of ${type}s in any order give, page by page, what a plain loop gives`, async () => {
    let found = 0;
    const queries = fc
      .subarray([...filtersOf(type)], { minLength: 1, maxLength: 4 })
      .chain((filters) => fc.tuple(shaping, ...filters.map((filter) => filter.values)))
      .map(([shaped, ...parts]): Query => Object.assign({ status: 'any' }, shaped, ...parts));
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        if ((await prove(type, query)) > 0) found += 1;
      }),
      runs(90, 11),
    );
    assert.ok(found > 20, `enough of them find something: ${found}`);
  });
}

test('another name of a parameter means the same', async () => {
  for (const [name, schema] of Object.entries(SaleSearchQuery.properties)) {
    const filter = FILTERS.find(({ parameters }) => parameters.includes(name));
    const samples = fc.sample(filter?.values ?? fc.constant({ limit: '9' }), { seed: 5, numRuns: 20 });
    for (const alias of (schema as { aliases?: string[] }).aliases ?? []) {
      const query: Query = samples.find((each) => name in each) ?? {};
      const { [name]: value = '', ...others } = sent({ status: 'any', ...query });
      const [main, other] = [
        await ask('sale', { ...others, [name]: value }),
        await ask('sale', { ...others, [alias]: value }),
      ];
      assert.deepEqual([other.data, other.total], [main.data, main.total], alias);
    }
  }
});
