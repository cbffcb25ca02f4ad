// Simplification of boundaries: fewer corners within a tolerance, without new crossings.

import type { Position } from 'geojson';
import {
  type Boundary,
  EARTH_RADIUS_KM,
  flattened,
  indexBoxes,
  isSamePosition,
  openRing,
  polygonContains,
  polygonsOf,
  ringBox,
} from './geometry.ts';

/** Attempts to resolve crossings with a smaller tolerance; after the last one the boundary stays as it was. */
const ROUNDS = 12;
/** Rounds after which rings that still cross keep all their corners. */
const TOLERANT_ROUNDS = 6;

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
 * The boundary with fewer corners: none that is removed lies further than so many metres from the line. A ring keeps at
 * least three corners, and corners come back where lines would cross or a ring would leave the one around it.
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

/** Chooses the corners of every ring; false if crossings remain. */
function disentangled(rings: readonly Ring[]): boolean {
  let changed: Iterable<Ring> = rings;
  for (let round = 0; round < ROUNDS; round++) {
    for (const ring of changed) ring.kept = keptCorners(ring);
    const drawnRings: DrawnRing[] = rings.map(({ points, kept }) => ({ points, kept }));
    const wrong = [...entangled(drawnRings)].flatMap((place) => rings[place] ?? []);
    if (wrong.length === 0) return true;
    for (const ring of wrong) ring.metres = round < TOLERANT_ROUNDS ? ring.metres / 4 : 0;
    changed = wrong;
  }
  return false;
}

const keyOf = ([lng = 0, lat = 0]: Position): string => `${lng} ${lat}`;

/** Corners that more than one ring has, or one ring twice. */
function sharedCorners(rings: readonly (readonly Position[])[]): Set<string> {
  const [seen, shared] = [new Set<string>(), new Set<string>()];
  for (const ring of rings)
    for (const key of openRing(ring).map(keyOf)) (seen.has(key) ? shared : seen).add(key);
  return shared;
}

function prepared(ring: readonly Position[], shared: ReadonlySet<string>, metres: number): Ring {
  const points = openRing(ring);
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
    // All corners are near one line: the farthest one keeps the ring open.
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

/** Two distant corners to start from: the same ones wherever the ring begins. */
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

/** A ring and the positions of the corners that it keeps; the first corner is not repeated. */
export interface DrawnRing {
  readonly points: readonly Position[];
  readonly kept: readonly number[];
}

interface Line {
  readonly ring: number;
  readonly from: Position;
  readonly to: Position;
  /** An edge of the original boundary: two of them may meet as they did before. */
  readonly isOriginal: boolean;
}

/** Positions of the rings that now cross others or themselves. */
export function entangled(rings: readonly DrawnRing[]): Set<number> {
  const wrong = new Set<number>();
  crossings(rings, wrong);
  if (wrong.size === 0) changedSides(rings, wrong);
  return wrong;
}

function crossings(rings: readonly DrawnRing[], wrong: Set<number>): void {
  const lines = rings.flatMap(linesOf);
  const boxes = lines.map(({ from, to }) => ringBox([from, to]));
  const index = indexBoxes(boxes);
  for (const [at, line] of lines.entries()) {
    const box = boxes[at];
    if (line.isOriginal || !index || !box) continue;
    for (const other of index.search(...box)) {
      const met = lines[other];
      // A pair of new lines is checked once.
      if (!met || other === at || (!met.isOriginal && other < at) || !meet(line, met)) continue;
      if (!line.isOriginal) wrong.add(line.ring);
      if (!met.isOriginal) wrong.add(met.ring);
    }
  }
}

function linesOf({ points, kept }: DrawnRing, ring: number): Line[] {
  return kept.map((at, place) => {
    const next = kept[(place + 1) % kept.length] ?? 0;
    const isOriginal = next === (at + 1) % points.length;
    return { ring, from: points[at] ?? [], to: points[next] ?? [], isOriginal };
  });
}

const x = (point: Position): number => point[0] ?? 0;
const y = (point: Position): number => point[1] ?? 0;

/** Twice the area of the triangle, by its sign the side of the line on which the point lies. */
const turn = (a: Position, b: Position, c: Position): number =>
  (x(b) - x(a)) * (y(c) - y(a)) - (y(b) - y(a)) * (x(c) - x(a));

function lies(point: Position, { from, to }: Line): boolean {
  return (
    turn(from, to, point) === 0 &&
    x(point) >= Math.min(x(from), x(to)) &&
    x(point) <= Math.max(x(from), x(to)) &&
    y(point) >= Math.min(y(from), y(to)) &&
    y(point) <= Math.max(y(from), y(to))
  );
}

/** Whether two lines have more in common than one end of both. */
function meet(a: Line, b: Line): boolean {
  const ends = [a.from, a.to].filter((end) => isSamePosition(end, b.from) || isSamePosition(end, b.to));
  if (ends.length === 2) return true;
  const [end] = ends;
  if (end) {
    const [farA, farB] = [
      isSamePosition(a.from, end) ? a.to : a.from,
      isSamePosition(b.from, end) ? b.to : b.from,
    ];
    return lies(farA, b) || lies(farB, a);
  }
  if (lies(a.from, b) || lies(a.to, b) || lies(b.from, a) || lies(b.to, a)) return true;
  return (
    turn(a.from, a.to, b.from) > 0 !== turn(a.from, a.to, b.to) > 0 &&
    turn(b.from, b.to, a.from) > 0 !== turn(b.from, b.to, a.to) > 0
  );
}

/** If rings do not cross, one corner decides whether one is inside the other: that must not change. */
function changedSides(rings: readonly DrawnRing[], wrong: Set<number>): void {
  if (rings.length < 2) return;
  const before = rings.map(({ points }) => flattened([points]));
  const after = rings.map(({ points, kept }) => flattened([kept.map((at) => points[at] ?? [])]));
  const index = indexBoxes(rings.map(({ points }) => ringBox(points)));
  for (const [at, { points, kept }] of rings.entries()) {
    const corner = points[kept[0] ?? 0] ?? [];
    const point = { lng: x(corner), lat: y(corner) };
    for (const other of index?.search(point.lng, point.lat, point.lng, point.lat) ?? []) {
      const [old, drawn] = [before[other], after[other]];
      if (other === at || !old || !drawn || polygonContains(old, point) === polygonContains(drawn, point))
        continue;
      wrong.add(other);
    }
  }
}
