// Exact orientation of points on a plane, and whether two paths through one point cross.

/** The error of the difference below, relative to its terms, is smaller than this (Shewchuk 1997, ccwerrboundA). */
const ERROR_BOUND = (3 + 16 * 2 ** -53) * 2 ** -53;
/** Products below this may have lost digits to the end of the range of floating point. */
const UNDERFLOW = 1e-290;

/**
 * 1 where the way from a over b to c turns left, -1 where it turns right, 0 where the three lie on one line: exactly,
 * for the numbers as they are stored.
 */
export function orientation(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  const left = (ax - cx) * (by - cy);
  const right = (ay - cy) * (bx - cx);
  const difference = left - right;
  const error = ERROR_BOUND * (Math.abs(left) + Math.abs(right)) + UNDERFLOW;
  if (Math.abs(difference) > error) return Math.sign(difference);
  // Differences of floating-point numbers are zero only where the numbers are the same.
  const isPlain = (ax === cx || by === cy) && (ay === cy || bx === cx);
  return isPlain || (ax === bx && ay === by) ? 0 : exactOrientation(ax, ay, bx, by, cx, cy);
}

function exactOrientation(...coordinates: [number, number, number, number, number, number]): number {
  const scaled = coordinates.map((value) => value * COMMON_SCALE);
  const [ax, ay, bx, by, cx, cy] = scaled.every(Number.isInteger)
    ? scaled.map(BigInt)
    : coordinates.map(scaledInteger);
  if (ax === undefined || ay === undefined || bx === undefined) return 0;
  if (by === undefined || cx === undefined || cy === undefined) return 0;
  const difference = (ax - cx) * (by - cy) - (ay - cy) * (bx - cx);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

/** Powers of two are exact factors. This one makes integers of most numbers, and shorter ones than the last resort does. */
const COMMON_SCALE = 2 ** 100;

const view = new DataView(new ArrayBuffer(8));

/** The finite number times 2 to the power of 1074, which makes an integer of every one. */
function scaledInteger(value: number): bigint {
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const [exponent, fraction] = [bits >> 52n, bits & ((1n << 52n) - 1n)];
  const magnitude = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -magnitude : magnitude;
}

export type Place = readonly [x: number, y: number];

/** A way through a point: where it comes from and where it goes to; the polygon's inside is on its left. */
export interface Passage {
  readonly from: Place;
  readonly to: Place;
}

/** Whether the insides left of two passages through a point have nothing in common near it. */
export const insidesApart = (at: Place, one: Passage, other: Passage): boolean =>
  !sectorsMeet(at, one.to, one.from, other.to, other.from);

/** Whether what lies right of two passages through a point has nothing in common near it. */
export const outsidesApart = (at: Place, one: Passage, other: Passage): boolean =>
  !sectorsMeet(at, one.from, one.to, other.from, other.to);

/** Two sectors around a point, each counterclockwise from its first direction to its second: if one begins in the other. */
function sectorsMeet(at: Place, start: Place, end: Place, otherStart: Place, otherEnd: Place): boolean {
  // A way that goes back as it came has nothing on one side and everything on the other: no ring is hurt by it.
  if (isSameDirection(at, start, end) || isSameDirection(at, otherStart, otherEnd)) return false;
  return isWithin(at, start, end, otherStart) || isWithin(at, otherStart, otherEnd, start);
}

/** Whether a direction lies in a sector; its first direction does, and its second does not. */
function isWithin(at: Place, start: Place, end: Place, direction: Place): boolean {
  if (isSameDirection(at, start, direction)) return true;
  if (isSameDirection(at, end, direction)) return false;
  const afterStart = orientation(...at, ...start, ...direction) > 0;
  const beforeEnd = orientation(...at, ...direction, ...end) > 0;
  const opening = orientation(...at, ...start, ...end);
  if (opening === 0) return afterStart;
  return opening > 0 ? afterStart && beforeEnd : afterStart || beforeEnd;
}

function isSameDirection(at: Place, a: Place, b: Place): boolean {
  if (orientation(...at, ...a, ...b) !== 0) return false;
  return (
    Math.sign(a[0] - at[0]) === Math.sign(b[0] - at[0]) && Math.sign(a[1] - at[1]) === Math.sign(b[1] - at[1])
  );
}
