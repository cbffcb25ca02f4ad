// Searches and their figures over a store with three currencies, held against plain loops over the same listings.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import {
  type Facts,
  factsArbitrary,
  NOW,
  type Row,
  toDraft,
  writeAreas,
  writeMarket,
} from '../support/catalogue/random-market.ts';
import { type Answer, idsOf, type ListingType } from '../support/catalogue/search-client.ts';
import { assertEvery } from '../support/check/every.ts';
import { runs } from '../support/check/runs.ts';
import { textOf, toolCaller } from '../support/mcp/call-tool.ts';
import { comparedPrice } from '../support/oracle/facts.ts';
import type { Query } from '../support/oracle/filters.ts';
import { compareBy } from '../support/oracle/order.ts';
import { FILTERS, finds } from '../support/oracle/search-oracle.ts';
import { manualClock } from '../support/service/clock.ts';
import { problemOf } from '../support/service/http-server.ts';
import { startService } from '../support/service/service.ts';

const CURRENCIES = ['EUR', 'JPY', 'USD'];

/** Two cities have one currency each, the third two, and what lies elsewhere has all three. */
function currencyOf({ city }: Facts, index: number): string {
  const held = { Aldern: ['USD'], 'ALDERN ': ['USD'], 'Brook Hollow': ['EUR'], Crane: ['USD', 'JPY'] }[
    city ?? ''
  ];
  const choice = held ?? CURRENCIES;
  return choice[index % choice.length] ?? 'USD';
}

const service = await startService({ after }, { clock: manualClock(NOW) });
await writeAreas(service.database);
const catalogue = createCatalogue(service.database);
const [sample = []] = fc.sample(fc.array(factsArbitrary, { minLength: 400, maxLength: 400, size: 'max' }), {
  seed: 71,
  numRuns: 1,
});
const market = await writeMarket(service.database, catalogue, sample, currencyOf);

interface Choice {
  readonly reason: 'default' | 'areas' | 'majority';
  readonly excluded: number;
  readonly otherCurrencies: readonly string[];
}

type Told = Answer & {
  readonly meta: { readonly currency: string | null; readonly currencyChoice: Choice | null };
  readonly facets: { readonly priceBucket: readonly { readonly count: number; readonly from: number }[] };
  readonly stats: Record<string, { readonly value: number | null; readonly n: number }>;
  readonly clusters: readonly { readonly count: number; readonly medianPrice: number | null }[];
  readonly explain: {
    readonly filters: readonly { readonly parameter: string; readonly matchesAlone: number }[];
  };
};

const ask = (type: ListingType, query: Query): Promise<Response> =>
  service.get(`/v1/search/${type}s?${new URLSearchParams(query)}`, service.keys.internal);

async function told(type: ListingType, query: Query): Promise<Told> {
  const answer = await ask(type, query);
  const text = await answer.text();
  assert.equal(answer.status, 200, `${JSON.stringify(query)}: ${text}`);
  return JSON.parse(text) as Told;
}

const MONEY =
  /^(min|max)(Price|ClosePrice|PricePerArea|MoveInCost|NetEffectivePrice|MonthlyCost|AssociationFee|Tax)$|^price$/;

const found = (type: ListingType, query: Query): Row[] =>
  market.filter((row) => finds(type, query, row, NOW));

interface Expected {
  readonly currency: string | null;
  readonly choice: Choice | null;
  /** The currencies that a refusal must name. */
  readonly refused?: readonly string[];
}

