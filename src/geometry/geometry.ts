// Plane and spherical geometry on WGS 84 degrees: rings, boxes, distances and areas.

import Flatbush from 'flatbush';
import type { MultiPolygon, Polygon, Position } from 'geojson';

export type Boundary = Polygon | MultiPolygon;

/** minLng, minLat, maxLng, maxLat */
export type Box = readonly [number, number, number, number];

export interface Point {
  readonly lat: number;
  readonly lng: number;
}

/** Mean Earth radius in kilometres (IUGG). */
export const EARTH_RADIUS_KM = 6371.0088;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Polygons of a boundary, each a list of rings: the shell, then its holes. */
export function polygonsOf(boundary: Boundary): Position[][][] {
  return boundary.type === 'Polygon' ? [boundary.coordinates] : boundary.coordinates;
}

/** A polygon as flat arrays for fast lookups: each ring as x, y, x, y, ...; the shell first. */
export type FlatPolygon = readonly Float64Array[];

export function flattened(rings: readonly (readonly Position[])[]): FlatPolygon {
  return rings.map((ring) => Float64Array.from(ring.flatMap(([lng = 0, lat = 0]) => [lng, lat])));
}

/** Whether the point lies within the polygon or on an edge of it, and not inside a hole. */
export function polygonContains([shell, ...holes]: FlatPolygon, { lng, lat }: Point): boolean {
  if (!shell) return false;
  const where = side(shell, lng, lat);
  if (where !== 'inside') return where === 'edge';
  return holes.every((hole) => side(hole, lng, lat) !== 'inside');
}

/** Crossing number with exact edges, straight in degrees. The ring may or may not repeat its first point at the end. */
function side(ring: Float64Array, x: number, y: number): 'inside' | 'outside' | 'edge' {
  let inside = false;
  let previousX = ring[ring.length - 2] ?? 0;
  let previousY = ring[ring.length - 1] ?? 0;
  for (let index = 0; index < ring.length; index += 2) {
    const currentX = ring[index] ?? 0;
    const currentY = ring[index + 1] ?? 0;
    // Most edges lie wholly above or below the point.
    if (currentY >= y !== previousY > y || currentY === y || previousY === y) {
      const cross = (currentX - previousX) * (y - previousY) - (currentY - previousY) * (x - previousX);
      if (cross === 0 && between(x, previousX, currentX) && between(y, previousY, currentY)) return 'edge';
      // Half-open in y, so that a vertex on the ray is counted once. Left of an upward edge: cross > 0.
      if (currentY > y !== previousY > y && cross > 0 === currentY > previousY) inside = !inside;
    }
    previousX = currentX;
    previousY = currentY;
  }
  return inside ? 'inside' : 'outside';
}

const between = (value: number, a: number, b: number): boolean =>
  value >= Math.min(a, b) && value <= Math.max(a, b);

/**
 * The narrowest box around the shells of a boundary: it leaves out the widest gap between them. If it crosses the
 * antimeridian, its eastern edge is past 180.
 */
export function boundaryBox(boundary: Boundary): Box {
  const boxes = polygonsOf(boundary).map(([shell = []]) => ringBox(shell));
  const [minLng, minLat, maxLng, maxLat] = boxOf(Float64Array.from(boxes.flat()));
  let [west, east] = [minLng, maxLng];
  let reached = minLng;
  for (const [from, , to] of boxes.toSorted((a, b) => a[0] - b[0])) {
    if (reached + 360 - from < east - west) [west, east] = [from, reached + 360];
    reached = Math.max(reached, to);
  }
  return [west, minLat, east, maxLat];
}

export const ringBox = (ring: readonly Position[]): Box => boxOf(flattened([ring])[0] ?? new Float64Array());

/** An index of boxes by their places in the list; null without any. */
export function indexBoxes(boxes: readonly Box[]): Flatbush | null {
  if (boxes.length === 0) return null;
  const index = new Flatbush(boxes.length);
  for (const box of boxes) index.add(...box);
  index.finish();
  return index;
}

export const isSamePosition = (a: Position, b: Position): boolean => a[0] === b[0] && a[1] === b[1];

/** The ring without its repeated end. */
export function openRing(ring: readonly Position[]): readonly Position[] {
  const isClosed = ring.length > 1 && isSamePosition(ring[0] ?? [], ring.at(-1) ?? []);
  return isClosed ? ring.slice(0, -1) : ring;
}

