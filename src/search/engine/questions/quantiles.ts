// Quantiles of numbers as PostgreSQL's percentile_cont computes them, without sorting all.

import type { Steps } from '../../../lib/scheduler.ts';

/** The value below which a share of the numbers lies, interpolated; null without numbers. Reorders them. */
export function* quantileSteps(numbers: number[] | Float64Array, share: number): Steps<number | null> {
  if (numbers.length === 0) return null;
  const place = share * (numbers.length - 1);
  const below = Math.floor(place);
  const low = yield* select(numbers, below);
  if (below === place) return low;
  // Behind the selected place stands nothing smaller.
  let high = Number.POSITIVE_INFINITY;
  for (let at = below + 1; at < numbers.length; at++) high = Math.min(high, numbers[at] as number);
  yield;
  return low + (high - low) * (place - below);
}

/** Numbers that one step looks at. */
const STEP = 32_768;

/** Moves the number that sorting would put at a place there, smaller ones before and larger ones behind it (Hoare's selection). */
function* select(numbers: number[] | Float64Array, place: number): Steps<number> {
  let [left, right] = [0, numbers.length - 1];
  while (left < right) {
    const pivot = numbers[(left + right) >>> 1] as number;
    const parting = { low: left, high: right };
    for (let isParted = false; !isParted; ) {
      isParted = part(numbers, pivot, parting);
      yield;
    }
    if (place <= parting.high) right = parting.high;
    else if (place >= parting.low) left = parting.low;
    else break;
  }
  return numbers[place] as number;
}

/** Parts the numbers from `low` to `high` by the pivot; whether that is done, or only a step of it. */
function part(
  numbers: number[] | Float64Array,
  pivot: number,
  parting: { low: number; high: number },
): boolean {
  let { low, high } = parting;
  const enough = high - low - STEP;
  while (low <= high && high - low > enough) {
    while ((numbers[low] as number) < pivot) low++;
    while ((numbers[high] as number) > pivot) high--;
    if (low > high) break;
    const swapped = numbers[low] as number;
    numbers[low++] = numbers[high] as number;
    numbers[high--] = swapped;
  }
  parting.low = low;
  parting.high = high;
  return low > high;
}
