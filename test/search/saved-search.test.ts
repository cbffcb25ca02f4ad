// Proves that a saved search matches the listings that a search finds, and honours or refuses every parameter.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import { asValueSchema } from '../../src/http/input/values.ts';
import { RentalSearchQuery, SaleSearchQuery } from '../../src/search/query/parameters.ts';
import { compilePredicate } from '../../src/search/query/predicate.ts';
import { describeSavedQuery } from '../../src/search/query/saved-query.ts';
import type { Row } from '../support/catalogue/random-market.ts';
import { openSavedSearches, pointer } from '../support/catalogue/saved-searches.ts';
import type { ListingType } from '../support/catalogue/search-client.ts';
import { runs } from '../support/check/runs.ts';
import type { Query } from '../support/oracle/filters.ts';
import { asBody } from '../support/oracle/query-body.ts';
import {
  oracleMatches,
  watchedFilters,
  watchedQueries,
  withoutDurations,
} from '../support/oracle/watched-search.ts';

const { matches, market, indexed, freeze, refusal } = await openSavedSearches({ after }, 400);
const ids = new Map(market.map(({ key, id }) => [key, id]));
const SCHEMAS = { rental: RentalSearchQuery, sale: SaleSearchQuery } as const;
const TYPES: readonly ListingType[] = ['rental', 'sale'];

const bodyOf = (type: ListingType, query: Query) =>
  asBody(
    query.ids === undefined
      ? query
      : {
          ...query,
          ids: query.ids
            .split(',')
            .map((key) => ids.get(key) ?? '')
            .join(),
        },
    SCHEMAS[type],
  );

/** Holds a query to the loop: the predicate, the count, and the pages; gives how many listings match. */
async function prove(listingType: ListingType, query: Query): Promise<number> {
  const { search } = await freeze(listingType, bodyOf(listingType, query));
  const predicate = compilePredicate(search);
  const found = market.filter((row: Row) => {
    const { row: state, words } = indexed.get(row.id) ?? { row: undefined, words: [] };
    assert.ok(state !== undefined);
    const expected = oracleMatches({ listingType, query }, row);
    assert.equal(predicate(state, new Set(words)), expected, JSON.stringify({ query, state, search }));
    return expected;
  });
  assert.equal(await matches.count(search), found.length, JSON.stringify(query));
  return found.length;
}

const PAGE = [
  'sort',
  'limit',
  'cursor',
  'count',
  'includeTotalCount',
  'fields',
  'include',
  'format',
  'facets',
  'priceBucket',
  'stats',
  'cluster',
  'zoom',
  'explain',
];
const DAYS = ['minDaysOnMarket', 'maxDaysOnMarket', 'daysOld'];
const SENT_PAGE: Readonly<Record<string, unknown>> = {
  sort: ['price'],
  limit: 5,
  cursor: 'x',
  count: 'exact',
  includeTotalCount: true,
  fields: ['id'],
  include: ['history'],
  format: 'csv',
  facets: ['city'],
  stats: ['inventory'],
  cluster: false,
  zoom: 3,
  priceBucket: 5,
  explain: false,
  minDaysOnMarket: 1,
  maxDaysOnMarket: 1,
  daysOld: '2:',
};

for (const type of TYPES) {
  test(`every parameter of a search for ${type}s is honoured by a saved search or refused with the remedy`, async () => {
    const described = describeSavedQuery(type, 'Query') as { properties?: Record<string, unknown> };
    for (const [name, schema] of Object.entries(SCHEMAS[type].properties)) {
      if (name === 'units' || name === 'display') continue;
      const names = [name, ...(asValueSchema(schema).aliases ?? [])];
      if ([...PAGE, ...DAYS].includes(name)) {
        assert.ok(!(name in (described.properties ?? {})), name);
        for (const written of names) {
          const { code, errors } = await refusal(type, { minPrice: 1, [written]: SENT_PAGE[name] });
          assert.equal(code, 'INVALID_PARAMETER');
          assert.equal(errors.length, 1);
          assert.equal(errors[0]?.pointer, `${pointer}/${written}`);
          assert.match(errors[0]?.detail ?? '', /remove it|send it to|use listedSince/);
        }
        continue;
      }
      assert.ok(name in (described.properties ?? {}), name);
      const filter = watchedFilters(type).find(({ parameters }) => parameters.includes(name));
      assert.ok(filter !== undefined, `the oracle knows ${name}`);
      const queries = fc.sample(filter.values, { seed: 5, numRuns: 30 }).filter((query) => name in query);
      let found = 0;
      for (const [at, query] of queries.entries())
        if (at < 4 || found === 0) found += await prove(type, { status: 'any', ...withoutDurations(query) });
      assert.ok(found > 0 || name === 'mlsNumber', `${name} found something`);
      const { [name]: value, ...others } = bodyOf(type, withoutDurations(queries[0] ?? {}));
      for (const written of names) {
        const { search } = await freeze(type, { ...others, [written]: value });
        assert.ok(Object.values(search.names).includes(written), `${written} is told as written`);
      }
    }
  });

  test(`any filters of ${type}s together match what a plain loop matches`, async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(watchedQueries(type), fc.constantFrom('imperial', 'metric'), async (query, units) => {
        if ((await prove(type, { ...query, units })) > 0) found += 1;
      }),
      runs(200, 21),
    );
    assert.ok(found > 40, `enough of them find something: ${found}`);
  });
}

test('a search with no condition matches all that is active', async () => {
  assert.ok((await prove('sale', {})) > 10);
  assert.ok((await prove('rental', { display: 'ignore' })) > 10);
});

test('pages of matches hold every match once, and a cursor belongs to its search', async () => {
  const { search } = await freeze('sale', { status: ['any'], minPrice: 100 });
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { hits, page, counted } = await matches.page(search, { limit: 7, cursor, reach: EVERYTHING });
    seen.push(...hits.map(({ listing }) => listing.id));
    assert.deepEqual(counted.total, { value: await matches.count(search), relation: 'exact' });
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const expected = market.filter((row) =>
    oracleMatches({ listingType: 'sale', query: { status: 'any', minPrice: '100' } }, row),
  );
  assert.deepEqual(seen.toSorted(), expected.map(({ id }) => id).toSorted());
  const first = await matches.page(search, { limit: 7, reach: EVERYTHING });
  const { search: other } = await freeze('sale', { status: ['any'], minPrice: 101 });
  await assert.rejects(
    matches.page(other, { limit: 7, cursor: first.page.nextCursor ?? '', reach: EVERYTHING }),
    /INVALID_CURSOR|cursor/,
  );
});