/** What must be told, or refused. */
function expected(type: ListingType, query: Query, tellsMoney: boolean): Expected {
  const bounded = Object.keys(query).some((name) => MONEY.test(name));
  const sorted = /(^|,)-?price(PerArea)?(,|$)/.test(query.sort ?? '');
  if (query.currency !== undefined) return { currency: query.currency.toUpperCase(), choice: null };
  if (!bounded && !sorted && !tellsMoney) return { currency: null, choice: null };
  const scope = Object.fromEntries(Object.entries(query).filter(([name]) => !MONEY.test(name)));
  const present = currenciesOf(type, scope);
  if (present.length < 2) return { currency: present[0] ?? null, choice: null };
  const all = found(type, scope);
  const countOf = (wanted: string) => all.filter(({ currency }) => currency === wanted).length;
  const areas = [...new Set((query.areaId ?? query.locationId ?? query.areas ?? '').split(','))];
  const shared = present.filter((currency) =>
    areas.every((areaId) => currenciesOf(type, { ...scope, areaId }).includes(currency)),
  );
  const most = present.find((currency) => countOf(currency) > 0.9 * all.length);
  const isShared = areas.length > 1 && shared.length === 1;
  const currency = isShared ? shared[0] : most;
  if (currency === undefined) return { currency: null, choice: null, refused: present };
  const otherCurrencies = present.filter((other) => other !== currency);
  const excluded = all.length - countOf(currency);
  return { currency, choice: { reason: isShared ? 'areas' : 'majority', excluded, otherCurrencies } };
}

const currenciesOf = (type: ListingType, query: Query): string[] =>
  [...new Set(found(type, query).map(({ currency }) => currency))].sort();

async function refused(type: ListingType, query: Query, names: readonly string[]): Promise<void> {
  const answer = await ask(type, query);
  assert.equal(answer.status, 400, JSON.stringify(query));
  const { code, errors = [] } = await problemOf(answer);
  assert.equal(code, 'INVALID_PARAMETER');
  assert.equal(errors[0]?.parameter, 'currency');
  assert.deepEqual(errors[0]?.detail?.match(/\b[A-Z]{3}\b/g), names, errors[0]?.detail);
}

const queries = fc
  .record({
    type: fc.constantFrom<ListingType>('rental', 'sale'),
    filters: fc
      .subarray(
        FILTERS.filter(
          (each) => !each.alone && !each.parameters.some((name) => ['ids', 'currency'].includes(name)),
        ),
        { minLength: 0, maxLength: 2 },
      )
      .chain((filters) => fc.tuple(fc.constant(filters), ...filters.map(({ values }) => values))),
    place: fc.constantFrom<Query>(
      {},
      { city: 'aldern' },
      { city: 'brook hollow' },
      { city: 'crane' },
      { city: 'aldern,crane', areaId: 'city-aldern,city-crane' },
    ),
    money: fc.constantFrom<Query>({}, { minPrice: '1200' }, { maxPricePerArea: '625' }),
    sort: fc.constantFrom<Query>(
      {},
      { sort: 'price' },
      { sort: 'bedrooms,-price' },
      { sort: '-pricePerArea' },
    ),
    currency: fc.constantFrom<Query>(
      {},
      {},
      { currency: 'usd' },
      { currency: 'JPY' },
      { currency_code: 'EUR' },
    ),
  })
  .map(({ type, filters: [kept, ...parts], place, money, sort, currency }) => {
    const fits = kept.every(({ saleOnly, rentalOnly }) => !(type === 'sale' ? rentalOnly : saleOnly));
    const query: Query = Object.assign({ status: 'any' }, money, ...(fits ? parts : []), place, sort);
    return { type, query, currency };
  });

const meaning = ({ query, currency }: { query: Query; currency: Query }): Query => {
  const asked = currency.currency ?? currency.currency_code;
  return asked === undefined ? query : { ...query, currency: asked };
};

