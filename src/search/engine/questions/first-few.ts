// First few of many: a short list in an order, to which one after the other is offered.

import { lowerBound } from '../../../lib/lower-bound.ts';

/** Puts an item in its place among the first few, unless all of them come before it. */
export function insertAmong<T>(
  first: T[],
  item: T,
  limit: number,
  compare: (one: T, other: T) => number,
): void {
  const last = first.at(-1);
  if (first.length === limit && (last === undefined || compare(last, item) < 0)) return;
  const place = lowerBound(first.length, (at) => compare(first[at] as T, item) < 0);
  first.splice(place, 0, item);
  if (first.length > limit) first.pop();
}
