// Proves boxes, circles and polygons against an independent geometry: edges, corners, small shapes, the antimeridian and the poles.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { idsOf, searchClient, walk } from '../support/catalogue/search-client.ts';
import {
  along,
  aroundCentre,
  corners,
  fromEdge,
  ON_EDGE,
  type Place,
  turns,
} from '../support/catalogue/sphere.ts';
import { runs } from '../support/check/runs.ts';
import type { Query } from '../support/oracle/filters.ts';
import { inBox, kilometres } from '../support/oracle/search-oracle.ts';
import { startService } from '../support/service/service.ts';

/** Steps of 1 degree, of a town, a quarter and a garden, each a grid that shapes have their corners on. */
const STEPS = [1, 0.01, 0.0005, 0.00001];
const SIDE = 5;
const ORIGIN = { lng: -73.98, lat: 40.71 };
const tidy = (degrees: number): number => Number(degrees.toFixed(7));
const gridPoint = (step: number, x: number, y: number): Place => ({
  lng: tidy(ORIGIN.lng + x * step),
  lat: tidy(ORIGIN.lat + y * step),
});
const count = [...Array(2 * SIDE + 1).keys()].map((place) => place / 2);
const grids = STEPS.flatMap((step) => count.flatMap((x) => count.map((y) => gridPoint(step, x, y))));
const far = [-180, -179.999, -179.3, -90, 0, 45, 90, 179.25, 179.9999, 180].flatMap((lng) =>
  [-90, -89.999, -45, -0.001, 0, 0.25, 89.5, 89.9995, 90].map((lat) => ({ lng, lat })),
);

const service = await startService({ after });
const ask = searchClient(service);
const places = [...grids, ...far];
const { ids } = await service.database.transaction((tx) =>
  createCatalogue(service.database).write(
    tx,
    'test',
    places.map((place, index) => draft(`${index}`, { location: { ...place, precision: 'exact' } })),
    service.clock.now(),
  ),
);
const market = places.map((place, index) => ({ place, id: ids.get(`${index}`) ?? '' }));

/** `holds` gives null for what is too near an edge to be told by rounded numbers. Gives how many are within. */
async function prove(query: Query, holds: (place: Place) => boolean | null): Promise<number> {
  const found = new Set(idsOf(await walk(ask, 'sale', { ...query, limit: '500', fields: 'id' })));
  for (const { place, id } of market) {
    const expected = holds(place);
    if (expected !== null)
      assert.equal(found.has(id), expected, `${place.lng},${place.lat} in ${JSON.stringify(query)}`);
  }
  return found.size;
}

/**
 * How near to an edge PostgreSQL's polygon cannot tell, in degrees: about a millimetre, and more only where an edge is
 * shorter than ten metres.
 */
const band = (polygon: readonly Place[]): number => {
  const lengths = polygon.map((b, index) => {
    const a = polygon.at(index - 1) ?? b;
    return Math.hypot(b.lng - a.lng, b.lat - a.lat);
  });
  return Math.max(1e-8, 1e-12 / Math.min(...lengths.filter((length) => length > 0)));
};

function provePolygon(text: string): Promise<number> {
  const polygon = corners(text);
  const near = band(polygon);
  const holds = (place: Place): boolean | null => {
    const distance = fromEdge(polygon, place);
    if (distance <= ON_EDGE) return true;
    return distance <= near ? null : turns(polygon, place) !== 0;
  };
  return prove({ polygon: text }, ({ lng, lat }) => {
    // The meridians 180 and -180 are one.
    const sides = (Math.abs(lng) === 180 ? [180, -180] : [lng]).map((each) => holds({ lng: each, lat }));
    return sides.includes(true) || (sides.includes(null) ? null : false);
  });
}

const cornerOf = (step: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: 2 * SIDE }), fc.integer({ min: 0, max: 2 * SIDE }))
    .map(([x, y]) => gridPoint(step, x / 2, y / 2));

const polygons = fc
  .constantFrom(...STEPS)
  .chain((step) =>
    fc.uniqueArray(cornerOf(step), {
      minLength: 3,
      maxLength: 12,
      selector: ({ lng, lat }) => `${lng} ${lat}`,
    }),
  )
  .map(aroundCentre)
  .filter((ring) => ring !== null)
  .map((ring) => ring.map(({ lng, lat }) => `${lng},${lat}`).join(';'));

