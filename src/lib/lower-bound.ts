// Binary search among things that stand in order.

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
