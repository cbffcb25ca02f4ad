// Faults of a geometry that is to be a boundary, in words for whoever wrote the file: which ring, where, and the remedy.

import type { Position } from 'geojson';
import { FARTHEST_LNG, ringFault } from './antimeridian.ts';
import { cutAtAntimeridian } from './antimeridian-cut.ts';
import { degreesFault } from './degrees.ts';
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
    const fault = degreesFault(point, FARTHEST_LNG);
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
