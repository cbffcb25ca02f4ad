// Random shapes, and the spots that tell them apart: corners, points on edges, and points next to them.

import fc from 'fast-check';
import type { Point } from '../../../src/geometry/geometry.ts';
import { boxesAround, splitAtAntimeridian } from '../../../src/geometry/geometry.ts';
import { boxesOf, type Part, type Shape } from '../../../src/search/query/shapes.ts';

/** A coarse grid here and at the antimeridian, so that spots lie on edges and corners. */
const LNGS = [-180, -179.5, 179.5, 180, 20, 20.1, 20.25, 20.3, 20.5, 20.7, 21];
const LATS = [-90, 90, 10, 10.1, 10.2, 10.25, 10.3, 10.5, 11];
const decimals = (min: number, max: number) =>
  fc.integer({ min: min * 1e7, max: max * 1e7 }).map((at) => at / 1e7);

const spot = fc.record({
  lng: fc.oneof(fc.constantFrom(...LNGS), decimals(20, 21)),
  lat: fc.oneof(fc.constantFrom(...LATS), decimals(10, 11)),
});

/** A spot of the grid, or any number. */
export const spotArbitrary: fc.Arbitrary<Point> = fc.oneof(
  { weight: 8, arbitrary: spot },
  fc.record({
    lng: fc.double({ min: -180, max: 180, noNaN: true }),
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
  }),
);

/** Any ring: what a search refuses, such as one that crosses itself, is compared all the same. */
const ring = fc.array(spot, { minLength: 3, maxLength: 7 });
const part: fc.Arbitrary<Part> = fc.record({ shell: ring, holes: fc.array(ring, { maxLength: 2 }) });

export const polygonArbitrary = fc
  .array(part, { minLength: 1, maxLength: 3 })
  .map((parts): Extract<Shape, { kind: 'polygon' }> => ({ kind: 'polygon', parts, boxes: boxesOf(parts) }));

export const circleArbitrary = fc
  .tuple(
    spot,
    fc.oneof(fc.constantFrom(0.001, 1.609344, 60, 100), fc.double({ min: 1e-3, max: 100, noNaN: true })),
  )
  .map(
    ([centre, km]): Extract<Shape, { kind: 'circle' }> => ({
      kind: 'circle',
      centre,
      km,
      boxes: boxesAround(centre, km),
    }),
  );

const boxes = fc.tuple(spot, spot).map(
  ([a, b]): Shape => ({
    kind: 'boxes',
    boxes: splitAtAntimeridian(a.lng, Math.min(a.lat, b.lat), b.lng, Math.max(a.lat, b.lat)),
  }),
);

export const shapeArbitrary: fc.Arbitrary<Shape> = fc.oneof(boxes, circleArbitrary, polygonArbitrary);