/** Twice the plane area in square degrees, positive if the ring runs counterclockwise. */
export function doubleArea(ring: readonly Position[]): number {
  // Summed around the first corner: degrees are large numbers with small differences.
  const [originX = 0, originY = 0] = ring[0] ?? [];
  return ring.reduce((sum, [x = 0, y = 0], at) => {
    const [beforeX = 0, beforeY = 0] = ring.at(at - 1) ?? [];
    return sum + (beforeX - originX) * (y - originY) - (x - originX) * (beforeY - originY);
  }, 0);
}

/** The smallest box around points given as x, y, x, y, ... */
export function boxOf(points: Float64Array): Box {
  let [minLng, minLat, maxLng, maxLat] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let index = 0; index < points.length; index += 2) {
    const [lng = 0, lat = 0] = [points[index], points[index + 1]];
    minLng = Math.min(minLng, lng);
    maxLng = Math.max(maxLng, lng);
    minLat = Math.min(minLat, lat);
    maxLat = Math.max(maxLat, lat);
  }
  return [minLng, minLat, maxLng, maxLat];
}

/** Great-circle distance in kilometres (haversine). */
export function distanceKm(a: Point, b: Point): number {
  const sinLat = Math.sin(radians(b.lat - a.lat) / 2);
  const sinLng = Math.sin(radians(b.lng - a.lng) / 2);
  const h = sinLat * sinLat + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * sinLng * sinLng;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/**
 * Boxes that together hold every point within the distance: two if the circle crosses the antimeridian, all longitudes
 * if it holds a pole.
 */
export function boxesAround({ lat, lng }: Point, km: number): Box[] {
  const angle = km / EARTH_RADIUS_KM;
  // Slightly wider than the circle: the exact distance decides afterwards.
  const dLat = (angle * 180) / Math.PI + 1e-6;
  const [minLat, maxLat] = [Math.max(-90, lat - dLat), Math.min(90, lat + dLat)];
  if (minLat === -90 || maxLat === 90) return [[-180, minLat, 180, maxLat]];
  const ratio = Math.sin(angle) / Math.cos(radians(lat));
  if (ratio >= 1) return [[-180, minLat, 180, maxLat]];
  const dLng = (Math.asin(ratio) * 180) / Math.PI + 1e-6;
  return splitAtAntimeridian(lng - dLng, minLat, lng + dLng, maxLat);
}

/**
 * An upper bound, in plane degrees, of how far points within the distance lie on the same side of the antimeridian: by
 * haversine, with the meridians as close as they are where the circle is nearest to a pole.
 */
export function degreesWithin({ lat }: Point, km: number): number {
  const angle = km / EARTH_RADIUS_KM;
  const outermost = Math.min(90, Math.abs(lat) + (angle * 180) / Math.PI);
  const narrowing = Math.sqrt(Math.cos(radians(lat)) * Math.cos(radians(outermost)));
  const sine = Math.sin(angle / 2) / narrowing;
  return sine >= 1 ? Infinity : (2 * Math.asin(sine) * 180) / Math.PI;
}

/**
 * One box, or two if it crosses the antimeridian (minLng above maxLng, or beyond 180 degrees) or ends at it: the
 * meridians 180 and -180 are one, and a box includes its edges.
 */
export function splitAtAntimeridian(minLng: number, minLat: number, maxLng: number, maxLat: number): Box[] {
  const [west, east] = [minLng < -180 ? minLng + 360 : minLng, maxLng > 180 ? maxLng - 360 : maxLng];
  if (west > east)
    return [
      [west, minLat, 180, maxLat],
      [-180, minLat, east, maxLat],
    ];
  const box: Box = [minLng, minLat, maxLng, maxLat];
  if (maxLng === 180 && minLng > -180) return [box, [-180, minLat, -180, maxLat]];
  if (minLng === -180 && maxLng < 180) return [box, [180, minLat, 180, maxLat]];
  return [box];
}

/** Square kilometres within the boundary, on the sphere of equal area. */
export function areaKm2(boundary: Boundary): number {
  let total = 0;
  for (const [shell = [], ...holes] of polygonsOf(boundary)) {
    total += ringArea(shell);
    for (const hole of holes) total -= ringArea(hole);
  }
  return total;
}

/** Chamberlain and Duquette's sum for a ring on a sphere, whatever its orientation. */
export function ringArea(ring: readonly Position[]): number {
  let sum = 0;
  let [previousLng = 0, previousLat = 0] = ring[ring.length - 1] ?? [];
  for (const [lng = 0, lat = 0] of ring) {
    sum += radians(lng - previousLng) * (2 + Math.sin(radians(previousLat)) + Math.sin(radians(lat)));
    previousLng = lng;
    previousLat = lat;
  }
  return Math.abs((sum * EARTH_RADIUS_KM * EARTH_RADIUS_KM) / 2);
}
