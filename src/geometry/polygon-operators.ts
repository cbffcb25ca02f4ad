// Point and polygon with PostgreSQL's tolerance: its operators `point <@ polygon` and `point <-> path`, with the same formulas
// in the same order, so that both agree to the last bit.

/** x, y, x, y, ...; the last corner is joined to the first. */
export type Ring = readonly number[];

/** PostgreSQL treats smaller lengths, and products of lengths, as zero. */
export const TOLERANCE = 1e-6;

const isZero = (value: number): boolean => Math.abs(value) <= TOLERANCE;
const isPositive = (value: number): boolean => value > TOLERANCE;
const isNegative = (value: number): boolean => value < -TOLERANCE;
const isEqual = (a: number, b: number): boolean => a === b || Math.abs(a - b) <= TOLERANCE;

/** `point <@ polygon`: whether the point is within the ring or on an edge of it. */
export function ringHolds(ring: Ring, x: number, y: number): boolean {
  let turns = 0;
  let fromX = (ring[ring.length - 2] ?? 0) - x;
  let fromY = (ring[ring.length - 1] ?? 0) - y;
  for (let at = 0; at < ring.length; at += 2) {
    const toX = (ring[at] ?? 0) - x;
    const toY = (ring[at + 1] ?? 0) - y;
    // Nearly all edges lie above or below as a whole, and cross nothing.
    if (!((fromY > TOLERANCE && toY > TOLERANCE) || (fromY < -TOLERANCE && toY < -TOLERANCE))) {
      const crossed = crossing(fromX, fromY, toX, toY);
      if (crossed === null) return true;
      turns += crossed;
    }
    fromX = toX;
    fromY = toY;
  }
  return turns !== 0;
}

/**
 * How an edge crosses the positive x-axis: 2 upwards or -2 downwards, half of that if it ends or begins there, 0 if it does
 * not cross. Null if the origin is on the edge.
 */
function crossing(fromX: number, fromY: number, toX: number, toY: number): number | null {
  if (isZero(toY)) {
    if (isZero(toX)) return null;
    if (isZero(fromY)) return (isPositive(toX) ? isPositive(fromX) : isNegative(fromX)) ? 0 : null;
    if (!isPositive(toX)) return 0;
    return isNegative(fromY) ? 1 : -1;
  }
  const direction = isPositive(toY) ? 1 : -1;
  if (isZero(fromY)) return isNegative(fromX) ? 0 : direction;
  if (isPositive(fromY * direction)) return 0;
  if (!isNegative(toX) && isPositive(fromX)) return 2 * direction;
  if (isNegative(toX) && !isPositive(fromX)) return 0;
  const side = (toX - fromX) * toY - (toY - fromY) * toX;
  if (isZero(side)) return null;
  return isPositive(side * direction) ? 0 : 2 * direction;
}

/** More than PostgreSQL's foot of a perpendicular lies beside an edge that it counts to. */
const BESIDE = 1;
/** No point that is on an edge is so far from its line: a thousand times the tolerance. */
const OFF = 1e-3;

/** `(point <-> path) <= 0` with its tolerance: whether an edge of the ring is as near to the point as if it were on it. */
export function isOnRing(ring: Ring, x: number, y: number): boolean {
  let fromX = ring[ring.length - 2] ?? 0;
  let fromY = ring[ring.length - 1] ?? 0;
  for (let at = 0; at < ring.length; at += 2) {
    const toX = ring[at] ?? 0;
    const toY = ring[at + 1] ?? 0;
    // Nearly all edges are far away, and the exact distance takes long.
    if (isBetween(x, fromX, toX) && isBetween(y, fromY, toY) && isNearLine(fromX, fromY, toX, toY, x, y)) {
      const point = { x, y };
      const nearest = nearestOnEdge({ x: fromX, y: fromY }, { x: toX, y: toY }, point);
      if (isZero(distance(nearest, point))) return true;
    }
    fromX = toX;
    fromY = toY;
  }
  return false;
}

const isBetween = (value: number, one: number, other: number): boolean =>
  value >= Math.min(one, other) - BESIDE && value <= Math.max(one, other) + BESIDE;

/** The area between the edge and the point against the length of the edge, for which its sum of sides is enough. */
function isNearLine(fromX: number, fromY: number, toX: number, toY: number, x: number, y: number): boolean {
  const [along, up] = [toX - fromX, toY - fromY];
  return Math.abs(along * (y - fromY) - up * (x - fromX)) <= OFF * (Math.abs(along) + Math.abs(up));
}

interface Vertex {
  readonly x: number;
  readonly y: number;
}

/** ax + by + c = 0 */
interface Line {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** The foot of the perpendicular if it is on the edge, else the nearer end. */
function nearestOnEdge(from: Vertex, to: Vertex, point: Vertex): Vertex {
  const perpendicular = lineThrough(point, inverseSlope(from, to));
  const foot = intersection(lineThrough(from, slope(from, to)), perpendicular);
  if (foot !== null && isOnEdge(from, to, foot)) {
    if (isSame(from, foot)) return from;
    return isSame(to, foot) ? to : foot;
  }
  return distanceToLine(perpendicular, from) < distanceToLine(perpendicular, to) ? from : to;
}

function distanceToLine(line: Line, point: Vertex): number {
  const across = isZero(line.a) ? Number.POSITIVE_INFINITY : isZero(line.b) ? 0 : line.b / line.a;
  const foot = intersection(line, lineThrough(point, across)) ?? null;
  return foot === null ? Number.NaN : distance(foot, point);
}

const isSame = (one: Vertex, other: Vertex): boolean => isEqual(one.x, other.x) && isEqual(one.y, other.y);

const isOnEdge = (from: Vertex, to: Vertex, point: Vertex): boolean =>
  isEqual(distance(point, from) + distance(point, to), distance(from, to));

function slope(from: Vertex, to: Vertex): number {
  if (isEqual(from.x, to.x)) return Number.POSITIVE_INFINITY;
  return isEqual(from.y, to.y) ? 0 : (from.y - to.y) / (from.x - to.x);
}

/** The slope of what is perpendicular to the edge. */
function inverseSlope(from: Vertex, to: Vertex): number {
  if (isEqual(from.x, to.x)) return 0;
  return isEqual(from.y, to.y) ? Number.POSITIVE_INFINITY : (from.x - to.x) / (to.y - from.y);
}

function lineThrough({ x, y }: Vertex, along: number): Line {
  if (along === Number.POSITIVE_INFINITY || along === Number.NEGATIVE_INFINITY) return { a: -1, b: 0, c: x };
  return along === 0 ? { a: 0, b: -1, c: y } : { a: along, b: -1, c: y - along * x };
}

/** Null for parallel lines. */
function intersection(one: Line, other: Line): Vertex | null {
  const [first, second] = isZero(one.b) ? [other, one] : [one, other];
  if (isZero(first.b) || isEqual(second.a, first.a * (second.b / first.b))) return null;
  const x = (first.b * second.c - second.b * first.c) / (first.a * second.b - second.a * first.b);
  return { x, y: -(first.a * x + first.c) / first.b };
}

/** Not Math.hypot, which rounds differently. */
function distance(one: Vertex, other: Vertex): number {
  const [dx, dy] = [Math.abs(one.x - other.x), Math.abs(one.y - other.y)];
  const [long, short] = dx < dy ? [dy, dx] : [dx, dy];
  const ratio = short / long;
  return short === 0 ? long : long * Math.sqrt(1 + ratio * ratio);
}
