// Radix sort: items by number or by text, stable, in time that grows with their number alone.

/** Digits of 11 bits: three in each half of a float64. The counts of a digit fit into the first cache. */
const DIGIT_BITS = 11;
const DIGIT_VALUES = 2 ** DIGIT_BITS;
const DIGITS = 6;
const DIGIT_MASK = DIGIT_VALUES - 1;
const SHIFTS = [0, DIGIT_BITS, 2 * DIGIT_BITS];

/** The numbers from 0 to below the count. */
export function indexes(count: number) {
  const numbers = new Uint32Array(count);
  for (let at = 0; at < count; at++) numbers[at] = at;
  return numbers;
}

/**
 * The items in ascending order of their keys: keys[i] is that of items[i]. Equal keys keep their order, and 0 equals -0. Keys
 * must not be NaN. The items given are left as they were.
 */
export function sortByNumbers(items: Uint32Array, keys: Float64Array): Uint32Array {
  const count = items.length;
  const halves = sortableHalves(keys, count);
  const counts = countDigits(halves, count);
  let order = indexes(count);
  let other = new Uint32Array(count);
  for (let digit = 0; digit < DIGITS; digit++) {
    const starts = counts.subarray(digit * DIGIT_VALUES, (digit + 1) * DIGIT_VALUES);
    if (!toStarts(starts, count)) continue;
    scatter(order, other, halves, digit, starts);
    [order, other] = [other, order];
  }
  for (let at = 0; at < count; at++) order[at] = items[order[at] ?? 0] ?? 0;
  return order;
}

/** Low and high half of each key in turns, as unsigned integers that have the order of the keys. */
function sortableHalves(keys: Float64Array, count: number): Uint32Array {
  const halves = new Uint32Array(count * 2);
  const numbers = new Float64Array(halves.buffer);
  // -0 + 0 is 0.
  for (let at = 0; at < count; at++) numbers[at] = (keys[at] ?? 0) + 0;
  for (let at = 0; at < count; at++) {
    const high = halves[2 * at + 1] ?? 0;
    if (high >= 0x8000_0000) {
      halves[2 * at] = ~(halves[2 * at] ?? 0);
      halves[2 * at + 1] = ~high;
    } else halves[2 * at + 1] = high | 0x8000_0000;
  }
  return halves;
}

function countDigits(halves: Uint32Array, count: number): Uint32Array {
  const counts = new Uint32Array(DIGITS * DIGIT_VALUES);
  for (let at = 0; at < 2 * count; at++) {
    const half = halves[at] ?? 0;
    const first = (at & 1) * 3 * DIGIT_VALUES;
    increment(counts, first + (half & DIGIT_MASK));
    increment(counts, first + DIGIT_VALUES + ((half >>> DIGIT_BITS) & DIGIT_MASK));
    increment(counts, first + 2 * DIGIT_VALUES + (half >>> (2 * DIGIT_BITS)));
  }
  return counts;
}

/** Adds 1 to an element; returns what it was. */
function increment(counts: Uint32Array, at: number): number {
  const value = counts[at] ?? 0;
  counts[at] = value + 1;
  return value;
}

/** Makes counts the places where each value begins. False if all keys have one value, so that there is nothing to sort. */
function toStarts(counts: Uint32Array, count: number): boolean {
  let start = 0;
  for (let value = 0; value < DIGIT_VALUES; value++) {
    const size = counts[value] ?? 0;
    if (size === count) return false;
    counts[value] = start;
    start += size;
  }
  return true;
}

function scatter(
  from: Uint32Array,
  to: Uint32Array,
  halves: Uint32Array,
  digit: number,
  starts: Uint32Array,
): void {
  const half = digit >= 3 ? 1 : 0;
  const shift = SHIFTS[digit % 3] ?? 0;
  for (let at = 0; at < from.length; at++) {
    const item = from[at] ?? 0;
    const value = ((halves[2 * item + half] ?? 0) >>> shift) & DIGIT_MASK;
    to[increment(starts, value)] = item;
  }
}

/** The bytes of row r: from offsets[r] up to and without offsets[r + 1]. */
interface Texts {
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Bytes that a float64 holds as an exact integer. */
const CHUNK = 6;

/** The rows in ascending order of the bytes of their texts, as PostgreSQL compares with the collation "C". */
export function sortByTexts(rows: Uint32Array, { offsets, bytes }: Texts): Uint32Array {
  let longest = 0;
  for (const row of rows) longest = Math.max(longest, (offsets[row + 1] ?? 0) - (offsets[row] ?? 0));
  let sorted = rows;
  const keys = new Float64Array(rows.length);
  for (let chunk = Math.ceil(longest / CHUNK) - 1; chunk >= 0; chunk--) {
    for (let at = 0; at < sorted.length; at++) {
      const row = sorted[at] ?? 0;
      const end = offsets[row + 1] ?? 0;
      const start = (offsets[row] ?? 0) + chunk * CHUNK;
      let key = 0;
      // A text that has ended sorts before all that go on: PostgreSQL has no texts with a byte of zero.
      for (let byte = start; byte < start + CHUNK; byte++)
        key = key * 256 + (byte < end ? (bytes[byte] ?? 0) : 0);
      keys[at] = key;
    }
    sorted = sortByNumbers(sorted, keys);
  }
  return sorted;
}
