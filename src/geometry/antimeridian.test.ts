// Proves that cut boundaries are the boundaries that were drawn: by turning angles, areas and centres of what was not cut.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Position } from 'geojson';
import { cutAtAntimeridian } from './antimeridian.ts';
import { centroidOf } from './centroid.ts';
import {
  areaKm2,
  type Boundary,
  boundaryBox,
  flattened,
  type Point,
  polygonContains,
  polygonsOf,
} from './geometry.ts';
import { boundaryFault } from './geometry-fault.ts';

const polygon = (...rings: Position[][]): Boundary => ({ type: 'Polygon', coordinates: rings });
const closed = (ring: Position[]): Position[] => [...ring, ...ring.slice(0, 1)];
const contains = (boundary: Boundary, { lng, lat }: Point): boolean =>
  polygonsOf(boundary).some((rings) => polygonContains(flattened(rings), { lng, lat }));

function turns(ring: readonly Position[], x: number, y: number): boolean {
  let sum = 0;
  for (const [at, [bx = 0, by = 0]] of ring.entries()) {
    const [ax = 0, ay = 0] = ring.at(at - 1) ?? [];
    const [ux, uy, vx, vy] = [ax - x, ay - y, bx - x, by - y];
    sum += Math.atan2(ux * vy - uy * vx, ux * vx + uy * vy);
  }
  return Math.round(sum / (2 * Math.PI)) !== 0;
}

interface Tower {
  readonly storeys: readonly { readonly west: number; readonly width: number }[];
  readonly windows: readonly boolean[];
  readonly reversed: boolean;
  readonly turn: number;
}

/**
 * Rings of a tower whose sides wander across the antimeridian from storey to storey, with windows between them: many
 * crossings, and corners and whole edges on the meridian.
 */
function ringsOf({ storeys, windows, reversed, turn }: Tower): Position[][] {
  const at = (height: number, part: number): Position => {
    const [below, above] = [storeys[Math.floor(height)], storeys[Math.ceil(height)]];
    const x = (storey = { west: 0, width: 0 }) => storey.west + storey.width * part;
    const share = height - Math.floor(height);
    return [180 + turn + x(below) * (1 - share) + x(above) * share, 2 * height];
  };
  const floors = [...storeys.keys()];
  const walls = [...floors.map((floor) => at(floor, 1)), ...floors.toReversed().map((floor) => at(floor, 0))];
  const holes = floors
    .slice(1)
    .filter((floor) => windows[floor])
    .map((floor) => [
      at(floor - 0.75, 0.75),
      at(floor - 0.25, 0.75),
      at(floor - 0.25, 0.25),
      at(floor - 0.75, 0.25),
    ]);
  return [walls, ...holes].map((ring) => closed(reversed ? ring.toReversed() : ring));
}

const towers: fc.Arbitrary<Tower> = fc.record({
  storeys: fc.array(
    fc.record({ west: fc.integer({ min: -9, max: 3 }), width: fc.integer({ min: 1, max: 9 }) }),
    { minLength: 2, maxLength: 9 },
  ),
  windows: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
  reversed: fc.boolean(),
  turn: fc.constantFrom(-360, 0),
});

/** Points a hair off the grid of corners, on both sides of the antimeridian. */
const points = [...Array(30).keys()].flatMap((x) =>
  [...Array(18).keys()].map((y) => {
    const lng = 166.0123 + x;
    return { lng: lng > 180 ? lng - 360 : lng, lat: y - 0.4567 };
  }),
);

