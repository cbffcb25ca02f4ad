// Proves what searches tell besides listings: facets, clusters and explanations, each held against a loop over the listings.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft } from '../support/catalogue/drafts.ts';
import {
  type Facts,
  factsArbitrary,
  NOW,
  type Row,
  writeAreas,
  writeMarket,
} from '../support/catalogue/random-market.ts';
import { type Answer, searchClient } from '../support/catalogue/search-client.ts';
import { runs } from '../support/check/runs.ts';
import { comparedPrice } from '../support/oracle/facts.ts';
import type { Query } from '../support/oracle/filters.ts';
import { FILTERS, finds, inBox, seenAt } from '../support/oracle/search-oracle.ts';
import { cellsOf, counted, FACETS, medianOf, pricesOf } from '../support/oracle/summaries.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after }, { clock: manualClock(NOW) });
const ask = searchClient(service);
await writeAreas(service.database);
const [sample = []] = fc.sample(fc.array(factsArbitrary, { minLength: 300, maxLength: 300, size: 'max' }), {
  seed: 53,
  numRuns: 1,
});
/** At the ends of the map, whose last cells have no side beyond. */
const ENDS = [-180, 180].flatMap((lng) => [-90, 90].map((lat) => ({ lng, lat })));
const [home] = sample.filter(
  ({ listingType, status, ...facts }) =>
    listingType === 'sale' && status === 'ACTIVE' && facts.displayed && facts.addressDisplayed,
);
assert.ok(home);
const ends = ENDS.map((place) => ({ ...home, ...place, located: true }) as Facts);
const catalogue = createCatalogue(service.database);
const market = await writeMarket(service.database, catalogue, [...sample, ...ends]);

type Told = Answer & {
  readonly facets: Record<string, { value?: string | number; from?: number; to?: number; count: number }[]>;
  readonly clusters: {
    readonly geohash: string;
    readonly count: number;
    readonly lat: number;
    readonly lng: number;
    readonly medianPrice: number | null;
  }[];
  readonly stats: Record<string, { value: number | null; n: number; excluded: number; suppressed: boolean }>;
  readonly explain: { filters: { parameter: string; matchesAlone: number; matchesWithout: number }[] };
};
const told = async (type: 'rental' | 'sale', query: Query) => (await ask(type, query)) as Told;
const found = (type: 'rental' | 'sale', query: Query): Row[] =>
  market.filter((row) => finds(type, query, row, NOW));

const queries = fc.record({
  type: fc.constantFrom('rental' as const, 'sale' as const),
  filter: fc
    .constantFrom(
      ...FILTERS.filter((each) => !each.saleOnly && !each.rentalOnly && !each.parameters.includes('ids')),
    )
    .chain(({ values }) => values),
  status: fc.constantFrom({}, { status: 'any' }),
});

/** On the market, which the engine answers, and with those that have left it, which PostgreSQL does. */
const SCOPES: readonly Query[] = [{ status: 'ACTIVE,COMING_SOON,ACTIVE_UNDER_CONTRACT' }, { status: 'any' }];

/** Names may be written in several ways. */
const lowered = (list: readonly { readonly value?: string | number }[] | undefined) =>
  list?.map((each) => ({ ...each, value: String(each.value).toLowerCase() }));

test('facets count all results by each value, the commonest first', async () => {
  await fc.assert(
    fc.asyncProperty(queries, async ({ type, filter, status }) => {
      const query = { ...status, ...filter };
      const { facets } = await told(type, { ...query, facets: Object.keys(FACETS).join(), limit: '1' });
      const rows = found(type, query);
      // In the order of text, which is what a database sorts by that knows no language.
      for (const [facet, read] of Object.entries(FACETS)) {
        const expected = counted(rows.flatMap(read));
        const sortable = (list: readonly unknown[] | undefined) =>
          list?.map((each) => JSON.stringify(each)).sort();
        const shown = facet === 'city' ? lowered(facets[facet]) : facets[facet];
        assert.deepEqual(sortable(shown), sortable(expected), facet);
        const counts = facets[facet]?.map(({ count }) => count) ?? [];
        assert.deepEqual(
          counts,
          counts.toSorted((a, b) => b - a),
        );
      }
    }),
    runs(60, 59),
  );
});

/** The step that people count in from a price on: by 25 from 100, by 50 from 500, and so on. */
const stepFrom = (price: number): number => {
  const decade = 10 ** Math.floor(Math.log10(price));
  return price < 5 * decade ? decade / 4 : decade / 2;
};

