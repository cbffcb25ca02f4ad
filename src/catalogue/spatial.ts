// Owns how boxes, circles and polygons are written in a query, and what is wrong with those that cannot be.

import { invalidParameter, Problem } from '../lib/problem.ts';
import { type Box, boxesAround, boxOf, type Point, splitAtAntimeridian } from './geometry.ts';
import type { SearchQuery } from './search-parameters.ts';
import type { UnitSystem } from './vocabulary.ts';

export type Shape =
  | { readonly kind: 'boxes'; readonly boxes: readonly Box[] }
  | { readonly kind: 'circle'; readonly centre: Point; readonly km: number; readonly boxes: readonly Box[] }
  | { readonly kind: 'polygon'; readonly points: readonly Point[]; readonly boxes: readonly Box[] };

const MOST_CORNERS = 500;
const LONGEST_RADIUS_KM = 100;
const KM_PER_MILE = 1.609344;
/** Every digit that a double has in JavaScript's plain notation: near Greenwich maps send seventeen decimals and more. */
const DECIMAL = /^-?\d{1,3}(?:\.\d{1,22})?$/;

/** The shapes of a query; a listing must lie in each of them. Throws INVALID_PARAMETER or INVALID_GEOMETRY. */
export function readShapes(query: SearchQuery, units: UnitSystem): Shape[] {
  const shapes: Shape[] = [];
  if (query.bbox !== undefined) shapes.push({ kind: 'boxes', boxes: readBox(query.bbox) });
  const circle = readCircle(query, units);
  if (circle) shapes.push(circle);
  if (query.polygon !== undefined) {
    const points = readPolygon(query.polygon);
    const box = boxOf(Float64Array.from(points.flatMap(({ lng, lat }) => [lng, lat])));
    shapes.push({ kind: 'polygon', points, boxes: [box] });
  }
  return shapes;
}

function readBox(text: string): Box[] {
  const parts = text.split(',');
  const numbers = parts.map((part) => degrees(part));
  const [minLng, minLat, maxLng, maxLat] = numbers;
  if (parts.length !== 4 || minLng == null || minLat == null || maxLng == null || maxLat == null) {
    throw invalidParameter('bbox', 'must be four numbers in degrees: minLng,minLat,maxLng,maxLat');
  }
  checkPoint('bbox', { lng: minLng, lat: minLat });
  checkPoint('bbox', { lng: maxLng, lat: maxLat });
  if (minLat > maxLat)
    throw badGeometry('bbox', `its south edge ${minLat} lies north of its north edge ${maxLat}`);
  return splitAtAntimeridian(minLng, minLat, maxLng, maxLat);
}

function readCircle({ lat, lng, radius }: SearchQuery, units: UnitSystem): Shape | null {
  if (lat === undefined && lng === undefined && radius === undefined) return null;
  for (const [name, value] of Object.entries({ lat, lng, radius })) {
    if (value === undefined) throw invalidParameter(name, 'is missing: lat, lng and radius go together');
  }
  const km = readDistance(radius ?? '', units);
  const centre = { lat: lat ?? 0, lng: lng ?? 0 };
  return { kind: 'circle', centre, km, boxes: boxesAround(centre, km) };
}

/** Kilometres of a distance such as 2km, 1.5mi, 800m, or a bare number in miles or kilometres. */
function readDistance(text: string, units: UnitSystem): number {
  const match = /^(\d{1,7}(?:\.\d{1,9})?)(km|mi|m)?$/.exec(text);
  if (!match) throw invalidParameter('radius', 'must be a distance such as 2km, 1.5mi or 800m');
  const unit = match[2] ?? (units === 'metric' ? 'km' : 'mi');
  const km = Number(match[1]) * (unit === 'm' ? 0.001 : unit === 'mi' ? KM_PER_MILE : 1);
  if (km <= 0 || km > LONGEST_RADIUS_KM) {
    throw invalidParameter('radius', `must be above 0 and at most ${LONGEST_RADIUS_KM} km`);
  }
  return km;
}

function readPolygon(text: string): Point[] {
  const points = text.split(';').map((pair) => {
    const [lng, lat, ...more] = pair.split(',').map((part) => degrees(part));
    if (lng == null || lat == null || more.length > 0) {
      throw invalidParameter('polygon', 'must be corners in degrees: lng,lat;lng,lat;lng,lat');
    }
    checkPoint('polygon', { lng, lat });
    return { lng, lat };
  });
  const [first, last] = [points[0], points.at(-1)];
  const closed = points.length > 1 && first?.lng === last?.lng && first?.lat === last?.lat;
  const corners = closed ? points.slice(0, -1) : points;
  if (corners.length < 3) throw badGeometry('polygon', 'needs at least 3 corners');
  if (corners.length > MOST_CORNERS)
    throw badGeometry('polygon', `has ${corners.length} corners, at most ${MOST_CORNERS} are allowed`);
  return corners;
}

const degrees = (text: string): number | null => (DECIMAL.test(text.trim()) ? Number(text) : null);

function checkPoint(parameter: string, { lng, lat }: Point): void {
  if (Math.abs(lat) > 90) throw badGeometry(parameter, `latitude ${lat} is beyond 90: longitude comes first`);
  if (Math.abs(lng) > 180) throw badGeometry(parameter, `longitude ${lng} is beyond 180`);
}

function badGeometry(parameter: string, detail: string): Problem {
  return new Problem('INVALID_GEOMETRY', `${parameter}: ${detail}`, { errors: [{ parameter, detail }] });
}
