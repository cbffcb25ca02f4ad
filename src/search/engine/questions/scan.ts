// Scan of tables: blocks of rows that pass all filters of a search, and what a filter is.

import { eventLoop } from '../../../lib/scheduler.ts';
import type { TextCondition } from '../../query/condition.ts';
import type { Dictionaries } from '../columns/dictionary.ts';
import {
  BLOCK_BITS,
  BLOCK_ROWS,
  type Columns,
  isRemoved,
  type Table,
  type Zones,
} from '../columns/segment.ts';
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

/** Filters of a search for either part of a table. */
export type FilterCompiler = (columns: Columns) => readonly Filter[];

/** Takes rows of one block of a part of a table; they are overwritten by the next ones. */
export type RowConsumer = (rows: Uint32Array, count: number) => void;

/** The same where that may take several slices. */
export type SlicedConsumer = (rows: Uint32Array, count: number) => Promise<void>;

/** Milliseconds of work after which a question is expensive: a page rarely is; of questions about all results, those of a town are not. */
export const EXPENSIVE_AFTER = { page: 8, summary: 1 };

/** Looks at blocks that no row passes, between two looks at the clock. */
const LOOKS = 64;
/** Blocks after which filters are put in order again. */
const REORDERED_AFTER = 16;

const GROUP_ROWS = GROUP_BLOCKS * BLOCK_ROWS;

/** Rows of a table, and which of them are gone. */
export interface Part {
  readonly columns: Columns;
  readonly removed: Uint32Array;
}

/** The segment of a table and its tail. */
export const partsOf = ({ base, baseRemoved, tail, tailRemoved }: Table): readonly [Part, Part] => [
  { columns: base, removed: baseRemoved },
  { columns: tail, removed: tailRemoved },
];

/** Hands all live rows that pass to what `consume` makes for each part. Rejects as the task does. */
export async function scanRows(
  parts: readonly Part[],
  compile: FilterCompiler,
  consume: (columns: Columns) => RowConsumer | SlicedConsumer,
  task = eventLoop.task(),
): Promise<void> {
  for (const { columns, removed } of parts) {
    if (columns.rows === 0) continue;
    const scan = new BlockScan(columns, removed, compile(columns));
    const take = consume(columns);
    for (let count = scan.next(); count !== null; count = scan.next()) {
      const taken = count > 0 ? take(scan.rows, count) : undefined;
      if (taken instanceof Promise) await taken;
      if (task.shouldYield()) await task.yield();
    }
  }
}

/** A filter, and how many rows it has seen and let pass. */
interface Observed {
  readonly filter: Filter;
  seen: number;
  passed: number;
}

/** The rows of one part that pass, block by block. */
class BlockScan {
  /** Those of the last block. */
  readonly rows = new Uint32Array(BLOCK_ROWS);
  readonly #columns: Columns;
  readonly #removed: Uint32Array;
  readonly #filters: Observed[];
  readonly #candidates: Uint32Array | undefined;
  /** The filters that have to look at the rows of a block, and how many rows at once. */
  readonly #open: Observed[] = [];
  #rowsAtOnce = BLOCK_ROWS;
  /** The first row that was not looked at, or the first of the candidates. */
  #row = 0;
  #candidate = 0;
  /** Times that rows were looked at. */
  #narrowed = 0;