test('prices are counted in steps that people use or ask for, each in just one bucket', async () => {
  for (const type of ['rental', 'sale'] as const)
    for (const [scope, step] of SCOPES.flatMap(
      (each) =>
        [
          [each, null],
          [each, 50_000],
          [each, 1_000],
        ] as const,
    )) {
      const width: Query = step === null ? {} : { priceBucket: String(step) };
      const { facets } = await told(type, { ...scope, ...width, facets: 'priceBucket', limit: '1' });
      const prices = found(type, scope).flatMap(({ facts }) => comparedPrice(facts) ?? []);
      let all = 0;
      for (const { from = 0, to = Number.POSITIVE_INFINITY, count } of facets.priceBucket ?? []) {
        assert.equal(count, prices.filter((price) => price >= from && price < to).length);
        assert.equal(to - from, step ?? stepFrom(from));
        if (step !== null) assert.equal(from % step, 0);
        all += count;
      }
      assert.equal(all, prices.length);
    }
});

for (const scope of SCOPES)
  for (const bbox of ['-180,-90,180,90', '20,10,20.5,11', '179,10,-179.5,12'])
    test(`clusters hold all results in the box, each where its geohash says, with their median price: ${scope.status}, ${bbox}`, async () => {
      const query = { ...scope, bbox };
      const rows = found('sale', query);
      for (const zoom of [0, 3, 8, 12, 20]) {
        const { clusters, total } = await told('sale', {
          ...query,
          cluster: 'true',
          zoom: String(zoom),
          limit: '500',
          count: 'exact',
        });
        const letters = clusters[0]?.geohash.length ?? 1;
        for (const { facts } of rows) {
          const at = seenAt(facts) ?? assert.fail();
          assert.ok(inBox(bbox, at.lng, at.lat));
        }
        const shown = clusters.toSorted((a, b) => (a.geohash < b.geohash ? -1 : 1));
        const expected = cellsOf(rows, letters);
        assert.deepEqual(
          shown.map(({ geohash, count, medianPrice }) => [geohash, count, medianPrice]),
          expected.map(({ hash, count, median }) => [hash, count, median]),
        );
        for (const [at, { lat, lng }] of expected.entries()) {
          const cell = shown[at] ?? assert.fail();
          assert.ok(Math.abs(cell.lat - lat) < 1e-5 && Math.abs(cell.lng - lng) < 1e-5, cell.geohash);
        }
        assert.equal(total?.value, rows.length);
      }
    });

test('an explanation tells of each filter what it leaves alone, and what the others leave without it', async () => {
  const asked = fc
    .subarray(
      FILTERS.filter(
        (each) => !each.alone && !each.saleOnly && !each.rentalOnly && !each.parameters.includes('ids'),
      ),
      { minLength: 1, maxLength: 3 },
    )
    .chain((filters) => fc.tuple(...filters.map((filter) => filter.values)));
  await fc.assert(
    fc.asyncProperty(asked, async (parts) => {
      // What money is in binds all counts, and is no filter among them.
      const { currency: _, ...query }: Query = Object.assign({}, ...parts);
      const { explain } = await told('sale', { ...query, explain: 'true', limit: '1' });
      for (const { parameter, matchesAlone, matchesWithout } of explain.filters) {
        const group = [
          ['radius', 'lat', 'lng'],
          ['features', 'featuresOperator'],
          ['q', 'qFields'],
        ].find((names) => names.includes(parameter)) ?? [parameter];
        const isStatus = parameter === 'status';
        const entries = Object.entries(query);
        const status = isStatus || query.status === undefined ? {} : { status: query.status };
        const alone = Object.fromEntries(entries.filter(([name]) => group.includes(name)));
        const rest = Object.fromEntries(entries.filter(([name]) => !group.includes(name)));
        const free = isStatus ? { status: 'any' } : {};
        assert.equal(matchesAlone, found('sale', { ...status, ...alone }).length, `${parameter} alone`);
        assert.equal(matchesWithout, found('sale', { ...rest, ...free }).length, `without ${parameter}`);
      }
      const names = Object.keys(query).filter(
        (name) => !['lat', 'lng', 'featuresOperator', 'qFields'].includes(name),
      );
      assert.deepEqual(explain.filters.map(({ parameter }) => parameter).sort(), names.sort());
    }),
    runs(60, 61),
  );
});

