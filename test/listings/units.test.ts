// Proves that figures tell their unit beside them, in the units that were asked for.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Listing } from '../../src/listings/record.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after }, { source: 'sample' });
const { keys } = service;
const ask = <T>(path: string): Promise<T> => service.json(path, keys.business);
type Figures = Readonly<Record<string, { readonly unit: string }>>;

for (const [units, area, distance] of [
  ['imperial', 'Sqft', 'mi'],
  ['metric', 'Sqm', 'km'],
] as const) {
  const perArea = `moneyPer${area}`;

  test(`figures of searches and of the market tell their ${units} unit`, async () => {
    const { stats } = await ask<{ stats: Figures }>(
      `/v1/search/sales?units=${units}&stats=inventory,median_list_price,median_price_per_area`,
    );
    assert.deepEqual(
      Object.entries(stats).map(([id, { unit }]) => [id, unit]),
      [
        ['inventory', 'count'],
        ['median_list_price', 'money'],
        ['median_price_per_area', perArea],
      ],
    );
    const { metrics } = await ask<{ metrics: Figures }>(
      `/v1/market/stats?listingType=sale&units=${units}&metrics=median_price_per_area,median_days_on_market`,
    );
    assert.equal(metrics.median_price_per_area?.unit, perArea);
    assert.equal(metrics.median_days_on_market?.unit, 'days');
  });

  test(`a distribution tells the ${units} unit of its measure`, async () => {
    for (const [measure, unit] of [
      ['price', 'money'],
      ['pricePerArea', perArea],
      ['livingArea', area.toLowerCase()],
      ['daysOnMarket', 'days'],
    ] as const) {
      const path = `/v1/market/distribution?listingType=sale&units=${units}&measure=${measure}`;
      assert.equal((await ask<{ unit: string }>(path)).unit, unit, measure);
    }
  });

  test(`distances of similar and comparable homes tell their ${units} unit`, async () => {
    const { data: listings } = await ask<{ data: Listing[] }>('/v1/search/sales?propertyType=CONDO&limit=1');
    for (const part of ['similar', 'comparables']) {
      const { data } = await ask<{ data: { distanceUnit: string }[] }>(
        `/v1/property/${listings[0]?.id}/${part}?maxRadius=50&units=${units}`,
      );
      assert.ok(data.length > 0, part);
      for (const { distanceUnit } of data) assert.equal(distanceUnit, distance, part);
    }
  });
}

test('yields are shares, and clusters name the currency of their median price', async () => {
  const { sameProperty } = await ask<{ sameProperty: { unit: string } }>('/v1/market/yield');
  assert.equal(sameProperty.unit, 'share');
  const { clusters } = await ask<{ clusters: { currency: string }[] }>(
    '/v1/search/sales?cluster=true&zoom=4&bbox=-179,-80,179,80',
  );
  assert.ok(clusters.length > 0);
  for (const { currency } of clusters) assert.equal(currency, 'USD');
});