  constructor(columns: Columns, removed: Uint32Array, filters: readonly Filter[]) {
    this.#columns = columns;
    this.#removed = removed;
    this.#candidates = fewestCandidates(filters);
    this.#filters = filters
      .filter(({ candidates }) => candidates === undefined || candidates !== this.#candidates)
      .map((filter) => ({ filter, seen: 0, passed: 0 }))
      .sort((a, b) => a.filter.cost - b.filter.cost);
  }

  /** How many of the next rows of a block pass, or 0 after many blocks without any that may; null: there is no further row. */
  next(): number | null {
    for (let look = 0; look < LOOKS; look++) {
      const first = this.#nextRow();
      if (first === null) return null;
      const block = first >>> BLOCK_BITS;
      const end = Math.min((block + 1) * BLOCK_ROWS, this.#columns.rows);
      if (this.#judge(block, first, end)) return this.#narrow(first, end);
      this.#skip(end);
    }
    return 0;
  }

  #nextRow(): number | null {
    if (this.#candidates !== undefined) return this.#candidates[this.#candidate] ?? null;
    this.#passGroups();
    return this.#row < this.#columns.rows ? this.#row : null;
  }

  /** Where a group begins, passes over all whose blocks no row can pass. */
  #passGroups(): void {
    while (this.#row % GROUP_ROWS === 0 && this.#row < this.#columns.rows) {
      const group = this.#row / GROUP_ROWS;
      if (this.#filters.every(({ filter }) => filter.mayHold?.(group) !== false)) return;
      this.#row += GROUP_ROWS;
    }
  }

  /** Passes over the rows before `end`. */
  #skip(end: number): void {
    const candidates = this.#candidates;
    if (candidates === undefined) this.#row = end;
    else
      while (this.#candidate < candidates.length && (candidates[this.#candidate] as number) < end)
        this.#candidate++;
  }

  #narrow(first: number, end: number): number {
    const taken = this.#candidates ? this.#takeCandidates(this.#candidates, end) : this.#takeAll(first, end);
    let count = this.#narrowLive(first, end, taken);
    for (const open of this.#open) {
      if (count === 0) break;
      open.seen += count;
      count = open.filter.narrow(this.rows, count);
      open.passed += count;
    }
    if (++this.#narrowed % REORDERED_AFTER === 0) this.#filters.sort((a, b) => rank(a) - rank(b));
    return count;
  }

  /** Whether any row of the block may pass; `#open` are then the filters that have to look at its rows. */
  #judge(block: number, first: number, end: number): boolean {
    this.#open.length = 0;
    this.#rowsAtOnce = BLOCK_ROWS;
    for (const observed of this.#filters) {
      const judgement = observed.filter.judge?.(block, first, end) ?? 'some';
      if (judgement === 'none') return false;
      if (judgement === 'all') continue;
      this.#open.push(observed);
      this.#rowsAtOnce = Math.min(this.#rowsAtOnce, observed.filter.rowsAtOnce ?? BLOCK_ROWS);
    }
    return true;
  }

  #takeAll(first: number, blockEnd: number): number {
    const { rows } = this;
    const end = Math.min(first + this.#rowsAtOnce, blockEnd);
    for (let row = first, at = 0; row < end; row++, at++) rows[at] = row;
    this.#row = end;
    return end - first;
  }

  /** The next candidates before `end`. */
  #takeCandidates(candidates: Uint32Array, end: number): number {
    const { rows } = this;
    let at = this.#candidate;
    let count = 0;
    while (count < this.#rowsAtOnce && at < candidates.length && (candidates[at] as number) < end)
      rows[count++] = candidates[at++] as number;
    this.#candidate = at;
    return count;
  }

  #narrowLive(first: number, end: number, count: number): number {
    const removed = this.#removed;
    const last = Math.min((end + 31) >>> 5, removed.length);
    let any = 0;
    for (let word = first >>> 5; word < last; word++) any |= removed[word] as number;
    return any === 0 ? count : narrowLive(removed, this.rows, count);
  }
}

/** Keeps the rows that are not removed. */
export function narrowLive(removed: Uint32Array, rows: Uint32Array, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    rows[kept] = row;
    if (!isRemoved(removed, row)) kept++;
  }
  return kept;
}

function fewestCandidates(filters: readonly Filter[]): Uint32Array | undefined {
  const lists = filters.flatMap(({ candidates }) => candidates ?? []);
  return lists.sort((a, b) => a.length - b.length)[0];
}

/** The lower, the earlier a filter should run: cheap ones that let little pass first. */
const rank = ({ filter, seen, passed }: Observed): number =>
  seen === 0 ? filter.cost : filter.cost / Math.max(1e-3, 1 - passed / seen);
