// Quantiles of numbers as PostgreSQL's percentile_cont computes them, without sorting all.

import type { Steps } from '../../../lib/scheduler.ts';

/** The value below which a share of the numbers lies, interpolated; null without numbers. Reorders them. */
export function* quantileSteps(numbers: Numbers, share: number): Steps<number | null> {
  if (numbers.length === 0) return null;
  const place = share * (numbers.length - 1);
  const below = Math.floor(place);
  const near = numbers.length < NARROWED_FROM ? null : yield* narrowed(numbers, below);
  const low = near ?? { numbers, before: 0 };
  return yield* interpolated(low.numbers, below - low.before, place - below);
}

type Numbers = number[] | Float64Array;

/** The value at a place of the numbers in their order, and that share of the way to the next one. */
function* interpolated(numbers: Numbers, at: number, share: number): Steps<number> {
  const low = yield* select(numbers, at);
  if (share === 0) return low;
  // Behind the selected place stands nothing smaller.
  let high = Number.POSITIVE_INFINITY;
  for (let next = at + 1; next < numbers.length; next++) high = Math.min(high, numbers[next] as number);
  yield;
  return low + (high - low) * share;
}

/** So many numbers are narrowed before one is selected: parting all of them mostly guesses wrongly what is next. */
const NARROWED_FROM = 4_096;
/** Numbers that bounds are taken from, and by how many of them the bounds are apart from the place in the middle. */
const SAMPLE = 512;
const MARGIN = 40;

/**
 * The numbers around a place, by the bounds that a sample gives, and how many are smaller than all of these. They have that place and
 * the next one; null where the sample was not like the rest.
 */
function* narrowed(
  numbers: Numbers,
  place: number,
): Steps<{ readonly numbers: number[]; readonly before: number } | null> {
  const sample = new Float64Array(SAMPLE);
  for (let at = 0; at < SAMPLE; at++)
    sample[at] = numbers[Math.floor(((at + 0.5) / SAMPLE) * numbers.length)] as number;
  sample.sort();
  const middle = (place / numbers.length) * SAMPLE;
  const [from, to] = [Math.floor(middle) - MARGIN, Math.ceil(middle) + MARGIN];
  const least = from < 0 ? Number.NEGATIVE_INFINITY : (sample[from] as number);
  const most = to >= SAMPLE ? Number.POSITIVE_INFINITY : (sample[to] as number);
  const near: number[] = [];
  let before = 0;
  for (let first = 0; first < numbers.length; first += STEP) {
    const end = Math.min(numbers.length, first + STEP);
    for (let at = first; at < end; at++) {
      const value = numbers[at] as number;
      if (value < least) before++;
      else if (value <= most) near.push(value);
    }
    yield;
  }
  const isThere =
    before <= place && (place + 1 < before + near.length || before + near.length === numbers.length);
  return isThere ? { numbers: near, before } : null;
}

/** Numbers that one step looks at. */
const STEP = 32_768;

/** Moves the number that sorting would put at a place there, smaller ones before and larger ones behind it (Hoare's selection). */
function* select(numbers: Numbers, place: number): Steps<number> {
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
function part(numbers: Numbers, pivot: number, parting: { low: number; high: number }): boolean {
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