test('figures are of all results, and withheld where they would rest on a few', async () => {
  for (const type of ['rental', 'sale'] as const) {
    for (const query of [
      ...SCOPES,
      ...Array.from({ length: 6 }, (_, bedrooms) => ({ minBedrooms: String(bedrooms) })),
      { minBedrooms: '33', minYearBuilt: '2026' },
    ]) {
      const { stats } = await told(type, { ...query, stats: 'inventory,median_list_price', limit: '1' });
      const rows = found(type, query);
      const prices = pricesOf(rows);
      assert.equal(stats.inventory?.value, rows.length);
      const { value, n, excluded, suppressed } = stats.median_list_price ?? {};
      const few = prices.length < 5;
      const shown = few ? null : medianOf(prices);
      assert.deepEqual(
        [value, n, excluded, suppressed],
        [shown, prices.length, rows.length - prices.length, few],
      );
    }
  }
});

test('what cannot be told is refused', async () => {
  for (const [query, parameter] of [
    ['facets=colour', 'facets'],
    ['cluster=true&zoom=3', 'bbox'],
    ['cluster=true&bbox=1,1,2,2', 'zoom'],
    ['zoom=3', 'zoom'],
    ['cluster=true&zoom=21&bbox=1,1,2,2', 'zoom'],
    ['cluster=true&zoom=2&bbox=1,1,2,2&sort=price', 'sort'],
    ['facets=city&format=csv', 'facets'],
    ['explain=true&format=ndjson', 'explain'],
    ['include=history&format=csv', 'include'],
    ['include=reso,photos', 'include'],
    ['include=reso&format=csv', 'include'],
    ['stats=colour', 'stats'],
    ['sort=distance', 'sort'],
    ['sort=relevance', 'sort'],
    ['qFields=area', 'qFields'],
    ['q=%21%21', 'q'],
    ['featuresOperator=OR', 'featuresOperator'],
    ['price=1:2&minPrice=1', 'price'],
    ['openHouseFrom=2026-02-01&openHouseTo=2026-01-01', 'openHouseFrom'],
    ['rentControl=true', 'rentControl'],
  ] as const) {
    const answer = await service.get(`/v1/search/sales?${query}`, service.keys.internal);
    const problem = (await answer.json()) as { errors?: { parameter: string }[] };
    assert.deepEqual([answer.status, problem.errors?.[0]?.parameter], [400, parameter], query);
  }
});

test('anonymous callers get at most ten values and ten clusters', async () => {
  const many = Array.from({ length: 14 }, (_, index) => index);
  await service.database.transaction((tx) =>
    createCatalogue(service.database).write(
      tx,
      'other',
      many.map((index) => ({
        ...draft(`spread-${index}`),
        bedrooms: 100 + index,
        location: { lat: -40, lng: -60 + index * 3, precision: 'exact' as const },
      })),
      NOW,
    ),
  );
  const free = async (query: string): Promise<Told> =>
    (await (await service.get(`/v1/search/sales?${query}`)).json()) as Told;
  const { facets } = await free('minBedrooms=100&facets=bedrooms&limit=100');
  assert.equal(facets.bedrooms?.length, 10);
  const clustered = await free('cluster=true&zoom=9&bbox=-61,-41,0,-39&limit=100');
  assert.deepEqual([clustered.clusters.length, clustered.page.hasMore, clustered.page.limit], [10, true, 10]);
  const rest = await free(`cluster=true&zoom=9&bbox=-61,-41,0,-39&cursor=${clustered.page.nextCursor}`);
  assert.deepEqual([rest.clusters.length, rest.page.hasMore], [4, false]);
  const hashes = [...clustered.clusters, ...rest.clusters].map(({ geohash }) => geohash);
  assert.equal(new Set(hashes).size, 14);
});

test('a facet with more values than a response holds keeps the most frequent ones', async () => {
  // The more frequent a value, the later it sorts by name.
  const bedrooms = Array.from({ length: 12 }, (_, index) =>
    Array<number>(index + 1).fill(300 + index),
  ).flat();
  await service.database.transaction((tx) =>
    createCatalogue(service.database).write(
      tx,
      'frequent',
      bedrooms.map((value, index) => ({ ...draft(`frequent-${index}`), bedrooms: value })),
      NOW,
    ),
  );
  const expected = counted(bedrooms).slice(0, 10);
  assert.deepEqual(expected.at(-1), { value: 302, count: 3 });
  for (const more of ['', ',features']) {
    const answer = await service.get(`/v1/search/sales?minBedrooms=300&facets=bedrooms${more}`);
    const { facets } = (await answer.json()) as Told;
    assert.deepEqual(facets.bedrooms, expected);
  }
});
