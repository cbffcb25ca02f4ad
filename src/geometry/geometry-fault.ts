// Faults of coordinates, rings and boundaries, in words with the remedy.

import type { Position } from 'geojson';
import { faultSentence, Problem } from '../lib/problem.ts';
import { cutAtAntimeridian, MAX_LNG, ringFault } from './antimeridian.ts';
import { type Boundary, type Point, polygonsOf } from './geometry.ts';
import { findValidityFault, type ValidityFault } from './polygon-validity.ts';

/** Why a geometry cannot be a boundary; null when it can. */
export function boundaryFault(geometry: unknown): string | null {
  const shape = geometry as { type?: unknown; coordinates?: unknown } | null;
  if (shape?.type !== 'Polygon' && shape?.type !== 'MultiPolygon')
    return `the geometry is a ${String(shape?.type ?? 'nothing')}, not a Polygon or MultiPolygon`;
  const polygons = shape.type === 'Polygon' ? [shape.coordinates] : shape.coordinates;
  const fault = isPolygons(polygons)
    ? (formFault(polygons) ?? shapeFault(shape as Boundary))
    : 'has coordinates of the wrong depth, or none';
  return fault === null ? null : `the geometry ${fault}`;
}

/** `hole 1 of polygon 2 lies outside its shell at [6, 5]`, counted from 1. `several`: whether polygons need a number. */
export function validityText({ polygon, ring, point, reason }: ValidityFault, several: boolean): string {
  return `${ringName(polygon, ring, several)} ${reason} at [${point.join(', ')}]`;
}

/** `hole 1 of polygon 2`, or `the shell` where there is one polygon. Places count from 0, names from 1. */
export function ringName(polygon: number, ring: number, several: boolean): string {
  const name = ring === 0 ? 'the shell' : `hole ${ring}`;
  return several ? `${name} of polygon ${polygon + 1}` : name;
}

function isPolygons(value: unknown): value is unknown[][][] {
  const isFilled = (list: unknown): list is unknown[] => Array.isArray(list) && list.length > 0;
  return isFilled(value) && value.every((rings) => isFilled(rings) && rings.every(isFilled));
}

/** What is wrong with one ring by itself. */
function formFault(polygons: readonly (readonly (readonly unknown[])[])[]): string | null {
  for (const [polygon, rings] of polygons.entries())
    for (const [ring, positions] of rings.entries()) {
      const fault = positionsFault(positions);
      if (fault !== null) return `has a fault in ${ringName(polygon, ring, polygons.length > 1)}: ${fault}`;
    }
  return null;
}

function positionsFault(positions: readonly unknown[]): string | null {
  const wrong = positions.findIndex((position) => !isPosition(position));
  if (wrong >= 0) return `position ${wrong + 1} is not [longitude, latitude]`;
  const points = (positions as Position[]).map(([lng = 0, lat = 0]): Point => ({ lng, lat }));
  for (const point of points) {
    const fault = degreesFault(point, MAX_LNG);
    if (fault !== null) return fault;
  }
  const [first, last] = [points[0], points.at(-1)];
  if (first?.lng !== last?.lng || first?.lat !== last?.lat)
    return (
      `it starts at [${first?.lng}, ${first?.lat}] and ends at [${last?.lng}, ${last?.lat}]: repeat its first ` +
      'position at the end (RFC 7946, section 3.1.6)'
    );
  return positions.length < 4 ? 'it has fewer than 4 positions' : ringFault(points);
}

/** What is wrong with the rings together: as they are written, and once they are cut at the antimeridian. */
function shapeFault(boundary: Boundary): string | null {
  const fault = findValidityFault(polygonsOf(boundary));
  if (fault !== null)
    return `is not valid: ${validityText(fault, boundary.type === 'MultiPolygon')} ${REMEDY}`;
  const cut = cutAtAntimeridian(boundary);
  if (cut === null)
    return 'has a ring that crosses itself at the antimeridian: cut it in two there (RFC 7946, section 3.1.9)';
  const cutFault = cut === boundary ? null : findValidityFault(polygonsOf(cut));
  return (
    cutFault &&
    `is not valid where it crosses the antimeridian: ${cutFault.reason} at [${cutFault.point.join(', ')}] ${REMEDY}`
  );
}

const REMEDY = '(ogr2ogr -makevalid repairs such geometries)';

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'number';
}

/** Every digit that a double has in JavaScript's plain notation: near Greenwich maps send seventeen decimals and more. */
const DECIMAL = /^-?\d{1,9}(?:\.\d{1,22})?$/;

/** Beyond this no longitude is written in degrees by anybody: metres or feet are. */
const FARTHEST_DEGREE = 360;

/** A number as a query writes it, not yet looked at; null for what is none. */
export const degrees = (text: string): number | null => (DECIMAL.test(text.trim()) ? Number(text) : null);

/** Why a point is not on Earth, in words with the remedy; null where it is. `farthest`: for its longitude. */
export function degreesFault({ lng, lat }: Point, farthest = 180): string | null {
  if (Math.max(Math.abs(lng), Math.abs(lat)) > FARTHEST_DEGREE)
    return (
      `[${lng}, ${lat}] is not in degrees; it looks like metres or feet of a projection: send longitude and ` +
      'latitude (WGS 84, EPSG:4326)'
    );
  if (Math.abs(lat) > 90)
    return Math.abs(lng) <= 90
      ? `[${lng}, ${lat}] looks swapped, as latitude ${lat} is beyond 90: longitude comes first`
      : `latitude ${lat} is beyond 90`;
  return Math.abs(lng) > farthest ? `longitude ${lng} is beyond ${farthest}` : null;
}

/** Throws INVALID_GEOMETRY for a point that is not on Earth, or whose longitude is past the farthest. */
export function checkPoint(parameter: string, point: Point, farthest = 180): void {
  const fault = degreesFault(point, farthest);
  if (fault !== null) throw badGeometry(parameter, fault);
}

export function badGeometry(parameter: string, detail: string): Problem {
  return new Problem('INVALID_GEOMETRY', faultSentence(`The parameter ${parameter}`, { detail }), {
    errors: [{ parameter, detail }],
  });
}
