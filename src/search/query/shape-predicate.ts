// Predicates of shapes: whether a search row lies in boxes, a circle or a polygon, by the formulas that SQL uses.

import { type Box, boxOf, EARTH_RADIUS_KM, type Point } from '../../geometry/geometry.ts';
import { isOnRing, type Ring, ringHolds } from '../../geometry/polygon-operators.ts';
import type { SearchRow } from '../../listings/search-row.ts';
import type { Part, Shape } from './shapes.ts';

/**
 * Corners and points are multiplied by it before they are compared. PostgreSQL treats lengths and products of lengths below
 * 1e-6 as zero: in degrees, every point near an edge of a hundred metres would be on it. Scaled up, that is about a millimetre,
 * still above the rounding of points on an edge. A power of two, so that scaling is exact.
 */
export const POLYGON_SCALE = 1024;

/** Whether a place lies in something. */
export type PointTest = (lng: number, lat: number) => boolean;

/**
 * Whether a row lies in the shape; one without a location lies in none. What is returned does not keep the shape, whose corners
 * as objects take several times the memory: watchers hold many shapes.
 */
export function compileShape(shape: Shape): (row: Pick<SearchRow, 'location'>) => boolean {
  const { boxes } = shape;
  const holds = compilePointTest(shape);
  return ({ location }) => {
    if (location === null) return false;
    const { lng, lat } = parseLocation(location);
    return isInBoxes(boxes, lng, lat) && holds(lng, lat);
  };
}

/** The location that was parsed last: one row is checked against many shapes in a row. */
let parsed = { location: '', lng: Number.NaN, lat: Number.NaN };

/** The longitude and latitude of `(lng,lat)`. */
export function parseLocation(location: string): Point {
  if (parsed.location === location) return parsed;
  const comma = location.indexOf(',');
  const [lng, lat] = [Number(location.slice(1, comma)), Number(location.slice(comma + 1, -1))];
  parsed = { location, lng, lat };
  return parsed;
}

/** Whether a place in the boxes of a shape lies in the shape. What is returned does not keep the shape. */
export function compilePointTest(shape: Shape): PointTest {
  switch (shape.kind) {
    case 'boxes':
      return () => true;
    case 'circle':
      return circleTest(shape.centre, shape.km);
    case 'polygon':
      return partsTest(shape.parts.map(compilePart));
  }
}

const circleTest =
  (centre: Point, km: number): PointTest =>
  (lng, lat) =>
    distanceKm(centre, lng, lat) <= km;

function partsTest(tests: readonly PointTest[]): PointTest {
  const [only] = tests;
  return tests.length === 1 && only !== undefined ? only : (lng, lat) => tests.some((test) => test(lng, lat));
}

/** Whether a place lies in any of the boxes, edges included. */
export function isInBoxes(boxes: readonly Box[], lng: number, lat: number): boolean {
  for (const box of boxes) if (lng >= box[0] && lng <= box[2] && lat >= box[1] && lat <= box[3]) return true;
  return false;
}

/** The box around a part. */
export const boxOfPart = ({ shell }: Part): Box =>
  boxOf(Float64Array.from(shell.flatMap(({ lng, lat }) => [lng, lat])));

/** Within the shell or on its edges, and not inside a hole; edges of holes belong to the part. */
export function compilePart({ shell, holes }: Part): PointTest {
  const [outline, ...openings] = [shell, ...holes].map(scaledRing);
  return (lng, lat) => {
    const [x, y] = [lng * POLYGON_SCALE, lat * POLYGON_SCALE];
    if (outline === undefined || !ringHolds(outline, x, y)) return false;
    return openings.every((hole) => !ringHolds(hole, x, y) || isOnRing(hole, x, y));
  };
}

/** A plain array: a Float64Array of a few corners takes more memory for its buffer than for them. `slice` leaves no spare room. */
const scaledRing = (points: readonly Point[]): Ring =>
  points.flatMap(({ lng, lat }) => [lng * POLYGON_SCALE, lat * POLYGON_SCALE]).slice();

/** As PostgreSQL's radians() multiplies. */
const radians = (degrees: number): number => degrees * 0.017453292519943295;

/**
 * Great-circle kilometres by the haversine formula, computed in the order of distanceSql. Sines differ between programs in the
 * last bit, which is less than a nanometre here.
 */
export function distanceKm(centre: Point, lng: number, lat: number): number {
  const sinLat = Math.sin(radians(lat - centre.lat) / 2);
  const sinLng = Math.sin(radians(lng - centre.lng) / 2);
  const narrowing = Math.cos(radians(centre.lat)) * Math.cos(radians(lat));
  const haversine = sinLat * sinLat + narrowing * (sinLng * sinLng);
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(haversine)));
}