test('a search compares prices in one currency: requested, the only one, the clearly meant one, or names those there are', async () => {
  let [found400, foundSome, chosen] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(queries, async ({ type, query, currency }) => {
      const meant = meaning({ query, currency });
      const asked = { ...query, ...currency, limit: '40', count: 'exact', fields: 'id' };
      const { currency: binding, choice, refused: several } = expected(type, meant, false);
      if (several !== undefined) {
        await refused(type, asked, several);
        found400 += 1;
        return;
      }
      const rows = found(type, meant)
        .filter((row) => binding === null || row.currency === binding)
        .sort((a, b) => compareBy(query.sort ?? '-listedAt', a, b, NOW, query));
      const pages: Told[] = [];
      for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.page.nextCursor ?? null)
        pages.push(await told(type, { ...asked, ...(cursor && { cursor }) }));
      assert.deepEqual(
        idsOf(pages),
        rows.map(({ id }) => id),
      );
      assert.deepEqual(pages[0]?.meta.currencyChoice, choice);
      if (choice !== null) chosen += 1;
      for (const { meta, total } of pages) {
        assert.equal(meta.currency, binding);
        assert.deepEqual(total, { value: rows.length, relation: 'exact' });
      }
      if (rows.length > 0) foundSome += 1;
    }),
    runs(120, 73),
  );
  assert.ok(found400 > 10 && foundSome > 30, `${found400} were refused, ${foundSome} found something`);
  assert.ok(chosen > 3, `${chosen} were in a chosen currency`);
});

const median = (values: readonly number[]): number | null => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  if (sorted.length === 0) return null;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
};
const rounded = (value: number | null): number | null => value && Math.round(value * 100) / 100;

test('facets by price, statistics, clusters and explanations are of one currency', async () => {
  let [found400, figures] = [0, 0];
  const box = { bbox: '-180,-90,180,90' };
  await fc.assert(
    fc.asyncProperty(queries, async ({ type, query: { bbox: _, sort: __, ...query }, currency }) => {
      const meant = meaning({ query, currency });
      const asked = { ...query, ...currency, limit: '500', count: 'exact' };
      const metric = type === 'sale' ? 'median_list_price' : 'median_rent';
      const money = [
        { ...asked, facets: 'bedrooms,priceBucket' },
        { ...asked, stats: metric },
        { ...asked, ...box, cluster: 'true', zoom: '0' },
      ];
      const { currency: inFacets, refused: several } = expected(type, meant, true);
      const { currency: inBox } = expected(type, { ...meant, ...box }, true);
      if (several !== undefined) {
        for (const each of money.slice(0, 2)) await refused(type, each, several);
        found400 += 1;
        return;
      }
      const rows = found(type, meant).filter((row) => inFacets === null || row.currency === inFacets);
      const prices = rows.flatMap(({ facts }) => comparedPrice(facts) ?? []);
      const [facets, stats] = [await told(type, money[0] ?? {}), await told(type, money[1] ?? {})];
      assert.equal(facets.meta.currency, inFacets);
      assert.equal(stats.meta.currency, inFacets);
      assert.equal(
        facets.facets.priceBucket.reduce((sum, { count }) => sum + count, 0),
        prices.length,
      );
      const positive = prices.filter((price) => price > 0);
      assert.equal(stats.stats[metric]?.n, positive.length);
      if (positive.length >= 5) {
        assert.equal(stats.stats[metric]?.value, rounded(median(positive)));
        figures += 1;
      }
      const clusters = await told(type, money[2] ?? {});
      assert.equal(clusters.meta.currency, inBox);
      const placed = found(type, { ...meant, ...box }).filter(
        (row) => inBox === null || row.currency === inBox,
      );
      assert.equal(
        clusters.clusters.reduce((sum, { count }) => sum + count, 0),
        placed.length,
      );
      const explained = await told(type, { ...asked, minPrice: '1', explain: 'true' });
      const alone = explained.explain.filters.find(({ parameter }) => parameter === 'minPrice')?.matchesAlone;
      const priced = found(type, { status: query.status ?? 'any', minPrice: '1' });
      assert.equal(alone, priced.filter((row) => inFacets === null || row.currency === inFacets).length);
    }),
    runs(60, 79),
  );
  assert.ok(found400 > 4 && figures > 10, `${found400} were refused, ${figures} medians held`);
});

