// Summaries of blocks: what all watchers of a block of a posting list require, so that a change skips whole blocks.

import {
  COLUMNS,
  CURRENCY_SHIFT,
  FLAG_KEY_IS_CONDITION,
  FLAG_NEEDS_BATHROOMS,
  FLAG_NEEDS_BEDROOMS,
  FLAG_NEEDS_DISPLAY,
  FLAG_NEEDS_PRICE,
  FLAG_WANTS_CHANGES,
  FLAGS,
  MAX_BEDROOMS,
  MAX_PRICE,
  MIN_BATHROOMS,
  MIN_BEDROOMS,
  MIN_PRICE,
  SETS,
} from './columns.ts';
import type { PostingLists } from './posting-lists.ts';

/** Watchers of a block. */
export const BLOCK = 16;
/** Shorter lists are read as they are. */
const MIN_LENGTH = 2 * BLOCK;

/** Columns by which watchers are sorted: most changes are about prices, so those of a block have about the same bounds. */
const SORT_COLUMNS = [FLAGS, MIN_PRICE, MAX_PRICE, SETS, MIN_BEDROOMS, MAX_BEDROOMS, MIN_BATHROOMS];

/** Compares two slots for sorting: those that want to know of every change apart from the others, which a change often skips. */
export function compareSlots(columns: Int32Array, a: number, b: number): number {
  const wants = (slot: number): number => (columns[slot * COLUMNS + FLAGS] ?? 0) & FLAG_WANTS_CHANGES;
  if (wants(a) !== wants(b)) return wants(a) - wants(b);
  for (const column of SORT_COLUMNS) {
    const difference = (columns[a * COLUMNS + column] ?? 0) - (columns[b * COLUMNS + column] ?? 0);
    if (difference !== 0) return difference;
  }
  return a - b;
}

/** Flags that narrow what a watcher matches. Those of the listing type are the same for all watchers of a key. */
const NARROWING =
  FLAG_NEEDS_DISPLAY | FLAG_NEEDS_PRICE | FLAG_NEEDS_BEDROOMS | FLAG_NEEDS_BATHROOMS | FLAG_KEY_IS_CONDITION;
const CURRENCY = -1 << CURRENCY_SHIFT;

/** Blocks of a list by their numbers. */
export interface BlockRange {
  readonly first: number;
  readonly count: number;
}
const NO_BLOCKS: BlockRange = { first: 0, count: 0 };

/** Two records of columns for each block: what matches one of its watchers meets the first; what meets the second matches all. */
export class BlockSummaries {
  readonly columns: Int32Array;
  readonly #blocksOf = new Map<number, BlockRange>();

  /** Summarises the long ones of the lists, by the columns of their slots. */
  constructor(lists: PostingLists, columns: Int32Array) {
    const summaries: number[] = [];
    for (let list = 0; list < lists.count; list++) {
      const slots = lists.slots(list);
      if (slots.length < MIN_LENGTH) continue;
      const [first, count] = [summaries.length / (2 * COLUMNS), Math.floor(slots.length / BLOCK)];
      this.#blocksOf.set(list, { first, count });
      for (let at = 0; at < count * BLOCK; at += BLOCK)
        summaries.push(...summarize(columns, slots.subarray(at, at + BLOCK)));
    }
    this.columns = Int32Array.from(summaries);
  }

  /** The blocks of a list, from its start; slots after them have none. */
  blocks(list: number): BlockRange {
    return this.#blocksOf.get(list) ?? NO_BLOCKS;
  }
}

function summarize(columns: Int32Array, slots: Uint32Array): number[] {
  const [first = 0, ...others] = slots;
  const anyOf = [...columns.subarray(first * COLUMNS, (first + 1) * COLUMNS)];
  const allOf = [...anyOf];
  for (const slot of others) {
    const each = columns.subarray(slot * COLUMNS, (slot + 1) * COLUMNS);
    combine(anyOf, each, { isWidest: true });
    combine(allOf, each, { isWidest: false });
  }
  return [...anyOf, ...allOf];
}

/** Makes the first requirements as wide as either, or as narrow as both. */
function combine(columns: number[], others: Int32Array, { isWidest }: { isWidest: boolean }): void {
  const at = (column: number) => [columns[column] ?? 0, others[column] ?? 0] as const;
  const [flags, otherFlags] = at(FLAGS);
  const either = flags | otherFlags;
  columns[FLAGS] = isWidest ? (either & ~NARROWING) | (flags & otherFlags & NARROWING) : either;
  const [sets, otherSets] = at(SETS);
  const isSameCurrency = ((sets ^ otherSets) & CURRENCY) === 0;
  if (isWidest) columns[SETS] = (sets | otherSets) & (isSameCurrency ? -1 : ~CURRENCY);
  else columns[SETS] = isSameCurrency ? sets & otherSets : 0;
  const [lower, upper] = isWidest ? [Math.min, Math.max] : [Math.max, Math.min];
  for (const column of [MIN_PRICE, MIN_BEDROOMS, MIN_BATHROOMS]) columns[column] = lower(...at(column));
  for (const column of [MAX_PRICE, MAX_BEDROOMS]) columns[column] = upper(...at(column));
}
