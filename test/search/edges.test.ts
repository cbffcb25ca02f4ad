// Proves the edges of searches on either backend: the largest prices, results that are none or all, homes and areas that move, and a market that has left.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { updateAllPlacements, writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { readMetric } from '../support/billing/read-metric.ts';
import { area, at, square } from '../support/catalogue/catalogue.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { type Answer, idsOf, searchClient, walk, walkBack } from '../support/catalogue/search-client.ts';
import { until } from '../support/check/until.ts';
import type { Query } from '../support/oracle/filters.ts';
import { medianOf } from '../support/oracle/summaries.ts';
import { startService } from '../support/service/service.ts';

type Told = Answer & {
  readonly facets: Readonly<Record<string, readonly { from?: number; to?: number | null; count: number }[]>>;
  readonly stats: Readonly<Record<string, { readonly value: number | null; readonly n: number }>>;
  readonly clusters: readonly { readonly count: number }[];
  readonly explain: {
    readonly filters: readonly { readonly matchesAlone: number; readonly matchesWithout: number }[];
  };
};

/** A service whose engine, if it has one, merges a tail of three rows into its base. */
async function startMarket(t: TestContext, backend: 'memory' | 'postgres') {
  const service = await startService(t, {
    environment: { SEARCH_ENGINE: backend },
    overrides: { maxTail: { rows: 3, share: 0 } },
  });
  const catalogue = createCatalogue(service.database);
  const write = (drafts: readonly ListingDraft[], removed: readonly string[] = []) =>
    service.database.transaction((tx) =>
      catalogue.write(tx, 'test', [...drafts], service.clock.now(), removed),
    );
  const merged = async (): Promise<void> => {
    if (backend === 'memory')
      await until(
        'the rows are in the base',
        async () => (await readMetric(service, 'freehold_search_engine_rebuilds_total')) > 0,
      );
  };
  const redraw = async (west: number): Promise<void> => {
    const boundary = square(west, 9.5, 1);
    await writeAreaBatch(service.database, 'test', [
      area({ type: 'custom', externalId: 'zone', name: 'Zone', boundary }),
    ]);
    await updateAllPlacements(service.database, { quiet: false });
  };
  const ask = searchClient(service);
  const told = async (query: Query, type: 'sale' | 'rental' = 'sale') => (await ask(type, query)) as Told;
  return { ask, write, merged, told, redraw };
}

/** Where numbers of 32 bits end, and the largest amount that a search may name. */
const PRICES = [
  0,
  0.01,
  1,
  2 ** 31 - 1,
  2 ** 31 - 0.5,
  2 ** 31,
  2 ** 31 + 0.5,
  2 ** 31 + 1,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 32 + 1,
  1e12,
];
const EVERYTHING: readonly Query[] = [
  {},
  { minPrice: '0' },
  { maxPrice: '1000000000000' },
  { bbox: '-180,-90,180,90' },
  { status: 'ACTIVE' },
  { minBedrooms: '0' },
  { q: 'oak' },
  { display: 'ignore' },
];
const NOTHING: readonly Query[] = [
  { minPrice: '999999999999' },
  { maxPrice: '0' },
  { bbox: '-60,-50,-59,-49' },
  { q: 'elm' },
  { status: 'COMING_SOON' },
  { minBedrooms: '1000' },
  { city: 'Nowhere' },
  { ids: 'lst_nobody' },
];
const ORDERS = ['price', '-price', 'listedAt', '-updatedAt', 'bedrooms,-price', '-daysOnMarket'];
const SUMMARIES = {
  facets: 'priceBucket,bedrooms,city',
  stats: 'inventory,median_list_price',
  explain: 'true',
};

const homes = Array.from({ length: 9 }, (_, number) =>
  draft(`home-${number}`, {
    listPrice: 100 + number,
    bedrooms: number % 3,
    location: at(10, 20 + number / 10),
    description: 'Under the oak',
  }),
);

