// Tests of the answers of the statistics: places, comparisons, yields, spreads, periods by local clocks, and their metrics.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { planSearch } from '../../src/search/query/plan.ts';
import { METRICS } from '../../src/search/summaries/metrics.ts';
import { computeStats, snapshotMetrics } from '../../src/search/summaries/stats.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { type Answer, startMarket } from '../support/catalogue/market-service.ts';
import { NOW } from '../support/catalogue/random-market.ts';
import { searchParts } from '../support/catalogue/search-backend.ts';

const { ask, catalogue, database, service } = await startMarket({ after });

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
  assert.deepEqual([inventory?.unit, month?.unit, year?.unit], ['count', 'share', 'share']);
});

test('periods begin and end by the clocks of the area, and a mere date means that day there', async () => {
  await writeAreaBatch(database, 'test', [
    {
      type: 'state',
      externalId: 'umbra',
      name: 'Umbra',
      aliases: [],
      codes: { postal: 'UM' },
      parentReference: null,
      population: null,
      boundary: null,
      timeZone: 'America/Los_Angeles',
    },
  ]);
  const sold = (key: string, closedAt: string) =>
    draft(key, {
      status: 'CLOSED',
      closePrice: 1,
      closedAt,
      universalPropertyId: key,
      address: { ...NO_ADDRESS, city: 'Crane', state: 'Umbra' },
    });
  const late = draft('late', {
    listPrice: 5,
    listedAt: '2025-07-01T06:30:00Z',
    universalPropertyId: 'late',
    address: { ...NO_ADDRESS, city: 'Crane', state: 'Umbra' },
  });
  await database.transaction((tx) =>
    catalogue.write(tx, 'test', [sold('on-30', '2025-06-30'), sold('on-1', '2025-07-01'), late], NOW),
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
    const plan = planSearch(type, {}, 1, Date.UTC(2026, 0, 6), EVERYTHING);
    const resolved = { areas: [], areaNos: [], words: new Map() };
    const names = metrics.map(({ id }) => id);
    const set = await computeStats(searchParts(database).backend.open({}), { plan, resolved }, names);
    const { metrics: figures } = await ask(
      `stats?listingType=${type}&from=2026-01-05&to=2026-01-06&metrics=${names}`,
    );
    for (const id of names) {
      const { change: _, period: __, ...figure } = figures[id] ?? { change: null, period: null };
      assert.deepEqual(set[id], figure, id);
    }
  }
});
