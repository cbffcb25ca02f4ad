// Proves what is fixed on the day on which a search is saved, and how it is refused and told back.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import { asValueSchema } from '../../src/http/input/values.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { Problem } from '../../src/lib/problem.ts';
import type { SearchRow } from '../../src/listings/search-row.ts';
import { compileMatchedOn, parametersOf } from '../../src/search/query/matched-on.ts';
import { SaleSearchQuery } from '../../src/search/query/parameters.ts';
import { compilePredicate } from '../../src/search/query/predicate.ts';
import { createFindCurrencies } from '../../src/search/summaries/currency.ts';
import { freezeSearch } from '../../src/watch/freeze-search.ts';
import { factsArbitrary, NOW, type Row, writeMarket } from '../support/catalogue/random-market.ts';
import { ACCOUNT, openSavedSearches, pointer } from '../support/catalogue/saved-searches.ts';
import { searchParts } from '../support/catalogue/search-backend.ts';
import { testDatabase } from '../support/database/database.ts';

const { database, matches, indexed, freeze, refusal } = await openSavedSearches({ after }, 400);

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
    q: 'aldren umbra',
    areas: ['county-ring'],
    maxprice: 250_000,
    units: 'metric',
    minarea: 37.16,
  });
  assert.deepEqual(interpretation, {
    areas: [{ id: 'county-ring', name: 'Ring' }],
    words: [
      { word: 'aldren', spellings: ['aldren', 'aldern'] },
      { word: 'umbra', spellings: ['umbra'] },
    ],
    currency: 'USD',
    currencyChoice: null,
    suggestions: null,
    units: 'metric',
    display: null,
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
    listing_type: 'sale',
    price: 150,
    bedrooms: 2,
    city: 'aldern',
    currency: 'USD',
    status: 'ACTIVE',
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
  const { backend } = searchParts(fresh);
  const freezeHere = (query: unknown) =>
    freezeSearch(
      { database: fresh, findCurrencies: currencies, defaultCurrency: null, backend },
      {
        caller: { tier: 'free', account: ACCOUNT, reach: EVERYTHING },
        listingType: 'sale',
        query,
        pointer,
        now: NOW,
      },
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
