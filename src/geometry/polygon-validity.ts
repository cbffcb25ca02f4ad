// Validity of polygons: rings that do not cross, holes within their shell, parts that do not overlap.

import type { Position } from 'geojson';
import { doubleArea } from './geometry.ts';
import { insidesApart, orientation, outsidesApart, type Passage, type Place } from './orientation.ts';
import { createRingMesh, distinctCorners, type MeshRing, type RingMesh } from './ring-mesh.ts';

/** A fault and its place: `polygon` and `ring` are positions in the coordinates of a MultiPolygon, from 0. */
export interface ValidityFault {
  readonly polygon: number;
  readonly ring: number;
  readonly point: Position;
  /** Continues a sentence that starts with the name of the ring: 'crosses itself'. */
  readonly reason: string;
}

/**
 * The first fault that makes area or containment undefined; null if there is none. Rings may touch themselves and each
 * other in points and along lines, as long as nothing is inside twice. Exact, in n log n for real boundaries.
 */
export function findValidityFault(
  polygons: readonly (readonly (readonly Position[])[])[],
): ValidityFault | null {
  const degenerate = degenerateRing(polygons);
  if (degenerate !== null) return degenerate;
  const mesh = createRingMesh(polygons);
  const touching = new Set<number>();
  return crossingFault(mesh, touching) ?? nestingFault(mesh, touching) ?? emptyPolygon(polygons);
}

function degenerateRing(polygons: readonly (readonly (readonly Position[])[])[]): ValidityFault | null {
  for (const [polygon, rings] of polygons.entries())
    for (const [ring, positions] of rings.entries()) {
      const [first = [], second = [], ...others] = distinctCorners(positions);
      const isFlat = others.every((corner) => turnOf(first, second, corner) === 0);
      if (isFlat)
        return {
          polygon,
          ring,
          point: positions[0] ?? [],
          reason: 'encloses nothing: its corners are on one line',
        };
    }
  return null;
}

const turnOf = ([ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position, [cx = 0, cy = 0]: Position): number =>
  orientation(ax, ay, bx, by, cx, cy);

/** Holes that cover the whole shell touch it all around without crossing it. */
function emptyPolygon(polygons: readonly (readonly (readonly Position[])[])[]): ValidityFault | null {
  for (const [polygon, [shell = [], ...holes]] of polygons.entries()) {
    const whole = planeArea(shell);
    const left = holes.reduce((sum, hole) => sum - planeArea(hole), whole);
    if (left <= 1e-12 * whole)
      return {
        polygon,
        ring: 0,
        point: shell[0] ?? [],
        reason: 'encloses nothing: its holes cover all of it',
      };
  }
  return null;
}

const planeArea = (ring: readonly Position[]): number => Math.abs(doubleArea(ring)) / 2;

/**
 * Average number of edges that an edge may meet: two neighbours, and three more along a shared border. Only lines drawn
 * over each other many times exceed it, and would take long to check.
 */
const MAX_MEETINGS = 8;

/** Checks all pairs of edges whose boxes meet. Adds the corners that lie on another edge to `touching`. */
function crossingFault(mesh: RingMesh, touching: Set<number>): ValidityFault | null {
  const { x, y, after } = mesh;
  let meetings = 0;
  for (let edge = 0; edge < x.length; edge++) {
    const end = after[edge] ?? 0;
    const [ax = 0, ay = 0, bx = 0, by = 0] = [x[edge], y[edge], x[end], y[end]];
    const box = [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)] as const;
    for (const other of mesh.edgesWithin(...box, edge)) {
      const meeting = meetingOf(mesh, edge, other);
      if (meeting === 'apart') continue;
      const point =
        meeting === 'across' ? meetingPoint(mesh, edge, other) : touchCrossing(mesh, edge, other, touching);
      if (point !== null) return crossing(mesh, edge, other, point);
      if (++meetings > MAX_MEETINGS * x.length) return tangle(mesh, other);
    }
  }
  return null;
}

