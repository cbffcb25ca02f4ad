// Owns the promises of the statistics' addresses: every parameter is honoured or refused, pages go on, small samples stay secret.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { TIERS } from '../src/access/tiers.ts';
import { writeAreaBatch } from '../src/catalogue/area-writer.ts';
import { createCatalogue } from '../src/catalogue/catalogue.ts';
import type { ListingDraft } from '../src/catalogue/draft.ts';
import { findSnapshot, snapshotMetrics } from '../src/catalogue/metric-store.ts';
import { METRICS } from '../src/catalogue/metrics.ts';
import { RentalSearchQuery, SaleSearchQuery } from '../src/catalogue/search-parameters.ts';
import {
  CompareQuery,
  DistributionQuery,
  FILTERS,
  HistoryQuery,
  NOT_FILTERS,
  StatsQuery,
  YieldQuery,
} from '../src/market/parameters.ts';
import { type Caller, type Documented, walkMatrix } from './support/access-matrix.ts';
import { manualClock } from './support/clock.ts';
import { draft, NO_ADDRESS } from './support/drafts.ts';
import { NOW, writeAreas } from './support/market.ts';
import { startService } from './support/service.ts';
import { problemOf } from './support/web.ts';

const DAY = 86_400_000;
const service = await startService({ after }, { clock: manualClock(NOW) });
const { database, keys } = service;
await writeAreas(database);
const catalogue = createCatalogue(database);

interface Figure {
  readonly value: number | null;
  readonly n: number;
  readonly p25: number | null;
  readonly suppressed: boolean;
  readonly change: { readonly previous: number | null; readonly yearAgo: number | null } | null;
}
type Figures = Record<string, Figure>;
interface Page {
  readonly limit: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}
interface Answer {
  readonly period: { readonly start: string; readonly end: string };
  readonly scope: { readonly timeZone: string };
  readonly metrics: Figures;
  readonly groups: readonly { readonly by: Record<string, unknown>; readonly metrics: Figures }[];
  readonly points: readonly { readonly start: string; readonly end: string; readonly metrics: Figures }[];
  readonly areas: readonly { readonly areaId: string; readonly metrics: Figures }[];
  readonly bands: readonly {
    readonly bedrooms: number | null;
    readonly value: number | null;
    readonly nSales: number;
  }[];
  readonly sameProperty: { readonly value: number | null; readonly n: number };
  readonly n: number;
  readonly percentiles: Record<string, number | null>;
  readonly buckets: readonly { readonly from: number; readonly to: number; readonly count: number }[];
  readonly page: Page;
}

const ask = (path: string, key: string = keys.internal): Promise<Answer> =>
  service.json(`/v1/market/${path}`, key);

async function refused(path: string): Promise<{ parameter: string; suggestion: string; code: string }> {
  const answer = await service.get(`/v1/market/${path}`, keys.internal);
  assert.equal(answer.status, 400, path);
  const { code, errors = [] } = await problemOf(answer);
  const [{ parameter = '', suggestion = '' } = {}] = errors;
  return { parameter, suggestion, code };
}

/** Twelve homes on the market in December: twelve prices, four numbers of bedrooms, half of them in each city. */
const homes = (type: 'sale' | 'rental', unit: number): ListingDraft[] =>
  Array.from({ length: 12 }, (_, at) =>
    draft(`${type}-${at}`, {
      ...{
        listingType: type,
        listPrice: unit * (at + 1),
        livingArea: 1_000,
        bedrooms: at < 6 ? 1 : (at % 3) + 2,
      },
      priceFrequency: type === 'sale' ? 'ONE_TIME' : 'MONTHLY',
      listedAt: new Date(Date.UTC(2025, 11, 2 + at)).toISOString(),
      universalPropertyId: `home-${at}`,
      location: { lat: 10.1, lng: 20.1 + at / 100, precision: 'exact' },
      address: {
        ...NO_ADDRESS,
        city: at % 2 === 0 ? 'Aldern' : 'Crane',
        state: 'Umbra',
        postalCode: '10001',
      },
    }),
  );
await database.transaction((tx) =>
  catalogue.apply(tx, 'test', [...homes('sale', 100_000), ...homes('rental', 1_000)], NOW - DAY),
);

