// Polygons as a query writes them: corners in a row, lists of corners, or GeoJSON with several parts and holes.

import type { Position } from 'geojson';
import { FARTHEST_LNG, ringFault, ringsOnMap } from '../../geometry/antimeridian.ts';
import { validityText } from '../../geometry/boundary-fault.ts';
import { badGeometry, checkPoint, degrees } from '../../geometry/degrees.ts';
import { type Box, boxOf, type Point } from '../../geometry/geometry.ts';
import { findValidityFault, type ValidityFault } from '../../geometry/polygon-validity.ts';
import { parseJson } from '../../lib/json.ts';
import { invalidParameter } from '../../lib/problem.ts';

/** One polygon: its shell, and rings within it that do not belong to it. No ring repeats its first corner. */
export interface Part {
  readonly shell: readonly Point[];
  readonly holes: readonly (readonly Point[])[];
}

const MOST_CORNERS = 500;
/** Past these the index is asked for one box around them all. */
const MOST_BOXES = 8;

/**
 * The parts of a polygon as they lie between the meridians -180 and 180: what is drawn past one of them comes in again
 * at the other. Throws INVALID_PARAMETER or INVALID_GEOMETRY.
 */
export function parsePolygon(text: string): Part[] {
  const parts = /^\s*[[{]/.test(text) ? fromJson(text) : [{ shell: fromCorners(text), holes: [] }];
  checkCount(parts.flatMap(({ shell, holes }) => [shell, ...holes]).flat().length);
  checkValidity(parts, /^\s*\[/.test(text));
  return parts.flatMap(onMap);
}

/** Throws INVALID_GEOMETRY for too many corners. */
function checkCount(corners: number): void {
  if (corners > MOST_CORNERS)
    throw badGeometry('polygon', `has ${corners} corners; at most ${MOST_CORNERS} are allowed`);
}

/** Of a list of polygons each stands for itself: what lies in two of them is found once. */
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

/** Boxes that together hold all parts, as far as they lie between -180 and 180. */
export function boxesOf(parts: readonly Part[]): Box[] {
  const around = (points: readonly Point[]): Box => {
    const [west, south, east, north] = boxOf(Float64Array.from(points.flatMap(({ lng, lat }) => [lng, lat])));
    return [Math.max(west, -180), south, Math.min(east, 180), north];
  };
  return parts.length > MOST_BOXES
    ? [around(parts.flatMap(({ shell }) => shell))]
    : parts.map(({ shell }) => around(shell));
}

function fromCorners(text: string): Point[] {
  const pairs = text.split(';');
  // One more where the last corner repeats the first. Counted before they are read: each costs more than it is long.
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

/** A ring may or may not repeat its first corner at its end. */
function ring(corners: readonly Point[]): Point[] {
  for (const corner of corners) checkPoint('polygon', corner, FARTHEST_LNG);
  const [first, last] = [corners[0], corners.at(-1)];
  const closed = corners.length > 1 && first?.lng === last?.lng && first?.lat === last?.lat;
  const open = closed ? corners.slice(0, -1) : [...corners];
  if (open.length < 3) throw badGeometry('polygon', 'needs at least 3 corners');
  const fault = ringFault(open);
  if (fault !== null) throw badGeometry('polygon', fault);
  return open;
}
