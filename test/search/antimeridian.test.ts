// Proves that polygons and areas across the antimeridian mean one thing however they are written, or are refused with the remedy.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Area } from '../../src/areas/area.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { idsOf, searchClient } from '../support/catalogue/search-client.ts';
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
import { temporaryFolder } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const ask = searchClient(service);
const steps = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, at) => from + at * step);
/** A grid around the meridian, which is there by both its names. */
const places: readonly Place[] = [...steps(175, 180, 0.5), ...steps(-180, -175, 0.5)].flatMap((lng) =>
  steps(-3, 3, 0.5).map((lat) => ({ lng, lat })),
);
const { ids } = await service.database.transaction((tx) =>
  createCatalogue(service.database).write(
    tx,
    'test',
    places.map((place, at) => draft(`${at}`, { location: { ...place, precision: 'exact' } })),
    service.clock.now(),
  ),
);
const market = places.map((place, at) => ({ place, id: ids.get(`${at}`) ?? '' }));

/** How a place lies to a ring that may be drawn past the edge of the map; null where numbers cannot tell. */
function within(ring: readonly Place[], { lng, lat }: Place): boolean | null {
  const sides = [lng - 720, lng - 360, lng, lng + 360, lng + 720].map((each) => {
    const distance = fromEdge(ring, { lng: each, lat });
    if (distance <= ON_EDGE) return true;
    return distance < 1e-8 ? null : turns(ring, { lng: each, lat }) !== 0;
  });
  return sides.includes(true) || (sides.includes(null) ? null : false);
}

async function found(polygon: unknown): Promise<string[]> {
  const text = typeof polygon === 'string' ? polygon : JSON.stringify(polygon);
  return idsOf([await ask('sale', { polygon: text, limit: '500', fields: 'id' })]).sort();
}

const text = (ring: readonly Place[]): string => ring.map(({ lng, lat }) => `${lng},${lat}`).join(';');
const positions = (ring: readonly Place[]): number[][] =>
  [...ring, ...ring.slice(0, 1)].map(({ lng, lat }) => [lng, lat]);
const moved = (ring: readonly Place[], turn: number): Place[] =>
  ring.map(({ lng, lat }) => ({ lng: lng + turn, lat }));

const corner = fc.record({
  lng: fc.integer({ min: 350, max: 370 }).map((half) => half / 2),
  lat: fc.integer({ min: -7, max: 7 }).map((half) => half / 2),
});
const rings = fc
  .uniqueArray(corner, { minLength: 3, maxLength: 9, selector: ({ lng, lat }) => `${lng} ${lat}` })
  .map(aroundCentre)
  .filter((ring) => ring !== null);

test('a ring drawn on past the antimeridian holds what it winds around, from whichever side it is drawn', async () => {
  let held = 0;
  await fc.assert(
    fc.asyncProperty(rings, fc.constantFrom(0, -360), async (drawn, turn) => {
      const ring = moved(drawn, turn);
      const got = new Set(await found(text(ring)));
      for (const { place, id } of market) {
        const expected = within(ring, place);
        if (expected !== null)
          assert.equal(got.has(id), expected, `${place.lng},${place.lat} in ${text(ring)}`);
      }
      assert.deepEqual(await found({ type: 'Polygon', coordinates: [positions(ring)] }), [...got].sort());
      held += got.size;
    }),
    runs(60, 31),
  );
  assert.ok(held > 1_000, `they hold something: ${held}`);
});

/** A convex ring cut by hand: the corners of each side, and where its edges meet the meridian. */
function cutByHand(ring: readonly Place[]): Place[][] {
  const side = (keep: (lng: number) => boolean) =>
    ring.flatMap((to, at) => {
      const from = ring.at(at - 1) ?? to;
      const share = (180 - from.lng) / (to.lng - from.lng);
      const met = { lng: 180, lat: from.lat + share * (to.lat - from.lat) };
      return [...(share > 0 && share < 1 ? [met] : []), ...(keep(to.lng) ? [to] : [])];
    });
  return [
    side((lng) => lng <= 180),
    moved(
      side((lng) => lng >= 180),
      -360,
    ),
  ];
}

