// Simplification of boundaries: fewer corners within a distance, rings stay rings, and nothing comes to cross.

import type { Position } from 'geojson';
import { type Boundary, EARTH_RADIUS_KM, polygonsOf } from './geometry.ts';
import { type DrawnRing, entangled } from './ring-crossings.ts';

/** Rounds of drawing the rings that got in each other's way closer to what they were, before all stays as it was. */
const ROUNDS = 12;
/** Rounds after which such rings are left as they were. */
const PATIENCE = 6;

const METRES_PER_DEGREE = (EARTH_RADIUS_KM * 1000 * Math.PI) / 180;

interface Ring {
  /** Without the repeated end. */
  readonly points: readonly Position[];
  /** Corners that must stay: where rings touch, and where a line meets the antimeridian. */
  readonly fixed: ReadonlySet<number>;
  metres: number;
  kept: readonly number[];
}

/**
 * The boundary with fewer corners: none that is left out lies further than so many metres from the line. A ring keeps
 * three corners at least, and where lines would cross or a ring would leave the one around it, corners come back.
 */
export function simplified(boundary: Boundary, metres: number): Boundary {
  const shapes = polygonsOf(boundary);
  const shared = sharedCorners(shapes.flat());
  const rings = shapes.flat().map((ring) => prepared(ring, shared, metres));
  if (!disentangled(rings)) return boundary;
  let at = 0;
  const coordinates = shapes.map((polygon) => polygon.map((original) => drawn(rings[at++], original)));
  return boundary.type === 'Polygon'
    ? { type: 'Polygon', coordinates: coordinates[0] ?? [] }
    : { type: 'MultiPolygon', coordinates };
}

/** Chooses the corners of every ring; false where they cannot be brought out of each other's way. */
function disentangled(rings: readonly Ring[]): boolean {
  let changed: Iterable<Ring> = rings;
  for (let round = 0; round < ROUNDS; round++) {
    for (const ring of changed) ring.kept = keptCorners(ring);
    const drawnRings: DrawnRing[] = rings.map(({ points, kept }) => ({ points, kept }));
    const wrong = [...entangled(drawnRings)].flatMap((place) => rings[place] ?? []);
    if (wrong.length === 0) return true;
    for (const ring of wrong) ring.metres = round < PATIENCE ? ring.metres / 4 : 0;
    changed = wrong;
  }
  return false;
}

const keyOf = ([lng = 0, lat = 0]: Position): string => `${lng} ${lat}`;

/** Corners that more than one ring has, or one ring twice. */
function sharedCorners(rings: readonly (readonly Position[])[]): Set<string> {
  const [seen, shared] = [new Set<string>(), new Set<string>()];
  for (const ring of rings)
    for (const key of opened(ring).map(keyOf)) (seen.has(key) ? shared : seen).add(key);
  return shared;
}

function opened(ring: readonly Position[]): readonly Position[] {
  const [first, last] = [ring[0], ring.at(-1)];
  return first && last && ring.length > 1 && keyOf(first) === keyOf(last) ? ring.slice(0, -1) : ring;
}

function prepared(ring: readonly Position[], shared: ReadonlySet<string>, metres: number): Ring {
  const points = opened(ring);
  const fixed = new Set<number>();
  for (const [at, point] of points.entries()) {
    const [before, behind] = [points.at(at - 1), points[(at + 1) % points.length]];
    const meetsEnd =
      Math.abs(point[0] ?? 0) === 180 && (before?.[0] !== point[0] || behind?.[0] !== point[0]);
    if (meetsEnd || shared.has(keyOf(point))) fixed.add(at);
  }
  return { points, fixed, metres, kept: [...points.keys()] };
}

function drawn(ring: Ring | undefined, original: Position[]): Position[] {
  if (!ring || ring.kept.length === ring.points.length) return original;
  return [...ring.kept, ring.kept[0] ?? 0].map((at) => ring.points[at] ?? []);
}

/** Douglas and Peucker's corners between those that stay, in the order of the ring. */
function keptCorners(ring: Ring): readonly number[] {
  const { points, fixed, metres } = ring;
  const all = [...points.keys()];
  if (metres === 0 || points.length <= 3) return all;
  const plane = projected(points);
  const anchors = fixed.size >= 2 ? [...fixed].sort((a, b) => a - b) : farApart(plane, [...fixed][0]);
  const kept = new Set(anchors);
  for (const [at, from] of anchors.entries()) {
    const to = anchors[at + 1] ?? (anchors[0] ?? 0) + points.length;
    keepBetween(plane, from, to, metres, kept);
  }
  if (kept.size < 3) {
    // All within the distance of one line: the corner that lies farthest off it keeps the ring open.
    const [from = 0, to = 0] = anchors;
    kept.add(farthest(plane, from, from + points.length, from, to).at % points.length);
    if (kept.size < 3) return all;
  }
  return [...kept].sort((a, b) => a - b);
}

/** Metres on a plane that is nowhere smaller than the sphere is, so that no distance comes out too short. */
function projected(points: readonly Position[]): Float64Array {
  const lats = points.map(([, lat = 0]) => Math.abs(lat));
  const widest = Math.cos((lats.reduce((a, b) => Math.min(a, b), 90) * Math.PI) / 180);
  const plane = new Float64Array(2 * points.length);
  for (const [at, [lng = 0, lat = 0]] of points.entries()) {
    plane[2 * at] = lng * METRES_PER_DEGREE * widest;
    plane[2 * at + 1] = lat * METRES_PER_DEGREE;
  }
  return plane;
}

/** Two corners that any drawing of the ring should have: wherever the ring begins, the same ones. */
function farApart(plane: Float64Array, given: number | undefined): number[] {
  let first = given ?? 0;
  if (given === undefined)
    for (let at = 1; at < plane.length / 2; at++) {
      const [x = 0, y = 0, leastX = 0, leastY = 0] = [...corner(plane, at), ...corner(plane, first)];
      if (x < leastX || (x === leastX && y < leastY)) first = at;
    }
  const { at } = farthest(plane, first, first + plane.length / 2, first, first);
  return [first, at % (plane.length / 2)].sort((a, b) => a - b);
}

const corner = (plane: Float64Array, at: number): [number, number] => {
  const place = (2 * at) % plane.length;
  return [plane[place] ?? 0, plane[place + 1] ?? 0];
};

function keepBetween(plane: Float64Array, from: number, to: number, metres: number, kept: Set<number>): void {
  const stretches: [number, number][] = [[from, to]];
  for (let stretch = stretches.pop(); stretch !== undefined; stretch = stretches.pop()) {
    const [start, end] = stretch;
    if (end - start < 2) continue;
    const { at, distance } = farthest(plane, start, end, start, end);
    if (distance <= metres) continue;
    kept.add(at % (plane.length / 2));
    stretches.push([start, at], [at, end]);
  }
}

/** The corner between two places that lies farthest from the line between two corners. */
function farthest(
  plane: Float64Array,
  start: number,
  end: number,
  from: number,
  to: number,
): { at: number; distance: number } {
  const [x1, y1] = corner(plane, from);
  const [x2, y2] = corner(plane, to);
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  let [best, most] = [start + 1, -1];
  for (let at = start + 1; at < end; at++) {
    const [x, y] = corner(plane, at);
    const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length));
    const distance = (x - x1 - share * dx) ** 2 + (y - y1 - share * dy) ** 2;
    if (distance > most) [best, most] = [at, distance];
  }
  return { at: best, distance: Math.sqrt(Math.max(0, most)) };
}
