// Tests of points inside boundaries.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { flattened, polygonContains } from './geometry.ts';
import { pointInside } from './point-inside.ts';

/** A star-shaped ring around a point, whose arms may be long and thin, or a half ring without its middle. */
const shapes = fc
  .tuple(
    fc.array(fc.double({ min: 0.05, max: 1, noNaN: true }), { minLength: 3, maxLength: 20 }),
    fc.double({ min: -150, max: 150, noNaN: true }),
    fc.double({ min: -60, max: 60, noNaN: true }),
    fc.boolean(),
  )
  .map(([lengths, lng, lat, isHalf]) => {
    const turn = isHalf ? Math.PI : 2 * Math.PI;
    const outer = lengths.map(
      (length, at) =>
        [Math.cos((at / lengths.length) * turn), Math.sin((at / lengths.length) * turn), length] as const,
    );
    const ring = isHalf
      ? [...outer.map(([x, y]) => [x, y]), ...outer.toReversed().map(([x, y]) => [x * 0.9, y * 0.9])]
      : outer.map(([x, y, length]) => [x * length, y * length]);
    return [...ring, ring[0] ?? []].map(([x = 0, y = 0]) => [lng + x, lat + y]);
  });

test('the point lies in the boundary, whatever its shape', () => {
  fc.assert(
    fc.property(shapes, (ring) => {
      const point = pointInside({ type: 'Polygon', coordinates: [ring] });
      assert.ok(polygonContains(flattened([ring]), point), JSON.stringify({ ring, point }));
    }),
    { numRuns: 300 },
  );
});

test('it lies in no hole, and in a polygon of several', () => {
  const square = (from: number, to: number) => [
    [from, from],
    [to, from],
    [to, to],
    [from, to],
    [from, from],
  ];
  const ring = [square(0, 10), square(1, 9)];
  assert.ok(polygonContains(flattened(ring), pointInside({ type: 'Polygon', coordinates: ring })));
  const several = [[square(0, 1)], ring.map((each) => each.map(([x = 0, y = 0]) => [x + 20, y]))];
  const point = pointInside({ type: 'MultiPolygon', coordinates: several });
  assert.ok(several.some((rings) => polygonContains(flattened(rings), point)));
});