const convex = fc
  .record({
    radii: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 3 })),
    centre: fc.constantFrom(179.25, 179.75, 180, 180.5),
    corners: fc.integer({ min: 3, max: 9 }),
  })
  .map(({ radii: [width, height], centre, corners }) =>
    steps(0, corners - 1, 1).map((at) => ({
      lng: centre + width * Math.cos((2 * Math.PI * at) / corners + 0.1),
      lat: height * Math.sin((2 * Math.PI * at) / corners + 0.1),
    })),
  );

test('a polygon cut in two at the antimeridian is the one that was drawn past it, holes included', async () => {
  await fc.assert(
    fc.asyncProperty(convex, async (ring) => {
      const hole = ring
        .map(({ lng, lat }) => ({ lng: 180 + (lng - 180) / 2 + 0.01, lat: lat / 2 }))
        .reverse();
      const shells = cutByHand(ring);
      const cut = { type: 'MultiPolygon', coordinates: shells.map((shell) => [positions(shell)]) };
      const got = await found(cut);
      assert.ok(got.length > 0);
      assert.deepEqual(await found(text(ring)), got);
      // The hole may be written by the other turn.
      for (const turn of [0, -360]) {
        const pierced = await found({
          type: 'Polygon',
          coordinates: [positions(ring), positions(moved(hole, turn))],
        });
        const expected = market.flatMap(({ place, id }) =>
          within(ring, place) && (!within(hole, place) || within(hole, place) === null) ? [id] : [],
        );
        assert.deepEqual(pierced, expected.sort());
      }
    }),
    runs(30, 37),
  );
});

