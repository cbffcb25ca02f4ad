// Proves that the nearest homes are the nearest, also where more lie around than are looked at, and where degrees mislead.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import type { Point } from '../../src/geometry/geometry.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { findNeighbours, MAX_NEIGHBOURS } from '../../src/property/neighbour-store.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { along } from '../support/catalogue/sphere.ts';
import { runs } from '../support/check/runs.ts';
import { testDatabase } from '../support/database/database.ts';

const AT = Date.UTC(2026, 2, 1);
const TOWNS: readonly Point[] = [
  { lat: 64.1, lng: -21.9 },
  { lat: 0.2, lng: 30 },
  { lat: -17, lng: 179.99 },
];
const HOMES = 300;

/** So far north that a degree east is two fifths of one north; hundreds stand north of here, and some nearer, to the east. */
const LANE: Point = { lat: 66, lng: 20 };
const NORTH = 700;
const EAST = 250;
const lane = [
  ...Array.from({ length: NORTH }, (_, place) => ({ lat: 66.01 + place / 100_000, lng: 20 })),
  ...Array.from({ length: EAST }, (_, place) => ({ lat: 66, lng: 20.018 + place / 100_000 })),
].map((at, index) => ({ key: `lane-${index}`, ...at }));

/** More at one place than are looked at. */
const TOWER: Point = { lat: -30, lng: 100 };
const tower = Array.from({ length: 400 }, (_, index) => ({ key: `tower-${index}`, ...TOWER }));

/** Beside the pole and the antimeridian, with nearer homes on its other side. */
const POLAR: Point = { lat: 89, lng: 179.9 };
const polar = Array.from({ length: 1_150 }, (_, index) => ({
  key: `polar-${index}`,
  lat: 89 + ((index % 41) - 20) / 1_000,
  lng: index < 1_000 ? 179.9 - (index % 100) / 40 : -179.9 + (index % 50) / 100,
}));

const { database } = await testDatabase({ after });
const spread = fc.tuple(fc.integer({ min: -60, max: 60 }), fc.integer({ min: -60, max: 60 }));
const [steps = []] = fc.sample(fc.array(spread, { minLength: HOMES, maxLength: HOMES, size: 'max' }), {
  seed: 31,
  numRuns: 1,
});
/** On a grid, so that some lie equally far; the last town's lie on both sides of the antimeridian. */
const homes = TOWNS.flatMap(({ lat, lng }, town) =>
  steps.map(([north, east], index) => {
    const degrees = lng + east / 2_000;
    return {
      key: `${town}-${index}`,
      lat: lat + north / 2_000,
      lng: degrees > 180 ? degrees - 360 : degrees,
    };
  }),
);
const { ids } = await database.transaction((tx) =>
  createCatalogue(database).write(
    tx,
    'test',
    [...homes, ...lane, ...tower, ...polar].map(({ key, lat, lng }, index) =>
      draft(key, { location: { lat, lng, precision: 'exact' }, listPrice: 100_000 + index }),
    ),
    AT,
  ),
);

const nearest = (location: Point, radiusKm: number) =>
  findNeighbours(database, {
    listingType: 'sale',
    radiusKm,
    except: [],
    closedSince: null,
    now: AT,
    ignoreDisplayRules: false,
    reach: EVERYTHING,
    currency: null,
    subject: {
      propertyType: 'SINGLE_FAMILY',
      location,
      livingArea: null,
      bedrooms: null,
      bathrooms: null,
      lotSize: null,
      yearBuilt: null,
      waterfront: null,
    },
  });

test('the nearest homes are found, nearest first, however many there are', async () => {
  let full = 0;
  const where = fc.tuple(fc.constantFrom(...TOWNS), spread, fc.constantFrom(0.2, 1, 2, 5, 100));
  await fc.assert(
    fc.asyncProperty(where, async ([town, [north, east], radiusKm]) => {
      const location = { lat: town.lat + north / 3_000, lng: Math.min(180, town.lng + east / 3_000) };
      const found = await nearest(location, radiusKm);
      const expected = homes
        .map((home) => ({ id: ids.get(home.key) ?? '', km: along(location, home) }))
        .filter(({ km }) => km <= radiusKm)
        .sort((a, b) => a.km - b.km);
      assert.equal(found.length, Math.min(expected.length, MAX_NEIGHBOURS));
      for (const [place, home] of found.entries()) {
        // Those that lie equally far may stand either way round.
        const km = along(location, home.location);
        assert.ok(
          Math.abs(km - (expected[place]?.km ?? -1)) < 1e-6,
          `${place}: ${km} ${expected[place]?.km}`,
        );
      }
      assert.equal(new Set(found.map(({ id }) => id)).size, found.length);
      if (found.length === MAX_NEIGHBOURS) full += 1;
    }),
    runs(60, 5),
  );
  assert.ok(full > 10, `${full} had more around than are looked at`);
});

test('homes that are nearer than their degrees tell are found behind hundreds that are not', async () => {
  const found = await nearest(LANE, 5);
  const expected = lane
    .map((home) => ({ id: ids.get(home.key), km: along(LANE, home) }))
    .sort((a, b) => a.km - b.km)
    .slice(0, MAX_NEIGHBOURS);
  assert.deepEqual(new Set(found.map(({ id }) => id)), new Set(expected.map(({ id }) => id)));
  const eastern = found.filter(({ location }) => location.lat === LANE.lat).length;
  assert.ok(eastern > MAX_NEIGHBOURS / 2, `${eastern} to the east`);
});

test('of more homes at one place than are looked at, those with the first ids are', async () => {
  const found = await nearest(TOWER, 1);
  const expected = tower.map(({ key }) => ids.get(key) ?? '').sort();
  assert.deepEqual(
    found.map(({ id }) => id),
    expected.slice(0, MAX_NEIGHBOURS),
  );
});

test('around a pole, homes across the antimeridian are near', async () => {
  const found = await nearest(POLAR, 320);
  const expected = polar.map((home) => along(POLAR, home)).sort((a, b) => a - b);
  const farthest = Math.max(...found.map(({ location }) => along(POLAR, location)));
  assert.ok(Math.abs(farthest - (expected[MAX_NEIGHBOURS - 1] ?? 0)) < 1e-6);
  assert.ok(found.some(({ location }) => location.lng < 0));
});