type Meeting = 'apart' | 'across' | 'touching';

/** How two edges whose boxes meet relate. This is the hottest loop: it allocates nothing. */
function meetingOf(mesh: RingMesh, edge: number, other: number): Meeting {
  const [end, otherEnd] = [mesh.after[edge] ?? 0, mesh.after[other] ?? 0];
  const first = turnAt(mesh, edge, end, other);
  const second = turnAt(mesh, edge, end, otherEnd);
  if (first * second > 0) return 'apart';
  const third = turnAt(mesh, other, otherEnd, edge);
  const fourth = turnAt(mesh, other, otherEnd, end);
  if (third * fourth > 0) return 'apart';
  return first * second * third * fourth !== 0 ? 'across' : 'touching';
}

const turnAt = ({ x, y }: RingMesh, a: number, b: number, c: number): number =>
  orientation(x[a] ?? 0, y[a] ?? 0, x[b] ?? 0, y[b] ?? 0, x[c] ?? 0, y[c] ?? 0);

/** The point that two edges share, if their rings cross there; otherwise null. */
function touchCrossing(mesh: RingMesh, edge: number, other: number, touching: Set<number>): Place | null {
  for (const [corner, through] of [
    [other, edge],
    [edge, other],
  ] as const)
    if (isCrossedAt(mesh, corner, through, touching)) return placeOf(mesh, corner);
  return null;
}

/** Whether the ring of a corner crosses the ring of an edge where the corner lies on the edge. */
function isCrossedAt(mesh: RingMesh, corner: number, edge: number, touching: Set<number>): boolean {
  const { before, after, ringAt, rings } = mesh;
  const [at, start, end] = [placeOf(mesh, corner), placeOf(mesh, edge), placeOf(mesh, after[edge] ?? 0)];
  // The end of an edge is the start of the next one, and checked as such.
  if (corner === edge || isSame(at, end) || !isBetween(at, start, end)) return false;
  if (turnAt(mesh, edge, after[edge] ?? 0, corner) !== 0) return false;
  const through = (via: number): Passage => ({
    from: placeOf(mesh, before[via] ?? 0),
    to: placeOf(mesh, after[via] ?? 0),
  });
  const [one, two] = [through(corner), isSame(at, start) ? through(edge) : { from: start, to: end }];
  touching.add(corner);
  if (isSame(at, start)) touching.add(edge);
  const [ring, otherRing] = [ringAt[corner] ?? 0, ringAt[edge] ?? 0];
  const isSamePolygon = rings[ring]?.polygon === rings[otherRing]?.polygon;
  if (ring === otherRing) return !insidesApart(at, one, two) && !outsidesApart(at, one, two);
  return isSamePolygon ? !outsidesApart(at, one, two) : !insidesApart(at, one, two);
}

function crossing(mesh: RingMesh, edge: number, other: number, point: Place): ValidityFault | null {
  const [ring, otherRing] = [ringOf(mesh, edge), ringOf(mesh, other)];
  if (!ring || !otherRing) return null;
  if (ring === otherRing) return faultAt(ring, point, 'crosses itself');
  // Report the later one.
  const [earlier, later] = edge < other ? [ring, otherRing] : [otherRing, ring];
  if (earlier.polygon !== later.polygon)
    return faultAt(later, point, `overlaps polygon ${earlier.polygon + 1}`);
  return faultAt(later, point, earlier.ring === 0 ? 'crosses its shell' : 'overlaps another hole');
}

function tangle(mesh: RingMesh, corner: number): ValidityFault | null {
  const ring = ringOf(mesh, corner);
  return ring ? faultAt(ring, placeOf(mesh, corner), 'meets itself or other rings too many times') : null;
}

