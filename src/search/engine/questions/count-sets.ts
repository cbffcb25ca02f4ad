// Counts of rows that meet each of several sets of conditions: each condition is asked once of a block, whatever sets it is in.

import type { Condition } from '../../query/condition.ts';
import { isShape } from '../../query/condition.ts';
import { BLOCK_ROWS, type Columns } from '../columns/segment.ts';
import type { Filter } from './filter.ts';
import type { Pace } from './pace.ts';
import { narrowLive, type Part } from './scan.ts';

/** Conditions without those that are the same, and each set as their numbers. */
export interface ConditionSets {
  readonly conditions: readonly Condition[];
  readonly sets: readonly (readonly number[])[];
}

/** Sets share most of their conditions. */
export function numberSets(sets: readonly (readonly Condition[])[]): ConditionSets {
  const numbers = new Map<unknown, number>();
  const conditions: Condition[] = [];
  const numberOf = (condition: Condition): number => {
    // Shapes are long, and the same objects in all sets.
    const key = isShape(condition) ? condition : JSON.stringify(condition);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, conditions.length);
    return conditions.push(condition) - 1;
  };
  return { sets: sets.map((set) => set.map(numberOf)), conditions };
}

/** A part of a table with a filter for each condition, and with those that every row has to pass. */
export interface CountedPart extends Part {
  readonly always: readonly Filter[];
  readonly filters: readonly Filter[];
}

const WORDS = BLOCK_ROWS / 32;
/** Nanoseconds of joining bits of a set and a condition. */
const JOINED = 40;

/** How many live rows meet each set. */
export async function countSets(
  parts: readonly CountedPart[],
  sets: ConditionSets['sets'],
  pace: Pace,
): Promise<number[]> {
  const counts = sets.map(() => 0);
  for (const part of parts) {
    const bits = part.filters.map(() => new Uint32Array(WORDS));
    const joining = sets.reduce((sum, set) => sum + JOINED * (set.length + 1), 0);
    for (let first = 0; first < part.columns.rows; first += BLOCK_ROWS) {
      const live = liveRows(part, first);
      let work = live.length + joining;
      for (const [at, filter] of part.filters.entries())
        work += mark(filter, part.columns, live, first, bits[at] as Uint32Array);
      for (const [at, set] of sets.entries()) counts[at] = (counts[at] ?? 0) + join(live, set, bits, first);
      if (pace.spend(work)) await pace.pause();
    }
  }
  return counts;
}

/** Of the block that is looked at, and those that a filter narrows: nothing else runs in between. */
const [LIVE, ROWS] = [new Uint32Array(BLOCK_ROWS), new Uint32Array(BLOCK_ROWS)];

/** The rows of a block that may be counted at all. */
function liveRows({ columns, removed, always }: CountedPart, first: number): Uint32Array {
  const end = Math.min(first + BLOCK_ROWS, columns.rows);
  for (let row = first; row < end; row++) LIVE[row - first] = row;
  let count = narrowLive(removed, LIVE, end - first);
  for (const filter of always) {
    const judgement = filter.judge?.(first / BLOCK_ROWS, first, end) ?? 'some';
    if (judgement === 'none') count = 0;
    if (judgement === 'some') count = filter.narrow(LIVE, count);
  }
  return LIVE.subarray(0, count);
}

/** Sets the bits of the rows that pass; returns about how many nanoseconds it took. */
function mark(filter: Filter, columns: Columns, live: Uint32Array, first: number, bits: Uint32Array): number {
  const end = Math.min(first + BLOCK_ROWS, columns.rows);
  const judgement = filter.judge?.(first / BLOCK_ROWS, first, end) ?? 'some';
  const judging = filter.judging ?? 20;
  bits.fill(judgement === 'all' ? 0xffff_ffff : 0);
  if (judgement !== 'some') return judging;
  ROWS.set(live);
  const count = filter.narrow(ROWS, live.length);
  for (let at = 0; at < count; at++) {
    const place = (ROWS[at] as number) - first;
    bits[place >>> 5] = (bits[place >>> 5] as number) | (1 << (place & 31));
  }
  return judging + (filter.cost + 1) * live.length;
}

/** How many of the rows have the bits of all conditions of a set. */
function join(
  live: Uint32Array,
  set: readonly number[],
  bits: readonly Uint32Array[],
  first: number,
): number {
  if (set.length === 0) return live.length;
  const joined = JOINED_BITS;
  joined.fill(0xffff_ffff);
  for (const number of set) {
    const own = bits[number] as Uint32Array;
    for (let word = 0; word < WORDS; word++) joined[word] = (joined[word] as number) & (own[word] as number);
  }
  let count = 0;
  for (let at = 0; at < live.length; at++) {
    const place = (live[at] as number) - first;
    count += ((joined[place >>> 5] as number) >>> (place & 31)) & 1;
  }
  return count;
}

const JOINED_BITS = new Uint32Array(WORDS);