for (const backend of ['memory', 'postgres'] as const) {
  test(`${backend}: prices at the end of 32 bits and beyond are found, sorted and counted as they are`, async (t) => {
    const { ask, write, merged, told } = await startMarket(t, backend);
    const { ids } = await write(PRICES.map((listPrice) => draft(String(listPrice), { listPrice })));
    const idOf = (price: number): string => ids.get(String(price)) ?? '';
    await merged();
    for (const bound of PRICES) {
      for (const [query, isFound] of [
        [{ minPrice: String(bound) }, (price: number) => price >= bound],
        [{ maxPrice: String(bound) }, (price: number) => price <= bound],
        [{ minPrice: String(bound), maxPrice: String(bound) }, (price: number) => price === bound],
      ] as const) {
        const expected = PRICES.filter(isFound);
        for (const sort of ['price', '-price']) {
          const pages = await walk(ask, 'sale', { ...query, sort, limit: '5', count: 'exact' });
          const sorted = sort === 'price' ? expected : expected.toReversed();
          assert.deepEqual(idsOf(pages), sorted.map(idOf), JSON.stringify({ query, sort }));
          const last = pages.at(-1) ?? assert.fail();
          assert.equal(last.total?.value, expected.length);
          const back = await walkBack(ask, 'sale', { ...query, sort, limit: '5' }, last);
          assert.deepEqual(idsOf([...back, last]), sorted.map(idOf));
        }
      }
    }
    const { facets, stats } = await told(SUMMARIES);
    const buckets = facets.priceBucket ?? [];
    assert.equal(
      buckets.reduce((sum, { count }) => sum + count, 0),
      PRICES.filter((price) => price >= Math.min(...buckets.map(({ from = 0 }) => from))).length,
    );
    for (const { from = 0, to, count } of buckets)
      assert.equal(
        count,
        PRICES.filter((price) => price >= from && price < (to ?? Number.POSITIVE_INFINITY)).length,
      );
    const positive = PRICES.filter((price) => price > 0);
    assert.deepEqual(
      [stats.median_list_price?.value, stats.median_list_price?.n],
      [medianOf(positive), positive.length],
    );
  });

  test(`${backend}: what matches everything, nothing, or only what has left is told in every form`, async (t) => {
    const { ask, write, merged, told } = await startMarket(t, backend);
    const { ids } = await write(homes);
    await merged();
    const counts = async (query: Query, expected: number): Promise<void> => {
      const { data, page, total, stats, explain } = await told({ ...query, ...SUMMARIES, count: 'exact' });
      assert.deepEqual(
        [data.length, total?.value, stats.inventory?.value, page.hasMore, page.nextCursor, page.prevCursor],
        [expected, expected, expected, false, null, null],
        JSON.stringify(query),
      );
      for (const { matchesAlone } of explain.filters) assert.equal(matchesAlone, expected);
      const map = { bbox: '-180,-90,180,90', ...query, cluster: 'true', zoom: '3' };
      const { clusters } = await told(map);
      assert.equal(
        clusters.reduce((sum, { count }) => sum + count, 0),
        expected,
      );
      for (const sort of ORDERS) {
        const pages = await walk(ask, 'sale', { ...query, sort, limit: '4' });
        assert.equal(new Set(idsOf(pages)).size, expected, sort);
        assert.equal(idsOf(pages).length, expected, sort);
      }
    };
    for (const query of EVERYTHING) await counts(query, homes.length);
    for (const query of NOTHING) await counts(query, 0);

    const begun = await Promise.all(
      ORDERS.map(async (sort) => ({ sort, page: (await ask('sale', { sort, limit: '4' })).page })),
    );
    await write([], [...ids.keys()]);
    for (const query of [...EVERYTHING, { ids: [...ids.values()].join() }]) await counts(query, 0);
    for (const { sort, page } of begun) {
      const { data, page: next } = await ask('sale', { sort, limit: '4', cursor: page.nextCursor ?? '' });
      assert.deepEqual([data, next.hasMore, next.nextCursor], [[], false, null], sort);
    }
    await write(homes.slice(0, 2));
    for (const query of EVERYTHING) await counts(query, 2);
  });

  test(`${backend}: a home that changes its type, place, display and status is where it is, and nowhere else`, async (t) => {
    const { write, merged, told } = await startMarket(t, backend);
    await write(homes);
    await merged();
    const boxes = { here: '19,9,22,11', there: '-71,39,-69,41' };
    const isAt = async (type: 'sale' | 'rental', query: Query): Promise<boolean> => {
      const asked = { ...query, minPrice: '500', maxPrice: '500' };
      const { data, total, facets } = await told({ ...asked, facets: 'bedrooms', count: 'exact' }, type);
      const counted = facets.bedrooms?.reduce((sum, { count }) => sum + count, 0);
      assert.deepEqual([data.length, counted], [total?.value, total?.value]);
      return data.length === 1;
    };
    const places = async () => ({
      sale: [await isAt('sale', { bbox: boxes.here }), await isAt('sale', { bbox: boxes.there })],
      rental: [await isAt('rental', { bbox: boxes.here }), await isAt('rental', { bbox: boxes.there })],
      withHidden: await isAt('sale', { display: 'ignore' }),
    });
    const sale: Partial<ListingDraft> = { listPrice: 500, bedrooms: 2, location: at(10, 20) };
    const rental: Partial<ListingDraft> = { ...sale, listingType: 'rental', priceFrequency: 'MONTHLY' };
    const [none, first, second] = [
      [false, false],
      [true, false],
      [false, true],
    ];
    for (const [facts, expected] of [
      [sale, { sale: first, rental: none, withHidden: true }],
      [rental, { sale: none, rental: first, withHidden: false }],
      [
        { ...rental, location: at(40, -70) },
        { sale: none, rental: second, withHidden: false },
      ],
      [
        { ...sale, location: at(40, -70) },
        { sale: second, rental: none, withHidden: true },
      ],
      [
        { ...sale, location: null },
        { sale: none, rental: none, withHidden: true },
      ],
      [
        { ...sale, display: { listing: false, address: true, estimate: true } },
        { sale: none, rental: none, withHidden: true },
      ],
      [sale, { sale: first, rental: none, withHidden: true }],
      [
        { ...sale, status: 'CLOSED' as const },
        { sale: none, rental: none, withHidden: false },
      ],
      [sale, { sale: first, rental: none, withHidden: true }],
    ] as const) {
      await write([draft('moved', facts)]);
      assert.deepEqual(await places(), expected, JSON.stringify(facts));
      // In the base as it was in the tail.
      await write(['x', 'y', 'z', 'w'].map((key) => draft(key, { listPrice: 7 })));
      assert.deepEqual(await places(), expected, JSON.stringify(facts));
    }
    await write([], ['moved']);
    assert.deepEqual(await places(), { sale: none, rental: none, withHidden: false });
  });

  test(`${backend}: a word is worth what the best of its places in a listing is worth`, async (t) => {
    const { ask, write, merged } = await startMarket(t, backend);
    const streets = { area: 'Maple Road', both: 'Rowan Road', street: 'Rowan Road' };
    const areas = { area: 'Rowan', both: 'Rowan', street: 'Maple' };
    const named = (key: keyof typeof streets) =>
      draft(key, {
        address: { ...NO_ADDRESS, streetNumber: '1', streetName: streets[key], neighborhood: areas[key] },
        listPrice: key === 'area' ? 100 : 200,
      });
    const { ids } = await write((['area', 'both', 'street'] as const).map(named));
    const expected = [['both', 'street'].map((key) => ids.get(key)).sort(), ids.get('area')].flat();
    const assertOrder = async (): Promise<void> => {
      const found = idsOf([await ask('sale', { q: 'rowan', sort: '-relevance,price' })]);
      assert.deepEqual([...found.slice(0, 2).sort(), ...found.slice(2)], expected);
    };
    await assertOrder();
    await write(homes);
    await merged();
    await assertOrder();
  });

  test(`${backend}: the homes of an area are those within its boundary, as often as that is redrawn`, async (t) => {
    const { ask, write, merged, told, redraw } = await startMarket(t, backend);
    await redraw(0);
    const { ids } = await write(homes);
    await merged();
    // From 20 to 20.8 degrees, a tenth apart; some of each are then in the tail.
    await write(homes.slice(4, 6).map((home) => ({ ...home, bedrooms: 7 })));
    for (const [west, numbers] of [
      [19.95, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
      [20.35, [4, 5, 6, 7, 8]],
      [19.35, [0, 1, 2, 3]],
      [0, []],
      [20.75, [8]],
    ] as const) {
      await redraw(west);
      const query = { areaId: 'custom-zone', sort: 'price' };
      const pages = await walk(ask, 'sale', { ...query, limit: '2', count: 'exact' });
      const last = pages.at(-1) ?? assert.fail();
      const expected = numbers.map((number) => ids.get(`home-${number}`));
      assert.deepEqual(idsOf(pages), expected, String(west));
      assert.equal(last.total?.value, numbers.length);
      const back = await walkBack(ask, 'sale', { ...query, limit: '2' }, last);
      assert.deepEqual(idsOf([...back, last]), expected, String(west));
      const { facets } = await told({ facets: 'areaId' });
      assert.equal(facets.areaId?.[0]?.count ?? 0, numbers.length);
    }
  });
}
