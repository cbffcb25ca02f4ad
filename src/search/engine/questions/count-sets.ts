// Counts of rows that meet each of several sets of conditions: each condition is asked once of a block, whatever sets it is in.

import type { ConditionSets } from '../../query/condition-sets.ts';
import { BLOCK_ROWS, type Columns } from '../columns/segment.ts';
import type { Filter } from './filter.ts';
import type { Pace } from './pace.ts';
import type { RowConsumer } from './scan.ts';

const WORDS = BLOCK_ROWS / 32;
/** Nanoseconds of joining bits of a set and a condition. */
const JOINED = 40;

/** Counts the rows that meet each set. */
export class SetCounter {
  readonly counts: number[];
  readonly #sets: ConditionSets['sets'];

  constructor(sets: ConditionSets['sets']) {
    this.#sets = sets;
    this.counts = sets.map(() => 0);
  }

  /** What takes the rows of one part of a table, whose filters are those of the conditions by their numbers. */
  consume(columns: Columns, filters: readonly Filter[], pace: Pace): RowConsumer {
    const bits = filters.map(() => new Uint32Array(WORDS));
    const joining = this.#sets.reduce((sum, set) => sum + JOINED * (set.length + 1), 0);
    return (rows, count) => {
      const live = rows.subarray(0, count);
      const first = (rows[0] as number) - ((rows[0] as number) % BLOCK_ROWS);
      let work = joining;
      for (const [at, filter] of filters.entries())
        work += mark(filter, columns, live, first, bits[at] as Uint32Array);
      for (const [at, set] of this.#sets.entries())
        this.counts[at] = (this.counts[at] as number) + join(live, set, bits, first);
      pace.spend(work);
    };
  }
}

/** The rows that a filter narrows: nothing else runs in between. */
const ROWS = new Uint32Array(BLOCK_ROWS);

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
