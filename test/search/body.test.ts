// Proves that a search by a body is the search by parameters, read as strictly, and takes polygons with parts and holes.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { RentalSearchQuery, SaleSearchQuery } from '../../src/search/query/parameters.ts';
import { factsArbitrary, NOW, writeAreas, writeMarket } from '../support/catalogue/random-market.ts';
import { type Answer, idsOf, searchClient } from '../support/catalogue/search-client.ts';
import { runs } from '../support/check/runs.ts';
import { sortArbitrary } from '../support/oracle/order.ts';
import { asBody } from '../support/oracle/query-body.ts';
import { FILTERS, seenAt } from '../support/oracle/search-oracle.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after }, { clock: manualClock(NOW) });
const ask = searchClient(service);
await writeAreas(service.database);
const [sample = []] = fc.sample(fc.array(factsArbitrary, { minLength: 200, maxLength: 200, size: 'max' }), {
  seed: 41,
  numRuns: 1,
});
const market = await writeMarket(service.database, createCatalogue(service.database), sample);

const post = (type: string, body: unknown, query = '') =>
  fetch(`${service.url}/v1/search/${type}s${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.keys.internal}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('whatever can be asked by parameters is answered the same when asked by a body', async () => {
  for (const [type, schema] of [['rental', RentalSearchQuery] as const, ['sale', SaleSearchQuery] as const]) {
    const own = FILTERS.filter(({ parameters }) => parameters.every((name) => name in schema.properties));
    const queries = fc.tuple(
      fc.constantFrom(...own).chain(({ values }) => values),
      fc.record({ sort: sortArbitrary, limit: fc.constantFrom('7', '500') }),
    );
    await fc.assert(
      fc.asyncProperty(queries, async ([filter, shaping]) => {
        const query = { ...filter, ...shaping };
        const expected = await ask(type, query);
        const answer = await post(type, asBody(query, schema));
        const body = (await answer.json()) as Answer;
        assert.deepEqual([body.data, body.page, body.total], [expected.data, expected.page, expected.total]);
        assert.equal(answer.headers.get('link'), null, 'an address alone leads to no other page');
      }),
      runs(120, 43),
    );
  }
});

const square = (west: number, south: number, east: number, north: number) => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south], // biome-ignore format: a ring
];

test('a GeoJSON polygon holds its edges and parts, and of its holes the edges alone', async () => {
  const geometries = [
    { type: 'Polygon', coordinates: [square(20, 10, 21, 11)] },
    { type: 'Polygon', coordinates: [square(20, 10, 21, 11), square(20.25, 10.25, 20.75, 10.75)] },
    {
      type: 'MultiPolygon',
      coordinates: [
        [square(20, 10, 21, 11), square(20.2, 10.2, 20.8, 10.8)],
        [square(20.4, 10.4, 20.6, 10.6)],
        [square(179, 10, 180, 12)],
      ],
    },
  ];
  for (const polygon of geometries) {
    const parts = (
      polygon.type === 'Polygon' ? [polygon.coordinates] : polygon.coordinates
    ) as number[][][][];
    const inside = ([west, , east]: number[][], lng: number, lat: number, edges: boolean) => {
      const [[left = 0, below = 0], [right = 0, above = 0]] = [west ?? [], east ?? []];
      return edges
        ? lng >= left && lng <= right && lat >= below && lat <= above
        : lng > left && lng < right && lat > below && lat < above;
    };
    const expected = market.filter(({ facts }) => {
      const at = seenAt(facts);
      if (at === null || facts.listingType !== 'sale' || facts.status !== 'ACTIVE' || !facts.displayed)
        return false;
      // The meridians 180 and -180 are one.
      const lngs = Math.abs(at.lng) === 180 ? [180, -180] : [at.lng];
      return parts.some(
        ([shell = [], ...holes]) =>
          lngs.some((lng) => inside(shell, lng, at.lat, true)) &&
          !holes.some((hole) => inside(hole, at.lng, at.lat, false)),
      );
    });
    const body = (await (await post('sale', { polygon, limit: 500, fields: ['id'] })).json()) as Answer;
    assert.deepEqual(idsOf([body]).sort(), expected.map(({ id }) => id).sort());
    assert.ok(expected.length > 0);
    const written = await ask('sale', { polygon: JSON.stringify(polygon), limit: '500', fields: 'id' });
    assert.deepEqual(idsOf([written]), idsOf([body]));
  }
});

test('whatever of a body is not understood is refused, and its member named', async () => {
  for (const [body, pointer, code = 'INVALID_PARAMETER'] of [
    [{ minprise: 1 }, '/minprise'],
    [{ minPrice: '1' }, '/minPrice'],
    [{ minPrice: 2, maxPrice: 1 }, '/minPrice'],
    [{ city: 'Aldern' }, '/city'],
    [{ city: [7] }, '/city'],
    [{ hasPhotos: 'true' }, '/hasPhotos'],
    [{ minPrice: 1, minprice: 1 }, '/minprice'],
    [{ limit: 0 }, '/limit'],
    [{ limit: null }, '/limit'],
    [{ areaId: ['nowhere'] }, '/areaId'],
    [{ status: ['SOLD'] }, '/status'],
    [{ bbox: [1, 2, 'x', 4] }, '/bbox'],
    [{ polygon: { type: 'Point', coordinates: [1, 2] } }, '/polygon', 'INVALID_GEOMETRY'],
    [
      {
        polygon: {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [1, 95],
              [2, 2],
            ],
          ],
        },
      },
      '/polygon',
      'INVALID_GEOMETRY',
    ],
    [{ polygon: { type: 'Polygon', coordinates: [[0, 0]] } }, '/polygon', 'INVALID_GEOMETRY'],
    [{ cursor: 'abc' }, '/cursor', 'INVALID_CURSOR'],
  ] as const) {
    const answer = await post('sale', body);
    const problem = (await answer.json()) as { code: string; errors: { pointer: string }[] };
    assert.deepEqual([answer.status, problem.code, problem.errors[0]?.pointer], [400, code, pointer]);
  }
  for (const body of [[], 'text', 7, null])
    assert.equal(((await (await post('sale', body)).json()) as { code: string }).code, 'INVALID_BODY');
  assert.equal((await post('sale', {}, '?limit=2')).status, 400);
  assert.equal((await post('sale', {})).status, 200);
});

test('a walk goes on from a body to an address and back', async () => {
  const body = (await (await post('sale', { limit: 5, sort: ['price'] })).json()) as Answer;
  const cursor = body.page.nextCursor ?? '';
  const byAddress = await ask('sale', { limit: '5', sort: 'price', cursor });
  const byBody = (await (await post('sale', { limit: 5, sort: ['price'], cursor })).json()) as Answer;
  assert.equal(byBody.data.length, 5);
  assert.deepEqual(byBody.data, byAddress.data);
});
