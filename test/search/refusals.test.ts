// Proves what searches refuse, and in which words; what they find is proved by the other search tests.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { idsOf, searchClient } from '../support/catalogue/search-client.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const ask = searchClient(service);
await service.database.transaction((tx) => {
  const drafts = Array.from({ length: 12 }, (_, index) =>
    draft(`key-${index}`, { listPrice: index * 1_000 }),
  );
  return createCatalogue(service.database).write(tx, 'test', drafts, service.clock.now());
});

test('a cursor goes with the same query, in whatever order its parameters stand and whether defaults are spelt out', async () => {
  const asked = { minPrice: '1000', maxPrice: '9000', limit: '2' };
  const first = await ask('sale', asked);
  const cursor = first.page.nextCursor ?? '';
  const second = idsOf([await ask('sale', { ...asked, cursor })]);
  assert.equal(second.length, 2);
  for (const same of [
    { cursor, limit: '2', maxPrice: '9000', minPrice: '1000' },
    { status: 'ACTIVE', sort: '-listedAt', units: 'imperial', ...asked, cursor },
    { minprice: '1000', maxPrice: '9000', pageSize: '2', cursor },
  ])
    assert.deepEqual(idsOf([await ask('sale', same)]), second);
});

test('a cursor of other filters, another sort or nobody’s making is refused', async () => {
  const { page } = await ask('sale', { limit: '5' });
  for (const query of [
    `cursor=${page.nextCursor}&minPrice=1`,
    `cursor=${page.nextCursor}&sort=price`,
    'cursor=abc',
    `cursor=${Buffer.from('[1,2,3,4,5]').toString('base64url')}`,
  ]) {
    const answer = await service.get(`/v1/search/sales?${query}`, service.keys.internal);
    assert.equal(answer.status, 400);
    assert.equal(((await answer.json()) as { code: string }).code, 'INVALID_CURSOR');
  }
});

test('every wrong parameter is named with its remedy', async () => {
  for (const [query, parameter] of [
    ['minPrice=2&maxPrice=1', 'minPrice'],
    ['minprise=1', 'minprise'],
    ['minPrice=1e5', 'minPrice'],
    ['status=SOLD', 'status'],
    ['status=DELETED', 'status'],
    ['sort=-cost', 'sort'],
    ['radius=2km', 'lat'],
    ['lat=1&lng=1&radius=101km', 'radius'],
    ['bbox=1,2,3', 'bbox'],
    ['bbox=1,3,2,2', 'bbox'],
    ['polygon=1,2;3,4', 'polygon'],
    ['listedSince=yesterday', 'listedSince'],
    ['listedSince=2025-02-30', 'listedSince'],
    ['areaId=nowhere', 'areaId'],
    ['fields=prize', 'fields'],
    ['limit=0', 'limit'],
    ['type=CONDO&propertyType=CONDO', 'propertyType'],
  ] as const) {
    const answer = await service.get(`/v1/search/sales?${query}`, service.keys.internal);
    const problem = (await answer.json()) as {
      code: string;
      errors: { parameter: string; detail: string }[];
    };
    assert.equal(answer.status, 400, query);
    assert.ok(
      problem.errors.some((error) => error.parameter === parameter && error.detail.length > 5),
      query,
    );
  }
});

test('rentals know nothing of what only sales have', async () => {
  const answer = await service.get('/v1/search/rentals?minClosePrice=1', service.keys.internal);
  assert.equal(answer.status, 400);
});

/** The parameters with a fault, and what was suggested for each. */
async function faultsOf(path: string): Promise<readonly (readonly [string, string | undefined])[]> {
  const answer = await service.get(path, service.keys.internal);
  assert.equal(answer.status, 400, path);
  const { errors } = (await answer.json()) as { errors: { parameter: string; suggestion?: string }[] };
  return errors.map(({ parameter, suggestion }) => [parameter, suggestion] as const);
}

test('all faults of a search are told at once', async () => {
  const query =
    'sort=pric,bedroms&minPrice=9&maxPrice=2&listedSince=soon&closedBefore=late&qFields=id&address=...&status=activ&stats=median_pric&radius=far&lat=1&lng=1&fields=nme&priceBucket=5';
  const faults = await faultsOf(`/v1/search/sales?${query}`);
  assert.deepEqual(faults.map(([parameter]) => parameter).sort(), [
    'address',
    'closedBefore',
    'fields',
    'listedSince',
    'minPrice',
    'priceBucket',
    'qFields',
    'radius',
    'sort',
    'sort',
    'stats',
    'status',
  ]);
  assert.deepEqual(
    faults.filter(([parameter]) => parameter === 'sort'),
    [
      ['sort', 'price'],
      ['sort', 'bedrooms'],
    ],
  );
  const areas = await faultsOf('/v1/search/sales?areaId=nowhere,elsewhere');
  assert.deepEqual(
    areas.map(([parameter]) => parameter),
    ['areaId', 'areaId'],
  );
});

/** Faults of form beside faults of meaning: an unknown name, a wrong type; bounds, a metric, an area, a sort. */
const MIXED = {
  minBedroms: 2,
  hasPhotos: 'often',
  minPrice: 9,
  maxPrice: 2,
  stats: ['median_rent'],
  areaId: ['nowhere'],
  sort: ['pric'],
};

test('faults of form and of meaning are in one answer, of a GET, a POST and an export', async () => {
  const names = ['areaId', 'hasPhotos', 'minBedroms', 'minPrice', 'sort', 'stats'];
  const query = new URLSearchParams(Object.entries(MIXED).map(([name, value]) => [name, String(value)]));
  for (const path of ['/v1/search/sales', '/v1/search/sales/export'])
    assert.deepEqual((await faultsOf(`${path}?${query}`)).map(([name]) => name).sort(), names, path);
  const answer = await fetch(`${service.url}/v1/search/sales`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.keys.internal}`, 'content-type': 'application/json' },
    body: JSON.stringify(MIXED),
  });
  const { errors } = (await answer.json()) as { errors: { pointer: string }[] };
  assert.deepEqual(errors.map(({ pointer }) => pointer.slice(1)).sort(), names);
  const noFormFault = await faultsOf('/v1/search/sales?minPrice=9&maxPrice=2&areaId=nowhere');
  assert.deepEqual(
    noFormFault.map(([name]) => name),
    ['minPrice', 'areaId'],
  );
});

test('what could not be read is no reason for further faults', async () => {
  for (const [query, names] of [
    ['lat=north&lng=1&radius=2&sort=distance', ['lat']],
    ['minPrice=cheap&maxPrice=2', ['minPrice']],
    ['latt=1&lng=1&radius=2', ['latt']],
  ] as const)
    assert.deepEqual(
      (await faultsOf(`/v1/search/sales?${query}`)).map(([name]) => name),
      names,
      query,
    );
});

test('a suggested metric exists for the listing type', async () => {
  assert.deepEqual(await faultsOf('/v1/search/sales?stats=median_price'), [['stats', 'median_list_price']]);
  assert.deepEqual(await faultsOf('/v1/search/rentals?stats=median_rnt'), [['stats', 'median_rent']]);
  const market = '/v1/market/stats?listingType=';
  assert.deepEqual(await faultsOf(`${market}sale&metrics=median_price,median_rnt`), [
    ['metrics', 'median_list_price'],
    ['metrics', undefined],
  ]);
  assert.deepEqual(await faultsOf(`${market}rental&metrics=median_rnt_yoy`), [
    ['metrics', 'median_rent_yoy'],
  ]);
});