test('an edge that can be meant ambiguous edge is refused, with the parameter and the remedy', async () => {
  const jumping = [
    { lng: 179, lat: -1 },
    { lng: -179, lat: -1 },
    { lng: -179, lat: 1 },
    { lng: 179, lat: 1 },
  ];
  const body = { polygon: { type: 'Polygon', coordinates: [positions(jumping)] } };
  const posted = await fetch(`${service.url}/v1/search/sales`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.keys.pro}` },
    body: JSON.stringify(body),
  });
  const asked = await service.get(`/v1/search/sales?polygon=${text(jumping)}`, service.keys.pro);
  for (const [answer, named] of [
    [posted, { pointer: '/polygon' }],
    [asked, { parameter: 'polygon' }],
  ] as const) {
    const { code, errors } = (await answer.json()) as { code: string; errors: { detail: string }[] };
    assert.deepEqual([answer.status, code], [400, 'INVALID_GEOMETRY']);
    const { detail = '', ...place } = errors[0] ?? {};
    assert.deepEqual(place, named);
    assert.match(detail, /ambiguous edge.*write 181 for -179.*section 3\.1\.9/);
  }
  for (const refused of ['0,0;361,0;361,1', '-200,0;-20,0;161,0;0,5'])
    assert.equal(
      (await service.get(`/v1/search/sales?polygon=${refused}`, service.keys.pro)).status,
      400,
      refused,
    );
  const remedy = await found('179,-1;181,-1;181,1;179,1');
  assert.equal(remedy.length, 30);
});

type Near = Area & { readonly distanceKm: number };

test('areas are stored cut, and held, boxed, centred and near as one, however their rings were written', async (t) => {
  const folder = await temporaryFolder(t, 'antimeridian');
  const square = (west: number, east: number, south = -2, north = 2): Place[] => [
    { lng: west, lat: south },
    { lng: east, lat: south },
    { lng: east, lat: north },
    { lng: west, lat: north },
  ];
  const geometries: Record<string, unknown> = {
    past: { type: 'Polygon', coordinates: [positions(square(178, 183)), positions(square(179, 182, -1, 1))] },
    before: {
      type: 'Polygon',
      coordinates: [positions(square(-182, -177)), positions(square(-181, -178, -1, 1))],
    },
    // The same ring with its hole, cut by hand: of the hole bays are left.
    cut: {
      type: 'MultiPolygon',
      coordinates: [
        [positions(corners('178,-2;180,-2;180,-1;179,-1;179,1;180,1;180,2;178,2'))],
        [positions(corners('-180,-2;-177,-2;-177,2;-180,2;-180,1;-178,1;-178,-1;-180,-1'))],
      ],
    },
    jumping: { type: 'Polygon', coordinates: [positions(square(179, -179))] },
    west: { type: 'Polygon', coordinates: [positions(square(177, 178))] },
    east: { type: 'Polygon', coordinates: [positions(square(-176.4, -175.4))] },
  };
  const features = Object.entries(geometries).map(([id, geometry]) => ({
    type: 'Feature',
    id,
    properties: {},
    geometry,
  }));
  const [path, map] = [join(folder, 'areas.geojson'), join(folder, 'areas.json')];
  await writeFile(path, JSON.stringify({ type: 'FeatureCollection', features }));
  const fields = { id: { column: '@id' }, type: { constant: 'custom' }, name: { column: '@id' } };
  await writeFile(map, JSON.stringify({ kind: 'areas', source: { id: 'a', name: 'A' }, fields }));
  const environment = { DATABASE_URL: service.databaseUrl };
  const { stdout } = await runCommand(['import', 'areas', path, '--map', map, '--json'], {
    folder,
    environment,
  });
  const { created, rejected } = JSON.parse(stdout) as { created: number; rejected: number };
  assert.deepEqual([created, rejected], [5, 1]);

  const one = async (name: string): Promise<Area> =>
    service.json(`/v1/areas/custom-${name}?include=boundary`, service.keys.pro);
  const [past, ...others] = [await one('past'), await one('before'), await one('cut')];
  assert.deepEqual([past?.boundary?.type, past?.bbox], ['MultiPolygon', [178, -2, -177, 2]]);
  assert.ok(Math.abs((past?.centroid?.lng ?? 0) - -179.5) < 0.1, `${past?.centroid?.lng}`);
  for (const other of others) {
    assert.deepEqual(
      [other.bbox, other.areaKm2, other.centroid],
      [past?.bbox, past?.areaKm2, past?.centroid],
      other.id,
    );
  }
  const ring = square(178, 183);
  const hole = square(179, 182, -1, 1);
  const placed = idsOf([await ask('sale', { areaId: 'custom-past', limit: '500', fields: 'id' })]).sort();
  for (const name of ['before', 'cut'])
    assert.deepEqual(
      idsOf([await ask('sale', { areaId: `custom-${name}`, limit: '500', fields: 'id' })]).sort(),
      placed,
    );
  for (const { place, id } of market) {
    const expected = within(ring, place) === true && (fromHole(hole, place) || within(hole, place) === false);
    assert.equal(placed.includes(id), expected, `${place.lng},${place.lat}`);
    if (Math.abs(place.lat) < 1 !== Math.abs(place.lng) > 179) continue;
    const holding: { data: Area[] } = await service.json(
      `/v1/areas?lat=${place.lat}&lng=${place.lng}&limit=100`,
      service.keys.pro,
    );
    assert.equal(
      holding.data.some((area) => area.id === 'custom-past'),
      expected,
      `${place.lng},${place.lat}`,
    );
  }
  const meeting = async (bbox: string): Promise<string[]> => {
    const { data }: { data: Area[] } = await service.json(`/v1/areas?bbox=${bbox}`, service.keys.pro);
    return data.map(({ id }) => id.replace('custom-', ''));
  };
  assert.deepEqual(await meeting('0,-10,170,10'), [], 'the box does not go round the world');
  assert.deepEqual(await meeting('178.5,0,179,1'), ['before', 'cut', 'past']);
  assert.deepEqual(await meeting('-177.5,0,-176.9,1'), ['before', 'cut', 'past']);
  assert.deepEqual(await meeting('179.5,0,-179.5,1'), ['before', 'cut', 'past']);
  assert.deepEqual(await meeting('180,0,180,1'), ['before', 'cut', 'past']);
  const near: { data: Near[] } = await service.json('/v1/areas/custom-past/nearby', service.keys.pro);
  const [first, second, third, fourth] = near.data;
  assert.deepEqual([first?.distanceKm, second?.distanceKm], [0, 0]);
  assert.deepEqual([third?.id, fourth?.id], ['custom-west', 'custom-east']);
  const apart = along(past?.centroid ?? { lng: 0, lat: 0 }, { lng: 177.5, lat: 0 });
  assert.ok(Math.abs((third?.distanceKm ?? 0) - apart) < 1e-6 && apart < 400);
});

const fromHole = (hole: readonly Place[], { lng, lat }: Place): boolean =>
  [lng, lng + 360].some((each) => fromEdge(hole, { lng: each, lat }) <= ON_EDGE);
