// Filter: a condition as a loop over the columns of one part of a table, and the groups of blocks that it may pass over.

import type { TextCondition } from '../../query/condition.ts';
import type { Dictionaries } from '../columns/dictionary.ts';
import { BLOCK_ROWS, type Columns, type Zones } from '../columns/segment.ts';
import type { TextMatch } from './text-match.ts';

/** One condition over the rows of a segment or a tail. */
export interface Filter {
  /** What a row costs beside other filters: about how many times as much as the comparison of one column. */
  readonly cost: number;
  /** Rows that are looked at between two looks at the clock; absent: all of a block. */
  readonly rowsAtOnce?: number;
  /** The only rows that may pass, ascending, where an index tells; absent: any row. */
  readonly candidates?: Uint32Array;
  /** Whether any row of a group of blocks may pass; absent: some may. */
  mayHold?(group: number): boolean;
  /** What is known of the rows from `first` up to and without `end`, which are of one block; absent: nothing ever. */
  judge?(block: number, first: number, end: number): Judgement;
  /** Moves those of the first `count` rows that pass to the front, in their order; returns how many. */
  narrow(rows: Uint32Array, count: number): number;
}

/** Whether all rows of a block pass, none does, or they have to be looked at. */
export type Judgement = 'all' | 'none' | 'some';

/** What conditions are compiled with: names as they were looked up, and the moment to which days on market count. */
export interface FilterContext {
  readonly dictionaries: Dictionaries;
  readonly areaNos: readonly number[];
  /** The rows of these areas in a part of a table; null: not looked up. */
  readonly areaRows: (columns: Columns) => Uint32Array | null;
  /** The rows that have the words of a text. */
  readonly matchText: (text: TextCondition, columns: Columns) => TextMatch;
  /** Milliseconds. */
  readonly startedAt: number;
}

/** Comparisons that take about a tenth of a millisecond. */
const COMPARISONS = 32_768;

/** `rowsAtOnce` of a filter that makes so many comparisons for a row. */
export const rowsAtOnce = (comparisons: number): number =>
  Math.min(Math.max(1, Math.floor(COMPARISONS / comparisons)), BLOCK_ROWS);

/** Passes no row. */
export const NOTHING: Filter = {
  cost: 0,
  candidates: new Uint32Array(0),
  judge: () => 'none',
  narrow: () => 0,
};

/** Blocks of a group. */
export const GROUP_BLOCKS = 16;

const KNOWN = new WeakMap<Zones, Zones>();

/** The lowest and highest value of each group; NaN where no block has any. Remembered for as long as the zones are. */
export function groupsOf(zones: Zones): Zones {
  const groups = KNOWN.get(zones) ?? {
    min: extremesOf(zones.min, (value, least) => value < least),
    max: extremesOf(zones.max, (value, most) => value > most),
  };
  KNOWN.set(zones, groups);
  return groups;
}

function extremesOf(
  values: Float64Array,
  isBeyond: (value: number, extreme: number) => boolean,
): Float64Array {
  const extremes = new Float64Array(Math.ceil(values.length / GROUP_BLOCKS)).fill(Number.NaN);
  for (const [block, value] of values.entries()) {
    const group = Math.floor(block / GROUP_BLOCKS);
    const extreme = extremes[group] as number;
    if (Number.isNaN(extreme) || isBeyond(value, extreme)) extremes[group] = value;
  }
  return extremes;
}
