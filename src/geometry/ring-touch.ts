// Touches of rings: whether two ways through one point leave what lies on their left apart, or cross.

import { orientation } from './orientation.ts';

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
