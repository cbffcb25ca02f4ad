// Tests of geometry: points in polygons against winding numbers, boxes, distances, areas and centroids.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Position } from 'geojson';
import { centroidOf } from './centroid.ts';
import {
  areaKm2,
  type Boundary,
  boundaryBox,
  boxesAround,
  degreesWithin,
  distanceKm,
  flattened,
  type Point,
  polygonContains,
  polygonsOf,
} from './geometry.ts';

const polygon = (...rings: Position[][]): Boundary => ({ type: 'Polygon', coordinates: rings });
const contains = (boundary: Boundary, point: Point): boolean =>
  polygonsOf(boundary).some((rings) => polygonContains(flattened(rings), point));
const square = (west: number, south: number, size: number): Position[] => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
];

/** The angle that a ring turns around a point, in turns: another way to tell inside from outside. */
function turns(ring: readonly Position[], x: number, y: number): number {
  let sum = 0;
  for (let index = 0; index < ring.length; index++) {
    const [ax = 0, ay = 0] = ring[index] ?? [];
    const [bx = 0, by = 0] = ring[(index + 1) % ring.length] ?? [];
    const [ux, uy, vx, vy] = [ax - x, ay - y, bx - x, by - y];
    sum += Math.atan2(ux * vy - uy * vx, ux * vx + uy * vy);
  }
  return Math.round(sum / (2 * Math.PI));
}

const coordinate = fc.integer({ min: -10, max: 10 });

/** A star around the origin: corners at rising angles, so that its edges never cross. */
const star = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 3, maxLength: 24 }).map((radii) =>
  radii.map((radius, index): Position => {
    const angle = (2 * Math.PI * index) / radii.length;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  }),
);

test('a point is inside a ring just when the ring turns around it', () => {
  const offGrid = fc.tuple(coordinate, coordinate).map(([x, y]) => [x + 0.123456, y + 0.654321] as const);
  fc.assert(
    fc.property(star, offGrid, ([...ring], [lng, lat]) => {
      assert.equal(contains(polygon(ring), { lng, lat }), turns(ring, lng, lat) !== 0);
      assert.equal(contains(polygon([...ring, ring[0] ?? []]), { lng, lat }), turns(ring, lng, lat) !== 0);
    }),
    { numRuns: 2_000 },
  );
});

test('edges and corners of a polygon belong to it, the inside of a hole does not, its edge does', () => {
  const ring = polygon(square(0, 0, 10), square(4, 4, 2));
  for (const [lng, lat, expected] of [
    [0, 0, true],
    [10, 10, true],
    [5, 0, true],
    [0, 7.25, true],
    [10.0000001, 5, false],

    [5, 5, false],
    [4, 5, true],
    [6, 6, true],
    [3, 5, true],
    [-1, 0, false],
    [11, 10, false],
  ] as const) {
    assert.equal(contains(ring, { lng, lat }), expected, `${lng},${lat}`);
  }
});

test('tiles that share edges leave no point between them', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 3, noNaN: true }),
      fc.double({ min: 0, max: 3, noNaN: true }),
      (lng, lat) => {
        const tiles = [0, 1, 2].flatMap((x) => [0, 1, 2].map((y) => polygon(square(x, y, 1))));
        assert.ok(tiles.some((tile) => contains(tile, { lng, lat })));
      },
    ),
  );
});

test('every point within a distance lies in the boxes around it, poles and antimeridian included', () => {
  const lat = fc.double({ min: -90, max: 90, noNaN: true });
  const lng = fc.double({ min: -180, max: 180, noNaN: true });
  fc.assert(
    fc.property(
      lat,
      lng,
      fc.double({ min: 0.001, max: 100, noNaN: true }),
      lat,
      lng,
      (y, x, km, north, east) => {
        // A point near the first, so that both outcomes are common.
        const near = { lat: Math.max(-90, Math.min(90, y + (north - y) / 200)), lng: x + (east - x) / 200 };
        if (distanceKm({ lat: y, lng: x }, near) > km) return;
        const held = boxesAround({ lat: y, lng: x }, km).some(
          ([west, south, right, top]) =>
            near.lng >= west && near.lng <= right && near.lat >= south && near.lat <= top,
        );
        assert.ok(held, JSON.stringify({ y, x, km, near }));
      },
    ),
    { numRuns: 3_000 },
  );
});

test('known distances and areas come out as known', () => {
  // One degree along the equator on the mean sphere.
  assert.ok(Math.abs(distanceKm({ lat: 0, lng: 0 }, { lat: 0, lng: 1 }) - 111.19508) < 1e-4);
  assert.equal(distanceKm({ lat: 5, lng: 180 }, { lat: 5, lng: -180 }) < 1e-9, true);
  // A degree square at the equator; the exact value is R² × rad(1) × sin(1°).
  const exact = 6371.0088 ** 2 * (Math.PI / 180) * Math.sin(Math.PI / 180);
  assert.ok(Math.abs(areaKm2(polygon(square(0, 0, 1))) / exact - 1) < 1e-4);
  assert.ok(
    Math.abs(areaKm2(polygon(square(0, 0, 3), square(1, 1, 1))) / areaKm2(polygon(square(0, 0, 3))) - 8 / 9) <
      1e-3,
  );
  const centre = centroidOf(polygon(square(100, 50, 2)));
  assert.ok(Math.abs(centre.lng - 101) < 1e-9 && Math.abs(centre.lat - 51) < 1e-9);
  assert.deepEqual(boundaryBox(polygon(square(1, 2, 3))), [1, 2, 4, 5]);
});

test('no point within a distance is farther away by degrees than is said, and one due east comes near it', () => {
  const where = fc.record({
    lat: fc.double({ min: -89, max: 89, noNaN: true }),
    km: fc.double({ min: 0.01, max: 300, noNaN: true }),
    bearing: fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(where, ({ lat, km, bearing, part }) => {
      const most = degreesWithin({ lat, lng: 0 }, km);
      const [up, angle] = [(lat * Math.PI) / 180, (km * part) / 6371.0088];
      const north = Math.asin(
        Math.sin(up) * Math.cos(angle) + Math.cos(up) * Math.sin(angle) * Math.cos(bearing),
      );
      const east = Math.atan2(
        Math.sin(bearing) * Math.sin(angle) * Math.cos(up),
        Math.cos(angle) - Math.sin(up) * Math.sin(north),
      );
      assert.ok((Math.hypot(north - up, east) * 180) / Math.PI <= most + 1e-9);
    }),
    { numRuns: 2_000 },
  );
  const east = 10 / (111.195 * Math.cos((47.6 * Math.PI) / 180));
  assert.ok(Math.abs(degreesWithin({ lat: 47.6, lng: -122 }, 10) / east - 1) < 0.01);
});