/** If rings do not cross, one corner decides whether one is inside the other. */
function nestingFault(mesh: RingMesh, touching: ReadonlySet<number>): ValidityFault | null {
  for (const ring of mesh.rings) {
    const corner = untouchedCorner(ring, touching);
    if (corner === null) continue; // The touching corners were checked before.
    const point = placeOf(mesh, corner);
    const around = ringsAround(mesh, ring, point);
    const reason = ring.ring === 0 ? shellFault(ring, around) : holeFault(ring, around);
    if (reason !== null) return faultAt(ring, point, reason);
  }
  return null;
}

function shellFault({ polygon }: MeshRing, around: readonly MeshRing[]): string | null {
  const within = around.find(
    (shell) =>
      shell.ring === 0 &&
      shell.polygon !== polygon &&
      !around.some((hole) => hole.ring > 0 && hole.polygon === shell.polygon),
  );
  return within === undefined ? null : `lies within polygon ${within.polygon + 1}, which counts it twice`;
}

function holeFault({ polygon }: MeshRing, around: readonly MeshRing[]): string | null {
  const own = around.filter((ring) => ring.polygon === polygon);
  if (!own.some(({ ring }) => ring === 0)) return 'lies outside its shell';
  return own.length > 1 ? 'lies within another hole' : null;
}

function untouchedCorner({ first, end }: MeshRing, touching: ReadonlySet<number>): number | null {
  for (let corner = first; corner < end; corner++) if (!touching.has(corner)) return corner;
  return null;
}

/** The other rings around a point that is on none of them: a line east crosses them an odd number of times. */
function ringsAround(mesh: RingMesh, own: MeshRing, [x, y]: Place): MeshRing[] {
  const odd = new Set<MeshRing>();
  for (const edge of mesh.edgesWithin(x, y, Number.POSITIVE_INFINITY, y)) {
    const ring = ringOf(mesh, edge);
    const [a, b] = [placeOf(mesh, edge), placeOf(mesh, mesh.after[edge] ?? 0)];
    const [isUpward, isDownward] = [a[1] <= y && b[1] > y, b[1] <= y && a[1] > y];
    if (!ring || ring === own || (!isUpward && !isDownward)) continue;
    if (orientation(...a, ...b, x, y) > 0 === isUpward && !odd.delete(ring)) odd.add(ring);
  }
  return [...odd];
}

const placeOf = ({ x, y }: RingMesh, corner: number): Place => [x[corner] ?? 0, y[corner] ?? 0];

const ringOf = ({ rings, ringAt }: RingMesh, corner: number): MeshRing | undefined =>
  rings[ringAt[corner] ?? 0];

const isSame = (a: Place, b: Place): boolean => a[0] === b[0] && a[1] === b[1];

const isBetween = ([x, y]: Place, a: Place, b: Place): boolean =>
  x >= Math.min(a[0], b[0]) &&
  x <= Math.max(a[0], b[0]) &&
  y >= Math.min(a[1], b[1]) &&
  y <= Math.max(a[1], b[1]);

function meetingPoint(mesh: RingMesh, edge: number, other: number): Place {
  const [[ax, ay], [bx, by]] = [placeOf(mesh, edge), placeOf(mesh, mesh.after[edge] ?? 0)];
  const [[cx, cy], [dx, dy]] = [placeOf(mesh, other), placeOf(mesh, mesh.after[other] ?? 0)];
  const [ux, uy, vx, vy] = [bx - ax, by - ay, dx - cx, dy - cy];
  const share = ((cx - ax) * vy - (cy - ay) * vx) / (ux * vy - uy * vx);
  return [ax + share * ux, ay + share * uy];
}

/** The point as the ring was written, to a tenth of a millimetre. */
function faultAt({ polygon, ring, turn }: MeshRing, [x, y]: Place, reason: string): ValidityFault {
  const rounded = (degrees: number): number => Math.round(degrees * 1e9) / 1e9;
  return { polygon, ring, point: [rounded(x - turn), rounded(y)], reason };
}
