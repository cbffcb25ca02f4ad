// Shapes of a query: boxes, circles, and polygons as corner lists or GeoJSON.

import type { Position } from 'geojson';
import { MAX_LNG, ringFault, ringsOnMap } from '../../geometry/antimeridian.ts';
import { type Box, boxesAround, boxOf, type Point, splitAtAntimeridian } from '../../geometry/geometry.ts';
import { badGeometry, checkPoint, degrees, validityText } from '../../geometry/geometry-fault.ts';
import { findValidityFault, type ValidityFault } from '../../geometry/polygon-validity.ts';
import { parseJson } from '../../lib/parse.ts';
import { invalidParameter } from '../../lib/problem.ts';
import type { UnitSystem } from '../../listings/vocabulary.ts';
import type { NormalizedQuery } from './normalize-query.ts';

export type Shape =
  | { readonly kind: 'boxes'; readonly boxes: readonly Box[] }
  | { readonly kind: 'circle'; readonly centre: Point; readonly km: number; readonly boxes: readonly Box[] }
  | { readonly kind: 'polygon'; readonly parts: readonly Part[]; readonly boxes: readonly Box[] };

const MAX_RADIUS_KM = 100;
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
  if (km <= 0 || km > MAX_RADIUS_KM) {
    throw invalidParameter('radius', `must be above 0 and at most ${MAX_RADIUS_KM} km`);
  }
  return km;
}

/** One polygon: its shell and its holes. No ring repeats its first corner. */
export interface Part {
  readonly shell: readonly Point[];
  readonly holes: readonly (readonly Point[])[];
}

const MAX_CORNERS = 500;
/** More parts share one box in the index lookup. */
const MAX_BOXES = 8;

/**
 * The parts of a polygon between the meridians -180 and 180: what is drawn past one continues at the other. Throws
 * INVALID_PARAMETER or INVALID_GEOMETRY.
 */
export function parsePolygon(text: string): Part[] {
  const parts = /^\s*[[{]/.test(text) ? fromJson(text) : [{ shell: fromCorners(text), holes: [] }];
  checkCount(parts.flatMap(({ shell, holes }) => [shell, ...holes]).flat().length);
  checkValidity(parts, /^\s*\[/.test(text));
  return parts.flatMap(onMap);
}

/** Throws INVALID_GEOMETRY for too many corners. */
function checkCount(corners: number): void {
  if (corners > MAX_CORNERS)
    throw badGeometry('polygon', `has ${corners} corners; at most ${MAX_CORNERS} are allowed`);
}

/** The polygons of a plain list may overlap; the parts of a MultiPolygon may not. */
function checkValidity(parts: readonly Part[], isList: boolean): void {
  const polygons = parts.map(({ shell, holes }) =>
    [shell, ...holes].map((points) => points.map(({ lng, lat }) => [lng, lat])),
  );
  const fault = isList ? firstFault(polygons) : findValidityFault(polygons);
  if (fault === null) return;
  const remedy = fault.reason === 'crosses itself' ? ': list its corners in order around the edge' : '';
  throw badGeometry('polygon', validityText(fault, parts.length > 1) + remedy);
}

function firstFault(polygons: readonly Position[][][]): ValidityFault | null {
  for (const [polygon, rings] of polygons.entries()) {
    const fault = findValidityFault([rings]);
    if (fault !== null) return { ...fault, polygon };
  }
  return null;
}

function onMap({ shell, holes }: Part): Part[] {
  const others = holes.flatMap(ringsOnMap);
  return ringsOnMap(shell).map((ring) => ({ shell: ring, holes: others }));
}

/** Boxes that together contain all parts, cut at -180 and 180. */
export function boxesOf(parts: readonly Part[]): Box[] {
  const around = (points: readonly Point[]): Box => {
    const [west, south, east, north] = boxOf(Float64Array.from(points.flatMap(({ lng, lat }) => [lng, lat])));
    return [Math.max(west, -180), south, Math.min(east, 180), north];
  };
  return parts.length > MAX_BOXES
    ? [around(parts.flatMap(({ shell }) => shell))]
    : parts.map(({ shell }) => around(shell));
}

function fromCorners(text: string): Point[] {
  const pairs = text.split(';');
  // The last corner may repeat the first. Counted before parsing, which costs more.
  checkCount(pairs.length - 1);
  const points = pairs.map((pair) => {
    const [lng, lat, ...more] = pair.split(',').map((part) => degrees(part));
    if (lng == null || lat == null || more.length > 0) {
      throw invalidParameter('polygon', 'must be corners in degrees: lng,lat;lng,lat;lng,lat');
    }
    return { lng, lat };
  });
  return ring(points);
}

function fromJson(text: string): Part[] {
  const value = parsed(text);
  if (Array.isArray(value))
    return nonEmpty(value).map((corners) => ({ shell: ring(points(corners)), holes: [] }));
  const { type, coordinates } = (value ?? {}) as { type?: unknown; coordinates?: unknown };
  if (type === 'Polygon') return [part(coordinates)];
  if (type === 'MultiPolygon') return nonEmpty(coordinates).map(part);
  throw badGeometry('polygon', 'must be a GeoJSON Polygon or MultiPolygon');
}

function parsed(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw invalidParameter('polygon', 'is not valid JSON');
  return value;
}

function part(rings: unknown): Part {
  const [shell = [], ...holes] = nonEmpty(rings).map((corners) => ring(points(corners)));
  return { shell, holes };
}

function nonEmpty(value: unknown): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0) return value;
  throw badGeometry('polygon', 'has coordinates of the wrong depth, or none');
}

function points(corners: unknown): Point[] {
  return nonEmpty(corners).map((corner) => {
    if (typeof corner === 'number')
      throw badGeometry('polygon', 'is one ring: put it in a list of rings, as in [[[lng, lat], …]]');
    const [lng, lat] = Array.isArray(corner) ? (corner as unknown[]) : [];
    if (typeof lng !== 'number' || typeof lat !== 'number')
      throw badGeometry('polygon', 'has a corner that is not [lng, lat]');
    return { lng, lat };
  });
}

/** Accepts rings with and without a repeated end. */
function ring(corners: readonly Point[]): Point[] {
  for (const corner of corners) checkPoint('polygon', corner, MAX_LNG);
  const [first, last] = [corners[0], corners.at(-1)];
  const closed = corners.length > 1 && first?.lng === last?.lng && first?.lat === last?.lat;
  const open = closed ? corners.slice(0, -1) : [...corners];
  if (open.length < 3) throw badGeometry('polygon', 'needs at least 3 corners');
  const fault = ringFault(open);
  if (fault !== null) throw badGeometry('polygon', fault);
  return open;
}
