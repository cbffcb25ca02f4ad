// Rings cut off at a rectangle, so that a map holds no corner that nobody sees.

/** left, top, right, bottom */
export type Rectangle = readonly [number, number, number, number];

/**
 * The part of a ring inside a rectangle, as x, y, x, y … without a repeated end (Sutherland and Hodgman). A ring that leaves and comes
 * back runs along the edge of the rectangle in between.
 */
export function clippedRing(ring: ArrayLike<number>, rectangle: Rectangle): number[] {
  let points = Array.from(ring);
  if (isWithin(points, rectangle)) return points;
  const [left, top, right, bottom] = rectangle;
  points = cut(points, 0, left, 1);
  points = cut(points, 1, top, 1);
  points = cut(points, 0, right, -1);
  return cut(points, 1, bottom, -1);
}

function isWithin(points: readonly number[], [left, top, right, bottom]: Rectangle): boolean {
  for (let at = 0; at < points.length; at += 2) {
    const [x = 0, y = 0] = [points[at], points[at + 1]];
    if (x < left || x > right || y < top || y > bottom) return false;
  }
  return true;
}

/** Keeps what lies at or beyond a line: above it where the sign is 1, below it where it is -1. `axis` 0 is x. */
function cut(points: readonly number[], axis: 0 | 1, line: number, sign: 1 | -1): number[] {
  const kept: number[] = [];
  const count = points.length;
  for (let at = 0; at < count; at += 2) {
    const before = (at + count - 2) % count;
    const [x = 0, y = 0] = [points[at], points[at + 1]];
    const [fromX = 0, fromY = 0] = [points[before], points[before + 1]];
    const isInside = ((axis === 0 ? x : y) - line) * sign >= 0;
    const wasInside = ((axis === 0 ? fromX : fromY) - line) * sign >= 0;
    if (isInside !== wasInside) kept.push(...crossing(fromX, fromY, x, y, axis, line));
    if (isInside) kept.push(x, y);
  }
  return kept;
}

/** The same numbers in whichever direction the edge runs: neighbours keep the corners of their common border. */
function crossing(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  axis: 0 | 1,
  line: number,
): [number, number] {
  if (ax > bx || (ax === bx && ay > by)) return crossing(bx, by, ax, ay, axis, line);
  return axis === 0
    ? [line, ay + ((line - ax) / (bx - ax)) * (by - ay)]
    : [ax + ((line - ay) / (by - ay)) * (bx - ax), line];
}