test('a polygon of any size holds what it winds around, with its edges and corners and nothing beside them', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(polygons, async (polygon) => {
      found += await provePolygon(polygon);
    }),
    runs(120, 19),
  );
  assert.ok(found > 1_000, `they hold something: ${found}`);
});

test('a polygon up to the antimeridian, to a pole or round the world is straight in degrees', async () => {
  for (const polygon of [
    '170,-10;180,-10;180,10;170,10',
    '-180,-90;180,-90;180,90;-180,90',
    '-180,89;180,89;180,90;-180,90',
    '-180,-90;0,90;180,-90',
    '0,0;45,0.25;90,0;45,-1;0,0',
  ])
    assert.ok((await provePolygon(polygon)) > 0, polygon);
});

const lngs = [-180, -179.999, -179.3, -74.2, -73.98, -73.975, -71, 0, 90, 179.25, 179.9999, 180];
const lats = [-90, -89.999, -45, 0, 0.25, 40.71, 40.715, 43, 89.5, 90];
const inOrder = (a: number, b: number): readonly [number, number] => (a < b ? [a, b] : [b, a]);

test('a box holds its edges and corners, and nothing a hair beyond them, across the antimeridian too', async () => {
  const edgeAt = (degrees: readonly number[]) =>
    fc.tuple(fc.constantFrom(...degrees), fc.constantFrom(-1e-9, 0, 0, 1e-9)).map(([at, off]) => at + off);
  const edge = edgeAt(lngs);
  const height = fc.tuple(edgeAt(lats), edgeAt(lats)).map(([a, b]) => inOrder(a, b));
  const boxes = fc.record({ west: edge, east: edge, height });
  const clamp = (degrees: number, most: number) => Math.min(most, Math.max(-most, degrees)).toFixed(9);
  await fc.assert(
    fc.asyncProperty(boxes, async ({ west, east, height: [south, north] }) => {
      const bbox = [clamp(west, 180), clamp(south, 90), clamp(east, 180), clamp(north, 90)].join();
      await prove({ bbox }, ({ lng, lat }) => inBox(bbox, lng, lat));
    }),
    runs(100, 23),
  );
});

test('corners may have every digit that a map sends', async () => {
  const [west, east] = ['-0.12574000000000002', '0.30000000000000004'];
  assert.equal(await prove({ bbox: `${west},0,${east},1` }, () => null), 2);
  assert.equal(await prove({ polygon: `${west},0;${east},-1;${east},1` }, () => null), 3);
});

test('a circle holds what is as near along the sphere, round poles and across the antimeridian too', async () => {
  const centres = fc.record({ lng: fc.constantFrom(...lngs), lat: fc.constantFrom(...lats, 89.99, 40.7125) });
  const radii = fc.oneof(
    fc.constantFrom('100km', '800m', '1m', '62.1mi', '0.5', '55.6', '1.2mi', '20000m'),
    fc.double({ min: 0.001, max: 62, noNaN: true }).map((value) => value.toFixed(9)),
  );
  const circles = fc.record({ centre: centres, radius: radii, metric: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(circles, async ({ centre, radius, metric }) => {
      const km = kilometres(radius, metric);
      const query = { lat: String(centre.lat), lng: String(centre.lng), radius };
      await prove({ ...query, ...(metric && { units: 'metric' }) }, (place) => {
        const distance = along(centre, place);
        return Math.abs(distance - km) < 1e-8 ? null : distance < km;
      });
    }),
    runs(100, 29),
  );
});

test('a circle that ends at a listing holds it', async () => {
  const centre = { lng: ORIGIN.lng, lat: ORIGIN.lat };
  for (const { place, id } of market.slice(1, 240).filter((_, index) => index % 6 === 0)) {
    const km = along(centre, place);
    if (km === 0 || km > 99) continue;
    const query = { lat: String(centre.lat), lng: String(centre.lng), limit: '500', fields: 'id' };
    const [within, short] = [
      await walk(ask, 'sale', { ...query, radius: `${(km + 1e-8).toFixed(9)}km` }),
      await walk(ask, 'sale', { ...query, radius: `${Math.max(km - 1e-8, 1e-9).toFixed(9)}km` }),
    ];
    assert.ok(idsOf(within).includes(id) && !idsOf(short).includes(id), `${km} km`);
  }
});