test('a search without any price condition, sort or figure goes over all currencies', async () => {
  const { data, meta, total } = await told('sale', {
    status: 'any',
    limit: '500',
    count: 'exact',
    facets: 'bedrooms',
  });
  assert.equal(meta.currency, null);
  assert.deepEqual([...new Set(data.map(({ currency }) => currency))].sort(), CURRENCIES);
  assert.equal(total?.value, found('sale', { status: 'any' }).length);
});

test('a body and an export follow the same rule', async () => {
  const post = (body: object) =>
    fetch(`${service.url}/v1/search/sales`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.keys.internal}` },
    });
  const mixed = await post({ maxPrice: 500_000 });
  assert.equal(mixed.status, 400);
  assert.match((await problemOf(mixed)).errors?.[0]?.detail ?? '', /EUR, JPY and USD/);
  const one = await post({ maxPrice: 500_000, currency: 'EUR', fields: ['currency'], limit: 500 });
  const { data } = (await one.json()) as Answer;
  assert.ok(data.length > 0 && data.every(({ currency }) => currency === 'EUR'));
  for (const format of ['csv', 'ndjson']) {
    assert.equal((await ask('sale', { format, sort: 'price' })).status, 400, format);
    const lines = await (
      await ask('sale', { format, sort: 'price', currency: 'JPY', fields: 'currency' })
    ).text();
    const rows = lines
      .trim()
      .split('\n')
      .slice(format === 'csv' ? 1 : 0);
    assert.ok(rows.length > 0 && rows.every((row) => row.includes('JPY')), format);
  }
});

test('a cursor keeps its currency, whatever comes meanwhile', async () => {
  const inAldern: Query = { city: 'aldern', sort: 'price', limit: '3', status: 'any' };
  const boxed: Query = {
    city: 'aldern',
    bbox: '-180,-90,180,90',
    cluster: 'true',
    zoom: '12',
    limit: '1',
    status: 'any',
  };
  const first = await told('sale', inAldern);
  const clusters = await told('sale', boxed);
  const [aldern] = sample.filter(({ city, listingType }) => city === 'Aldern' && listingType === 'sale');
  assert.ok(aldern && first.page.nextCursor && clusters.page.nextCursor);
  const yen = Array.from({ length: 30 }, (_, index) => `yen-${index}`);
  const foreign = yen.map((key) => ({
    ...toDraft(key, { ...aldern, status: 'ACTIVE', displayed: true, listPrice: 120_000 }),
    currency: 'JPY',
  }));
  await service.database.transaction((tx) => catalogue.write(tx, 'other', foreign, NOW));
  await refused('sale', inAldern, ['JPY', 'USD']);
  let met = first.data.length;
  for (let cursor: string | null = first.page.nextCursor; cursor !== null; ) {
    const next: Told = await told('sale', { ...inAldern, cursor });
    assert.equal(next.meta.currency, 'USD');
    assertEvery(next.data, ({ currency }) => currency === 'USD');
    met += next.data.length;
    cursor = next.page.nextCursor;
  }
  assert.equal(met, found('sale', { city: 'aldern', status: 'any' }).length);
  assert.equal((await told('sale', { ...boxed, cursor: clusters.page.nextCursor })).meta.currency, 'USD');
  await service.database.transaction((tx) => catalogue.write(tx, 'other', [], NOW, yen));
});

test('a currency is three letters', async () => {
  for (const currency of ['US', 'DOLLAR', '€', 'US1', ''])
    assert.equal((await ask('sale', { currency })).status, 400, currency);
});

const aHome = sample.find(({ listingType, displayed }) => listingType === 'sale' && displayed);
/** Active homes for sale in a city, so many in each currency. */
const homesIn = (city: string, currencies: Readonly<Record<string, number>>) =>
  Object.entries(currencies).flatMap(([currency, count]) =>
    Array.from({ length: count }, (_, index) => ({
      ...toDraft(`${city}-${currency}-${index}`, {
        ...(aHome as Facts),
        city,
        status: 'ACTIVE',
        listPrice: 100_000 + index,
        priceFrequency: 'ONE_TIME',
      }),
      currency,
    })),
  );

test('two homes in another currency do not end the searches of a market', async () => {
  const homes = homesIn('Tern', { USD: 19, EUR: 2 });
  const write = (tx: Parameters<typeof catalogue.write>[0]) => catalogue.write(tx, 'tern', homes, NOW);
  await service.database.transaction(write);
  const choice = { reason: 'majority', excluded: 2, otherCurrencies: ['EUR'] };
  for (const query of [
    { maxPrice: '900000' },
    { sort: 'price' },
    { stats: 'median_list_price' },
    { facets: 'priceBucket' },
  ]) {
    const { meta, total } = await told('sale', { city: 'Tern', ...query });
    assert.deepEqual(
      [meta.currency, meta.currencyChoice, total?.value],
      ['USD', choice, 19],
      JSON.stringify(query),
    );
  }
  const euros = await told('sale', { city: 'Tern', sort: 'price', currency: 'EUR' });
  assert.deepEqual([euros.meta.currency, euros.meta.currencyChoice, euros.total?.value], ['EUR', null, 2]);
  // Lines have no place to say what was left out.
  for (const format of ['csv', 'ndjson'])
    await refused('sale', { city: 'Tern', sort: 'price', format }, ['EUR', 'USD']);
  const geojson = await ask('sale', { city: 'Tern', sort: 'price', format: 'geojson' });
  assert.deepEqual(((await geojson.json()) as Told).meta.currencyChoice, choice);
  // The first page chooses; its cursor carries the choice, in lines too.
  const { page } = await told('sale', { city: 'Tern', sort: 'price', limit: '5' });
  const next = await ask('sale', {
    city: 'Tern',
    sort: 'price',
    format: 'csv',
    cursor: page.nextCursor ?? '',
  });
  assert.deepEqual([next.status, (await next.text()).trim().split('\n').length], [200, 1 + 14]);
  const call = toolCaller(service.url, service.keys.internal);
  const left = /Prices are in USD: 2 listings priced in EUR are left out/;
  assert.match(textOf(await call('search_sales', { city: ['Tern'], sort: ['price'] })), left);
  const market = { listingType: 'sale', city: ['Tern'], metrics: ['median_list_price'] };
  assert.match(textOf(await call('get_market_stats', market)), left);
  const stats: { scope: Told['meta'] } = await service.json(
    '/v1/market/stats?listingType=sale&city=Tern&metrics=median_list_price',
    service.keys.internal,
  );
  assert.deepEqual([stats.scope.currency, stats.scope.currencyChoice], ['USD', choice]);
});

test('exactly nine tenths are not nearly all', async () => {
  const homes = homesIn('Wick', { USD: 18, EUR: 2 });
  await service.database.transaction((tx) => catalogue.write(tx, 'wick', homes, NOW));
  await refused('sale', { city: 'Wick', sort: 'price' }, ['EUR', 'USD']);
});

test('the default currency is preferred where the scope has it', async (t) => {
  const other = await startService(t, { clock: manualClock(NOW), environment: { DEFAULT_CURRENCY: 'eur' } });
  const homes = [
    ...homesIn('Tern', { USD: 30, EUR: 2 }),
    ...homesIn('Wick', { USD: 30, JPY: 2 }),
    ...homesIn('Rill', { USD: 3 }),
  ];
  await other.database.transaction((tx) => createCatalogue(other.database).write(tx, 'test', homes, NOW));
  const answer = (city: string): Promise<Told> =>
    other.json(`/v1/search/sales?sort=price&city=${city}`, other.keys.internal);
  const tern = await answer('Tern');
  assert.deepEqual(
    [tern.meta.currency, tern.meta.currencyChoice, tern.total?.value],
    ['EUR', { reason: 'default', excluded: 30, otherCurrencies: ['USD'] }, 2],
  );
  assert.deepEqual((await answer('Wick')).meta.currencyChoice?.reason, 'majority');
  const { meta } = await answer('Rill');
  assert.deepEqual([meta.currency, meta.currencyChoice], ['USD', null]);
});
