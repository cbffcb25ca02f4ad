// Proves that a saved search matches the listings that a search finds, and honours or refuses every parameter.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { asValueSchema } from '../../src/http/input/values.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { Problem } from '../../src/lib/problem.ts';
import type { SearchRow } from '../../src/listings/search-row.ts';
import { type FrozenSearch, freezeSearch } from '../../src/search/http/freeze-search.ts';
import { createSavedMatches } from '../../src/search/http/saved-matches.ts';
import { compileMatchedOn, parametersOf } from '../../src/search/query/matched-on.ts';
import { RentalSearchQuery, SaleSearchQuery } from '../../src/search/query/parameters.ts';
import { compilePredicate } from '../../src/search/query/predicate.ts';
import { describeSavedQuery } from '../../src/search/query/saved-query.ts';
import { AnalyticsQueue } from '../../src/search/summaries/analytics-queue.ts';
import { createFindCurrencies } from '../../src/search/summaries/currency-store.ts';
import {
  factsArbitrary,
  NOW,
  type Row,
  writeAreas,
  writeMarket,
} from '../support/catalogue/random-market.ts';
import type { ListingType } from '../support/catalogue/search-client.ts';
import { runs } from '../support/check/runs.ts';
import { testDatabase } from '../support/database/database.ts';
import type { Query } from '../support/oracle/filters.ts';
import { asBody } from '../support/oracle/query-body.ts';
import {
  oracleMatches,
  watchedFilters,
  watchedQueries,
  withoutDurations,
} from '../support/oracle/watched-search.ts';
import { manualClock } from '../support/service/clock.ts';

const { database } = await testDatabase({ after });
const clock = manualClock(NOW);
const findCurrencies = createFindCurrencies(database, { version: () => 0, monotonic: () => 0 });
const matches = createSavedMatches({ database, clock, analytics: new AnalyticsQueue(database, clock) });
const catalogue = createCatalogue(database);
await writeAreas(database);
const [sample = []] = fc.sample(fc.array(factsArbitrary, { minLength: 400, maxLength: 400, size: 'max' }), {
  ...{ seed: 15, numRuns: 1 },
});
const market = await writeMarket(database, catalogue, sample);
const ids = new Map(market.map(({ key, id }) => [key, id]));

interface Indexed {
  readonly row: SearchRow;
  readonly words: readonly string[];
}
const indexed = new Map(
  (
    await database.read(
      (sql) => sql<Indexed[]>`select row_to_json(listing_search) as row, tsvector_to_array(words) as words
        from listing_search join listing_text on id = listing_id`,
    )
  ).map((each) => [each.row.id, each]),
);

const SCHEMAS = { rental: RentalSearchQuery, sale: SaleSearchQuery } as const;
const TYPES: readonly ListingType[] = ['rental', 'sale'];
const pointer = '/target/query';

const freeze = (
  listingType: ListingType,
  query: unknown,
  tier: 'free' | 'internal' = 'internal',
): Promise<FrozenSearch> =>
  freezeSearch({ database, findCurrencies }, { caller: { tier }, listingType, query, pointer, now: NOW });

/** The problem that freezing ends with. */
async function refusal(listingType: ListingType, query: unknown, tier?: 'free'): Promise<Problem> {
  const outcome = await freeze(listingType, query, tier).catch((error: unknown) => error);
  assert.ok(outcome instanceof Problem, JSON.stringify(query));
  return outcome;
}

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
  ...[
    'sort',
    'limit',
    'cursor',
    'count',
    'includeTotalCount',
    'fields',
    'include',
    'format',
    'facets',
    'stats',
  ],
  ...['cluster', 'zoom', 'explain'],
];
const DAYS = ['minDaysOnMarket', 'maxDaysOnMarket', 'daysOld'];
const SENT_PAGE: Readonly<Record<string, unknown>> = {
  ...{ sort: ['price'], limit: 5, cursor: 'x', count: 'exact', includeTotalCount: true, fields: ['id'] },
  ...{ include: ['history'], format: 'csv', facets: ['city'], stats: ['inventory'], cluster: false, zoom: 3 },
  ...{ explain: false, minDaysOnMarket: 1, maxDaysOnMarket: 1, daysOld: '2:' },
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
      for (const query of queries.slice(0, 4))
        found += await prove(type, { status: 'any', ...withoutDurations(query) });
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
    const { hits, page, total } = await matches.page(search, { limit: 7, cursor });
    seen.push(...hits.map(({ listing }) => listing.id));
    assert.deepEqual(total, { value: await matches.count(search), relation: 'exact' });
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const expected = market.filter((row) =>
    oracleMatches({ listingType: 'sale', query: { status: 'any', minPrice: '100' } }, row),
  );
  assert.deepEqual(seen.toSorted(), expected.map(({ id }) => id).toSorted());
  const first = await matches.page(search, { limit: 7 });
  const { search: other } = await freeze('sale', { status: ['any'], minPrice: 101 });
  await assert.rejects(
    matches.page(other, { limit: 7, cursor: first.page.nextCursor ?? '' }),
    /INVALID_CURSOR|cursor/,
  );
});

test('a duration is refused with the moment that it stands for', async () => {
  const moments = Object.entries(SaleSearchQuery.properties)
    .filter(([, schema]) => /duration/.test(asValueSchema(schema).description ?? ''))
    .map(([name]) => name);
  assert.equal(moments.length, 9);
  for (const name of moments) {
    const { errors } = await refusal('sale', { [name]: 'P7D' });
    assert.equal(errors[0]?.pointer, `${pointer}/${name}`);
    assert.equal(errors[0]?.suggestion, new Date(NOW - 7 * 86_400_000).toISOString());
    await freeze('sale', { [name]: errors[0]?.suggestion });
  }
});

