// Quantiles of numbers as PostgreSQL's percentile_cont computes them, without sorting all.

/** The value below which a share of the numbers lies, interpolated; null without numbers. Reorders them. */
export function quantile(numbers: number[] | Float64Array, share: number): number | null {
  if (numbers.length === 0) return null;
  const place = share * (numbers.length - 1);
  const below = Math.floor(place);
  const low = select(numbers, below);
  if (below === place) return low;
  // Behind the selected place stands nothing smaller.
  let high = Number.POSITIVE_INFINITY;
  for (let at = below + 1; at < numbers.length; at++) high = Math.min(high, numbers[at] as number);
  return low + (high - low) * (place - below);
}

/** Moves the number that sorting would put at a place there, smaller ones before and larger ones behind it (Hoare's selection). */
function select(numbers: number[] | Float64Array, place: number): number {
  let [left, right] = [0, numbers.length - 1];
  while (left < right) {
    const pivot = numbers[(left + right) >>> 1] as number;
    let [low, high] = [left, right];
    while (low <= high) {
      while ((numbers[low] as number) < pivot) low++;
      while ((numbers[high] as number) > pivot) high--;
      if (low > high) break;
      const swapped = numbers[low] as number;
      numbers[low++] = numbers[high] as number;
      numbers[high--] = swapped;
    }
    if (place <= high) right = high;
    else if (place >= low) left = low;
    else break;
  }
  return numbers[place] as number;
}