test('statistics are open to everybody, and to tokens that may read', async () => {
  const paths = ['stats?listingType=sale', 'history?listingType=sale', 'yield', 'metrics'];
  paths.push('compare?listingType=sale&areaId=city-crane', 'distribution?listingType=sale&measure=price');
  const documented = Object.fromEntries(
    paths.map((path): [string, Documented] => [path, { tier: 'anonymous', scope: 'listings:read' }]),
  );
  const callers: Caller[] = [{ tier: 'anonymous', scopes: null, authorization: null }];
  for (const tier of ['free', 'pro', 'business', 'internal'] as const)
    callers.push({ tier, scopes: null, authorization: `Bearer ${keys[tier]}` });
  await walkMatrix(documented, callers, async (path, { authorization }) => {
    const headers = authorization === null ? {} : { authorization };
    const answer = await fetch(`${service.url}/v1/market/${path}`, { headers });
    const code = answer.ok ? null : (await problemOf(answer)).code;
    return {
      status: answer.status,
      code: code as string | null,
      challenge: answer.headers.get('www-authenticate'),
    };
  });
  service.clock.advance(60_000);
});

test('without credentials ten points, groups or areas fit an answer, and cursors lead on', async () => {
  const all = await ask('history?listingType=sale&periods=24&limit=100&metrics=inventory');
  assert.equal(all.points.length, 24);
  const points: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/v1/market/history?listingType=sale&periods=24&limit=100&metrics=inventory${cursor && `&cursor=${cursor}`}`;
    const answer = await service.get(path);
    assert.equal(answer.status, 200);
    const { points: some, page } = (await answer.json()) as Answer;
    assert.equal(page.limit, TIERS.anonymous.page);
    assert.ok(some.length <= 10);
    assert.equal(answer.headers.has('link'), page.hasMore);
    points.push(...some);
    cursor = page.nextCursor;
  }
  assert.deepEqual(points, all.points);
  const stats = await ask('stats?listingType=sale&groupBy=bedrooms&limit=2&metrics=inventory');
  assert.deepEqual(
    stats.groups.map(({ by }) => by.bedrooms),
    [1, 2],
  );
  const next = await ask(
    `stats?listingType=sale&groupBy=bedrooms&limit=2&metrics=inventory&cursor=${stats.page.nextCursor}`,
  );
  assert.deepEqual(
    next.groups.map(({ by }) => by.bedrooms),
    [3, 4],
  );
  assert.deepEqual(next.metrics, stats.metrics);
  const other = await refused(`stats?listingType=sale&groupBy=propertyType&cursor=${stats.page.nextCursor}`);
  assert.equal(other.code, 'INVALID_CURSOR');
});

test('figures are of the last full month, and withheld where fewer than five homes would be told of', async () => {
  const { period, metrics } = await ask('stats?listingType=sale');
  assert.deepEqual(period, { start: '2025-12-01', end: '2026-01-01' });
  const { inventory, new_listings: fresh, median_list_price: median } = metrics;
  assert.deepEqual([inventory?.value, fresh?.value, median?.value], [12, 12, 650_000]);
  const few = await ask('stats?listingType=sale&bedrooms=2,3&metrics=inventory,median_list_price');
  assert.deepEqual(few.metrics.inventory?.value, 4);
  assert.deepEqual(few.metrics.median_list_price, {
    ...{ value: null, n: 4, excluded: 0, p25: null, p75: null, suppressed: true },
    change: { previous: null, yearAgo: null },
  });
  const { metrics: five } = await ask('stats?listingType=sale&maxPrice=500000&metrics=median_list_price');
  assert.equal(five.median_list_price?.value, 300_000);
});

test('what is unknown, malformed, of the other kind or contradictory is refused by its name', async () => {
  const sale = 'listingType=sale';
  const wrong: [path: string, parameter: string, suggestion?: string][] = [
    ['stats', 'listingType'],
    ['stats?listingType=flat', 'listingType'],
    ['stats?listingType=sale&dataType=Sale', 'listingType'],
    [`stats?${sale}&minBedroms=1`, 'minBedroms', 'minBedrooms'],
    [`stats?${sale}&status=ACTIVE`, 'status'],
    [`stats?${sale}&pets=cats`, 'pets'],
    ['stats?listingType=rental&closedSince=P7D', 'closedSince'],
    [`stats?${sale}&from=2025-12-01`, 'to'],
    [`stats?${sale}&from=2025-12-01&to=2025-12-01`, 'from'],
    [`stats?${sale}&from=2025-02-30&to=2025-12-01`, 'from'],
    [`stats?${sale}&from=2025-12-01&to=2026-01-08`, 'to'],
    [`stats?${sale}&metrics=median_price`, 'metrics', 'median_rent'],
    [`stats?${sale}&metrics=median_list_prise`, 'metrics', 'median_list_price'],
    [`stats?${sale}&metrics=median_rent`, 'metrics'],
    [`stats?${sale}&metrics=gross_rent_yield`, 'metrics'],
    [`stats?${sale}&groupBy=city`, 'groupBy'],
    [`stats?${sale}&interval=month`, 'interval'],
    [`stats?${sale}&areaId=city-cran`, 'areaId'],
    [`history?${sale}&from=2025-12-02&to=2026-01-01`, 'from', '2025-12-01'],
    [`history?${sale}&interval=week&from=2025-12-01&to=2025-12-31`, 'to', '2025-12-29'],
    [`history?${sale}&from=2025-01-01&to=2026-01-01&periods=3`, 'periods'],
    [`history?${sale}&window=P1M`, 'window'],
    [`history?${sale}&to=2026-03-01`, 'to'],
    [`history?${sale}&groupBy=bedrooms`, 'groupBy'],
    [`compare?${sale}`, 'areaId'],
    [`compare?${sale}&areaId=city-crane,nowhere`, 'areaId'],
    [`distribution?${sale}`, 'measure'],
    [`distribution?${sale}&measure=price&buckets=101`, 'buckets'],
    ['yield?listingType=sale', 'listingType'],
    ['yield?minPrice=1', 'minPrice'],
    ['metrics?id=inventory', 'id'],
  ];
  for (const [path, parameter, suggestion] of wrong) {
    const refusal = await refused(path);
    assert.deepEqual([refusal.code, refusal.parameter], ['INVALID_PARAMETER', parameter], path);
    if (suggestion !== undefined && suggestion !== 'median_rent')
      assert.equal(refusal.suggestion, suggestion, path);
  }
});

test('every filter of the searches is a filter of the statistics, or known not to be one', () => {
  for (const [type, schema] of [
    ['rental', RentalSearchQuery],
    ['sale', SaleSearchQuery],
  ] as const) {
    const filters = Object.keys(schema.properties).filter(
      (name) => !(NOT_FILTERS as readonly string[]).includes(name),
    );
    assert.deepEqual(FILTERS[type], filters);
  }
  const names = (schema: { properties: object }) => Object.keys(schema.properties);
  for (const schema of [StatsQuery, HistoryQuery, CompareQuery, DistributionQuery])
    for (const name of [...FILTERS.rental, ...FILTERS.sale, 'units'])
      assert.ok(names(schema).includes(name), name);
  for (const name of ['areaId', 'postalCode', 'polygon', 'bbox', 'radius', 'propertyType', 'bedrooms'])
    assert.ok(names(YieldQuery).includes(name), name);
});

test('a place can be named, drawn or measured around a point, and other names of parameters mean the same', async () => {
  const inventory = async (query: string) =>
    (await ask(`stats?metrics=inventory&${query}`)).metrics.inventory?.value;
  const six = ['areaId=city-aldern', 'city=aldern&state=umbra', 'bbox=20.09,10,20.155,10.2'];
  six.push('polygon=20.09,10;20.155,10;20.155,10.2;20.09,10.2');
  for (const query of six) assert.equal(await inventory(`listingType=sale&${query}`), 6, query);
  assert.equal(await inventory('listingType=sale&lat=10.1&lng=20.1&radius=1.2km'), 2);
  assert.equal(await inventory('dataType=Rental&zipCode=10001'), 12);
  assert.equal(await inventory('dataType=sale&areaId=county-ring'), 12);
  const { points } = await ask('history?dataType=Sale&historyRange=3&metrics=inventory');
  assert.deepEqual(
    points.map(({ start }) => start),
    ['2025-10-01', '2025-11-01', '2025-12-01'],
  );
});

test('areas stand side by side, in the order in which they were asked for', async () => {
  const { areas } = await ask(
    'compare?listingType=sale&areaId=city-crane&areaId=county-ring&metrics=inventory',
  );
  assert.deepEqual(
    areas.map(({ areaId, metrics }) => [areaId, metrics.inventory?.value]),
    [['city-crane', 6], ['county-ring', 12]], // biome-ignore format: a table
  );
});

test('the yield of a year’s rent is told for each number of bedrooms, and for homes offered both ways', async () => {
  const { bands, sameProperty } = await ask('yield');
  assert.deepEqual(
    bands.map(({ bedrooms, value, nSales }) => [bedrooms, value, nSales]),
    [[1, 0.12, 6], [2, null, 2], [3, null, 2], [4, null, 2]], // biome-ignore format: a table
  );
  assert.deepEqual([sameProperty.value, sameProperty.n], [0.12, 12]);
});

test('a distribution counts every home of the inventory once, in the units that were asked for', async () => {
  const { n, percentiles, buckets } = await ask('distribution?listingType=sale&measure=price&buckets=4');
  assert.deepEqual([n, percentiles.p50, percentiles.p5], [12, 650_000, 155_000]);
  assert.deepEqual(
    buckets.map(({ count }) => count),
    [3, 3, 3, 3],
  );
  assert.deepEqual([buckets[0]?.from, buckets[3]?.to], [100_000, 1_200_000]);
  const metric = await ask('distribution?listingType=sale&measure=livingArea&units=metric');
  assert.deepEqual(metric.buckets, [{ from: 92.9, to: 92.9, count: 12 }]);
  const age = await ask('distribution?listingType=sale&measure=daysOnMarket&buckets=1');
  assert.deepEqual(age.buckets, [{ from: 19, to: 30, count: 12 }]);
  const perArea = await ask('stats?listingType=sale&metrics=median_price_per_area&units=metric');
  assert.equal(perArea.metrics.median_price_per_area?.value, 6_996.54);
});

test('a change since a month or a year before can be asked for by name', async () => {
  const path = 'stats?listingType=sale&from=2026-01-01&to=2026-01-06';
  const { metrics } = await ask(`${path}&metrics=inventory,inventory_mom,inventory_yoy`);
  const { inventory, inventory_mom: month, inventory_yoy: year } = metrics;
  // As 6 December began there were four.
  assert.deepEqual([inventory?.value, month?.value, year?.value, month?.change], [12, 2, null, null]);
});

test('periods begin and end by the clocks of the area, and a mere date means that day there', async () => {
  await writeAreaBatch(database, 'test', [
    {
      ...{ type: 'state', externalId: 'umbra', name: 'Umbra', aliases: [], codes: { postal: 'UM' } },
      ...{ parentReference: null, population: null, boundary: null, timeZone: 'America/Los_Angeles' },
    },
  ]);
  const sold = (key: string, closedAt: string) =>
    draft(key, {
      ...{ status: 'CLOSED', closePrice: 1, closedAt, universalPropertyId: key },
      address: { ...NO_ADDRESS, city: 'Crane', state: 'Umbra' },
    });
  const late = draft('late', {
    ...{ listPrice: 5, listedAt: '2025-07-01T06:30:00Z', universalPropertyId: 'late' },
    address: { ...NO_ADDRESS, city: 'Crane', state: 'Umbra' },
  });
  await database.transaction((tx) =>
    catalogue.apply(tx, 'test', [sold('on-30', '2025-06-30'), sold('on-1', '2025-07-01'), late], NOW),
  );
  const june =
    'stats?listingType=sale&from=2025-06-01&to=2025-07-01&metrics=closed_listings,new_listings,inventory';
  const here = await ask(`${june}&areaId=city-crane`);
  assert.equal(here.scope.timeZone, 'America/Los_Angeles');
  const values = ({ metrics }: Answer) => Object.values(metrics).map(({ value }) => value);
  assert.deepEqual(values(here), [1, 1, 1]);
  const elsewhere = await ask(`${june}&city=Crane`);
  assert.deepEqual([elsewhere.scope.timeZone, ...values(elsewhere)], ['UTC', 1, 0, 0]);
});

test('the metrics are listed with what they mean, and each can be asked for', async () => {
  const { data } = (await service.json('/v1/market/metrics')) as {
    data: { id: string; listingTypes: string[]; formula: string; minimumSample: number | null }[];
  };
  assert.deepEqual(
    data.map(({ id }) => id),
    METRICS.map(({ id }) => id),
  );
  for (const { id, listingTypes, formula, minimumSample } of data) {
    assert.ok(formula.length > 30 && [null, 5].includes(minimumSample), id);
    for (const type of listingTypes)
      assert.ok((await ask(`stats?listingType=${type}&metrics=${id}`)).metrics[id], id);
  }
});

test('over the listings that are on the market now, the metrics of a set are those of the statistics', async () => {
  for (const type of ['sale', 'rental'] as const) {
    const metrics = snapshotMetrics(type);
    const set = await database.read((sql) =>
      findSnapshot(
        sql,
        sql`listing_type = ${type} and displayed and status = 'ACTIVE'`,
        metrics,
        Date.UTC(2026, 0, 6),
        'imperial',
      ),
    );
    const ids = metrics.map(({ id }) => id).join();
    const { metrics: figures } = await ask(
      `stats?listingType=${type}&from=2026-01-05&to=2026-01-06&metrics=${ids}`,
    );
    for (const { id } of metrics) {
      const { change: _, ...figure } = figures[id] ?? { change: null };
      assert.deepEqual(set[id], figure, id);
    }
  }
});