test('what is wrong is named as its author wrote it', async () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [{ minbeds: 'two' }, '/minbeds'],
    [{ minbeds: 3, maxbeds: 2 }, '/minbeds'],
    [{ price: '300:200' }, '/price'],
    [{ locationId: ['city-alden'] }, '/locationId'],
    [{ search: '...' }, '/search'],
    [{ minBedroms: 2 }, '/minBedroms'],
    [{ polygon: '0,0;1,1;1,0;0,1' }, '/polygon'],
    [{ lat: 1 }, '/lng'],
    [{ city: 'Aldern' }, '/city'],
    [[], ''],
    ['q', ''],
    [null, ''],
  ];
  for (const [query, member] of cases) {
    const problem = await refusal('sale', query);
    assert.equal(problem.status, 400);
    assert.equal(problem.errors[0]?.pointer, `${pointer}${member}`, JSON.stringify(query));
  }
  const unknown = await refusal('sale', { areaId: ['city-ald'] });
  assert.equal(unknown.errors[0]?.suggestion, 'city-aldern');
  assert.equal((await refusal('sale', { display: 'ignore' }, 'free')).code, 'TIER_RESTRICTED');
});

test('a search is told back as it was understood, and survives as JSON', async () => {
  const { search, interpretation } = await freeze('sale', {
    ...{ q: 'aldren umbra', areas: ['county-ring'], maxprice: 250_000, units: 'metric', minarea: 37.16 },
  });
  assert.deepEqual(interpretation, {
    areas: [{ id: 'county-ring', name: 'Ring' }],
    words: [
      { word: 'aldren', spellings: ['aldren', 'aldern'] },
      { word: 'umbra', spellings: ['umbra'] },
    ],
    ...{ currency: 'USD', units: 'metric', display: null },
  });
  assert.deepEqual(JSON.parse(JSON.stringify(search)), search);
  assert.deepEqual(parametersOf(search).toSorted(), ['areas', 'maxprice', 'minarea', 'q']);
});

test('a listing matches on the parameters that a change made true', async () => {
  const { search } = await freeze('sale', { price: '100:200', beds: [2], city: ['Aldern'], status: ['any'] });
  const matchedOn = compileMatchedOn(search);
  const [any] = indexed.values();
  assert.ok(any !== undefined);
  const row: SearchRow = {
    ...any.row,
    ...{ listing_type: 'sale', price: 150, bedrooms: 2, city: 'aldern', currency: 'USD', status: 'ACTIVE' },
  };
  const from = (change: Partial<SearchRow>) => matchedOn({ row: { ...row, ...change } }, { row });
  assert.deepEqual(from({ price: 250 }), ['price']);
  assert.deepEqual(from({ bedrooms: 1, city: null }), ['city', 'beds']);
  assert.deepEqual(from({ price: 160 }), []);
  assert.deepEqual(matchedOn(null, { row }).toSorted(), ['beds', 'city', 'price', 'status']);
  const both = compileMatchedOn((await freeze('sale', { minPrice: 100, maxprice: 200 })).search);
  assert.deepEqual(both({ row: { ...row, price: 250 } }, { row }), ['maxprice']);
  assert.deepEqual(both({ row: { ...row, price: 50 } }, { row }), ['minPrice']);
});

test('prices are compared in the currency of the day on which the search was saved', async (t) => {
  const { database: fresh } = await testDatabase(t);
  const currencies = createFindCurrencies(fresh, { version: () => 0, monotonic: () => 0 });
  const freezeHere = (query: unknown) =>
    freezeSearch(
      { database: fresh, findCurrencies: currencies },
      { caller: { tier: 'free' }, listingType: 'sale', query, pointer, now: NOW },
    );
  await assert.rejects(
    freezeHere({ maxPrice: 1 }),
    (error: Problem) => error.errors[0]?.pointer === `${pointer}/currency`,
  );
  const listing = {
    ...fc.sample(factsArbitrary, { seed: 2, numRuns: 1 })[0],
    listingType: 'sale',
    status: 'ACTIVE',
  };
  const write = (currency: string) =>
    writeMarket(
      fresh,
      createCatalogue(fresh),
      [{ ...listing, displayed: true, listPrice: 120_000, priceFrequency: 'ONE_TIME' } as Row['facts']],
      () => currency,
    );
  await write('USD');
  const { search, interpretation } = await freezeHere({ maxPrice: 400_000 });
  assert.equal(interpretation.currency, 'USD');
  const predicate = compilePredicate(search);
  const rows = await fresh.read(
    (sql) => sql<{ row: SearchRow }[]>`select row_to_json(listing_search) as row from listing_search`,
  );
  assert.deepEqual(
    rows.map(({ row }) => predicate(row)),
    [true],
  );
  assert.deepEqual(
    rows.map(({ row }) => predicate({ ...row, currency: 'EUR' })),
    [false],
  );
  assert.equal((await freezeHere({ minBedrooms: 0 })).search.currency, null);
});

test('words and areas keep the meaning of the day on which the search was saved', async () => {
  const { search } = await freeze('sale', { q: 'umbar', status: ['any'] });
  const before = await matches.count(search);
  await database.write((sql) => sql`insert into search_word (word, trigrams) values ('umbar', '{umb}')`);
  assert.equal(await matches.count(search), before);
  const { interpretation } = await freeze('sale', { q: 'umbar', status: ['any'] });
  assert.deepEqual(interpretation.words, [{ word: 'umbar', spellings: ['umbar'] }]);
});
