// Exact orientation of three points on a plane: floating point where its error cannot matter, integers where it could.

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