test('a boundary that is cut at the antimeridian holds what it held, and is as large, as wide and as centred', () => {
  let crossed = 0;
  fc.assert(
    fc.property(towers, (tower) => {
      const rings = ringsOf(tower);
      assert.equal(boundaryFault(polygon(...rings)), null);
      const cut = cutAtAntimeridian(polygon(...rings)) ?? assert.fail();
      const [shell = [], ...holes] = ringsOf({ ...tower, turn: 0 });
      for (const { lng, lat } of points) {
        const x = lng < 0 ? lng + 360 : lng;
        const expected = turns(shell, x, lat) && !holes.some((hole) => turns(hole, x, lat));
        assert.equal(contains(cut, { lng, lat }), expected, `${lng},${lat}`);
      }
      for (const [lng = 0] of polygonsOf(cut).flat(2)) assert.ok(Math.abs(lng) <= 180);
      assert.deepEqual(cutAtAntimeridian(cut), cut);
      assert.ok(Math.abs(areaKm2(cut) / areaKm2(polygon(shell, ...holes)) - 1) < 1e-3);
      const lngs = shell.map(([lng = 0]) => lng);
      const home = Math.min(...lngs) >= 180 ? -360 : 0;
      const [west, , east] = boundaryBox(cut);
      assert.ok(Math.abs(west - Math.min(...lngs) - home) < 1e-9, `${west}`);
      assert.ok(Math.abs(east - Math.max(...lngs) - home) < 1e-9, `${east}`);
      if (polygonsOf(cut).length > 1) crossed++;
    }),
    { numRuns: 300, seed: 11 },
  );
  assert.ok(crossed > 100, `they cross: ${crossed}`);
});

test('a centroid does not depend on where the boundary is cut, nor on the turn it is written by', () => {
  fc.assert(
    fc.property(towers, fc.integer({ min: -12, max: 12 }), (tower, moved) => {
      // One piece only: of several, the largest has the label.
      const storeys = tower.storeys.map(({ width }) => ({ west: -5, width: width + 5 }));
      const rings = (east: number) =>
        ringsOf({ ...tower, storeys, windows: [], turn: 0 }).map((ring) =>
          ring.map(([lng = 0, lat = 0]): Position => [lng + east, lat]),
        );
      const [here, there] = [moved, moved - 100].map((east) => {
        const cut = cutAtAntimeridian(polygon(...rings(east))) ?? assert.fail();
        return centroidOf(cut);
      });
      assert.ok(here && there && Math.abs(here.lng) <= 180);
      const apart = (((here.lng - there.lng) % 360) + 360) % 360;
      assert.ok(Math.abs(apart - 100) < 1e-9, `${apart}`);
      assert.ok(Math.abs(here.lat - there.lat) < 1e-9);
    }),
    { numRuns: 500, seed: 12 },
  );
});

test('the narrowest box is taken across the antimeridian, and the plain one where it is as narrow', () => {
  const shells = (...sides: (readonly [number, number])[]): Boundary => ({
    type: 'MultiPolygon',
    coordinates: sides.map(([west, east]) => [
      closed([
        [west, 0],
        [east, 0],
        [east, 5],
        [west, 5],
      ]),
    ]),
  });
  const sides = ([west, , east]: readonly number[]) => [west, east];
  assert.deepEqual(sides(boundaryBox(shells([177, 180], [-180, -178]))), [177, 182]);
  assert.deepEqual(sides(boundaryBox(shells([-179, -67], [172, 179.5]))), [172, 293]);
  assert.deepEqual(sides(boundaryBox(shells([-180, 180]))), [-180, 180]);
  assert.deepEqual(sides(boundaryBox(shells([-90, -80], [90, 100]))), [-90, 100]);
  assert.deepEqual(sides(boundaryBox(shells([-10, 100], [0, 20], [110, 120]))), [-10, 120]);
});

test('a ring that can be meant ambiguous edge is no boundary, nor is one that crosses itself at the antimeridian', () => {
  const square = (west: number, east: number) =>
    polygon(
      closed([
        [west, 0],
        [east, 0],
        [east, 5],
        [west, 5],
      ]),
    );
  for (const [boundary, told] of [
    [square(179, -179), /from longitude 179 to -179.*write 181 for -179.*3\.1\.9/],
    [square(-179, 179), /from longitude -179 to 179.*write -181 for 179/],
    [square(-100, 100), /ambiguous edge/],
    [square(300, 400), /\[400, 0\] is not in degrees/],
    [
      polygon(
        closed([
          [170, 0],
          [190, 0],
          [170, 10],
          [190, 10],
        ]),
      ),
      /the shell crosses itself at \[180, 5\]/,
    ],
  ] as const)
    assert.match(boundaryFault(boundary) ?? '', told);
  for (const fine of [
    square(179, 181),
    square(-181, -179),
    square(-180, 180),
    square(0, 360),
    square(190, 200),
  ])
    assert.equal(boundaryFault(fine), null);
});
