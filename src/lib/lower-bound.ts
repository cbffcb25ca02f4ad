// Binary search among things that stand in order, and short lists that are kept in order.

/** The first place, from 0 up to `count`, whose thing does not come before what is sought. */
export function lowerBound(count: number, isBefore: (place: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Inserts an item into the first `limit` of many, which stand in order, unless all of them come before it. */
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
