// Counts of rows that meet each of several sets of conditions: each condition is asked once of a block, whatever sets it is in.

import type { Task } from '../../../lib/scheduler.ts';
import type { ConditionSets } from '../../query/condition-sets.ts';
import { BLOCK_ROWS, type Columns } from '../columns/segment.ts';
import type { Filter, SlicedConsumer } from './scan.ts';

const WORDS = BLOCK_ROWS / 32;

/** Counts the rows that meet each set. */
export class SetCounter {
  readonly counts: number[];
  readonly #sets: ConditionSets['sets'];

  constructor(sets: ConditionSets['sets']) {
    this.#sets = sets;
    this.counts = sets.map(() => 0);
  }

  /** What takes the rows of one part of a table, whose filters are those of the conditions by their numbers. */
  consume(columns: Columns, filters: readonly Filter[], task: Task): SlicedConsumer {
    const bits = filters.map(() => new Uint32Array(WORDS));
    const present = new Uint32Array(WORDS);
    return async (rows, count) => {
      const live = rows.subarray(0, count);
      const first = (rows[0] as number) - ((rows[0] as number) % BLOCK_ROWS);
      present.fill(0);
      setBits(live, count, first, present);
      for (const [at, filter] of filters.entries()) {
        const own = bits[at] as Uint32Array;
        const end = Math.min(first + BLOCK_ROWS, columns.rows);
        const judgement = filter.judge?.(first / BLOCK_ROWS, first, end) ?? 'some';
        own.fill(judgement === 'all' ? 0xffff_ffff : 0);
        const { rowsAtOnce = BLOCK_ROWS } = filter;
        for (let from = 0; from < count && judgement === 'some'; from += rowsAtOnce) {
          mark(filter, live.subarray(from, from + rowsAtOnce), first, own);
          if (task.shouldYield()) await task.yield();
        }
      }
      for (const [at, set] of this.#sets.entries())
        this.counts[at] = (this.counts[at] as number) + countJoined(present, set, bits);
    };
  }
}

/** The rows that a filter narrows: nothing else runs in between. */
const ROWS = new Uint32Array(BLOCK_ROWS);

/** Sets the bits of the rows that pass. */
function mark(filter: Filter, rows: Uint32Array, first: number, bits: Uint32Array): void {
  ROWS.set(rows);
  setBits(ROWS, filter.narrow(ROWS, rows.length), first, bits);
}

/** Sets the bits of the first so many of these rows of a block. */
function setBits(rows: Uint32Array, count: number, first: number, bits: Uint32Array): void {
  for (let at = 0; at < count; at++) {
    const place = (rows[at] as number) - first;
    bits[place >>> 5] = (bits[place >>> 5] as number) | (1 << (place & 31));
  }
}

/** How many of the rows that are present have the bits of all conditions of a set. */
function countJoined(present: Uint32Array, set: readonly number[], bits: readonly Uint32Array[]): number {
  JOINED_BITS.set(present);
  for (const number of set) {
    const own = bits[number] as Uint32Array;
    for (let word = 0; word < WORDS; word++)
      JOINED_BITS[word] = (JOINED_BITS[word] as number) & (own[word] as number);
  }
  let count = 0;
  for (let word = 0; word < WORDS; word++) count += bitsOf(JOINED_BITS[word] as number);
  return count;
}

/** How many bits of a word are set: sums of two, of four, of eight bits, and at last of all. */
function bitsOf(word: number): number {
  const twos = word - ((word >>> 1) & 0x5555_5555);
  const fours = (twos & 0x3333_3333) + ((twos >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

const JOINED_BITS = new Uint32Array(WORDS);
