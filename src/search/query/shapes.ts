// Boxes, circles and polygons as a query writes them.

import { badGeometry, checkPoint, degrees } from '../../geometry/degrees.ts';
import { type Box, boxesAround, type Point, splitAtAntimeridian } from '../../geometry/geometry.ts';
import { invalidParameter } from '../../lib/problem.ts';
import type { UnitSystem } from '../../listings/vocabulary.ts';
import type { NormalizedQuery } from './normalize-query.ts';
import { boxesOf, type Part, parsePolygon } from './polygon.ts';

export type Shape =
  | { readonly kind: 'boxes'; readonly boxes: readonly Box[] }
  | { readonly kind: 'circle'; readonly centre: Point; readonly km: number; readonly boxes: readonly Box[] }
  | { readonly kind: 'polygon'; readonly parts: readonly Part[]; readonly boxes: readonly Box[] };

const LONGEST_RADIUS_KM = 100;
const KM_PER_MILE = 1.609344;
/** The shapes of a query; a listing must lie in each of them. Throws INVALID_PARAMETER or INVALID_GEOMETRY. */
export function parseShapes(query: NormalizedQuery, units: UnitSystem): Shape[] {
  const shapes: Shape[] = [];
  if (query.bbox !== undefined) shapes.push({ kind: 'boxes', boxes: parseBox(query.bbox) });
  const circle = parseCircle(query, units);
  if (circle) shapes.push(circle);
  if (query.polygon !== undefined) {
    const parts = parsePolygon(query.polygon);
    shapes.push({ kind: 'polygon', parts, boxes: boxesOf(parts) });
  }
  return shapes;
}

function parseBox(text: string): Box[] {
  const parts = text.split(',');
  const numbers = parts.map((part) => degrees(part));
  const [minLng, minLat, maxLng, maxLat] = numbers;
  if (parts.length !== 4 || minLng == null || minLat == null || maxLng == null || maxLat == null) {
    throw invalidParameter('bbox', 'must be four numbers in degrees: minLng,minLat,maxLng,maxLat');
  }
  checkPoint('bbox', { lng: minLng, lat: minLat });
  checkPoint('bbox', { lng: maxLng, lat: maxLat });
  if (minLat > maxLat)
    throw badGeometry('bbox', `its south edge ${minLat} is north of its north edge ${maxLat}`);
  return splitAtAntimeridian(minLng, minLat, maxLng, maxLat);
}

function parseCircle({ lat, lng, radius }: NormalizedQuery, units: UnitSystem): Shape | null {
  if (lat === undefined && lng === undefined && radius === undefined) return null;
  for (const [name, value] of Object.entries({ lat, lng, radius })) {
    if (value === undefined) throw invalidParameter(name, 'is missing: send lat, lng and radius together');
  }
  const km = parseDistance(radius ?? '', units);
  const centre = { lat: lat ?? 0, lng: lng ?? 0 };
  return { kind: 'circle', centre, km, boxes: boxesAround(centre, km) };
}

/** Kilometres of a distance such as 2km, 1.5mi, 800m, or a bare number in miles or kilometres. */
function parseDistance(text: string, units: UnitSystem): number {
  const match = /^(\d{1,7}(?:\.\d{1,9})?)(km|mi|m)?$/.exec(text);
  if (!match) throw invalidParameter('radius', 'must be a distance such as 2km, 1.5mi or 800m');
  const unit = match[2] ?? (units === 'metric' ? 'km' : 'mi');
  const km = Number(match[1]) * (unit === 'm' ? 0.001 : unit === 'mi' ? KM_PER_MILE : 1);
  if (km <= 0 || km > LONGEST_RADIUS_KM) {
    throw invalidParameter('radius', `must be above 0 and at most ${LONGEST_RADIUS_KM} km`);
  }
  return km;
}
