// Scan of tables: blocks of rows that pass all filters of a search.

import { BLOCK_BITS, BLOCK_ROWS, type Columns, isRemoved, type Table } from '../columns/segment.ts';
import { GROUP_BLOCKS } from './block-groups.ts';
import type { Filter } from './filter.ts';
import { Pace } from './pace.ts';

/** Filters of a search for either part of a table. */
export type FilterCompiler = (columns: Columns) => readonly Filter[];

/** Takes rows of one part of a table; they are overwritten by those of the next block. */
export type RowConsumer = (rows: Uint32Array, count: number) => void;

/** The same where a block of rows may take several turns. */
export type PacedConsumer = (rows: Uint32Array, count: number) => Promise<void>;

/** What else is done with a row that passes takes about so many, unless it is known. */
const CONSUMED = 10;
/** About so many nanoseconds of looking at blocks end a step, even if none of their rows may pass. */
const STEP = 250_000;
/** Nanoseconds that a look at a block takes at least. */
const JUDGED = 20;
/** Blocks after which filters are put in order again. */
const REORDERED_AFTER = 16;

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

/** Hands all live rows that pass to what `consume` makes for each part, in turns. Rejects as the pace does. */
export async function scanRows(
  parts: readonly Part[],
  compile: FilterCompiler,
  consume: (columns: Columns) => RowConsumer | PacedConsumer,
  pace: Pace = new Pace(),
  consumed = CONSUMED,
): Promise<void> {
  for (const { columns, removed } of parts) {
    if (columns.rows === 0) continue;
    const scan = new BlockScan(columns, removed, compile(columns));
    const take = consume(columns);
    for (let count = scan.next(); count !== null; count = scan.next()) {
      const taken = count > 0 ? take(scan.rows, count) : undefined;
      if (taken instanceof Promise) await taken;
      const isOver = pace.spend(scan.work + consumed * count);
      scan.work = 0;
      if (isOver) await pace.pause();
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
  /** About how many nanoseconds the scan took since this was set to 0. */
  work = 0;
  readonly #columns: Columns;
  readonly #removed: Uint32Array;
  readonly #filters: Observed[];
  readonly #candidates: Uint32Array | undefined;
  /** About how many nanoseconds a look at a block takes. */
  readonly #judging: number;
  readonly #open: Observed[] = [];
  #block = 0;
  #candidate = 0;
  /** Blocks whose rows were looked at. */
  #narrowed = 0;

  constructor(columns: Columns, removed: Uint32Array, filters: readonly Filter[]) {
    this.#columns = columns;
    this.#removed = removed;
    this.#candidates = fewestCandidates(filters);
    this.#filters = filters
      .filter(({ candidates }) => candidates === undefined || candidates !== this.#candidates)
      .map((filter) => ({ filter, seen: 0, passed: 0 }))
      .sort((a, b) => a.filter.cost - b.filter.cost);
    this.#judging = filters.reduce((sum, { judging = 0 }) => sum + judging, JUDGED);
  }

  /** How many rows of the next block that may have some pass, or 0 after many blocks without any; null: there is no further one. */
  next(): number | null {
    for (let block = this.#nextBlock(); block !== null; block = this.#nextBlock()) {
      const first = block * BLOCK_ROWS;
      const end = Math.min(first + BLOCK_ROWS, this.#columns.rows);
      this.work += this.#judging;
      if (this.#judge(block, first, end)) return this.#narrow(first, end);
      this.#skip(end);
      if (this.work >= STEP) return 0;
    }
    return null;
  }

  #nextBlock(): number | null {
    const candidates = this.#candidates;
    if (candidates === undefined) {
      this.#passGroups();
      return this.#block * BLOCK_ROWS < this.#columns.rows ? this.#block++ : null;
    }
    if (this.#candidate >= candidates.length) return null;
    return (candidates[this.#candidate] as number) >>> BLOCK_BITS;
  }

  /** Where a group begins, passes over all whose blocks no row can pass. */
  #passGroups(): void {
    while (this.#block % GROUP_BLOCKS === 0 && this.#block * BLOCK_ROWS < this.#columns.rows) {
      const group = this.#block / GROUP_BLOCKS;
      if (this.#filters.every(({ filter }) => filter.mayHold?.(group) !== false)) return;
      this.work += JUDGED;
      this.#block += GROUP_BLOCKS;
    }
  }

  /** Passes over the candidates before `end`. */
  #skip(end: number): void {
    const candidates = this.#candidates;
    if (candidates === undefined) return;
    while (this.#candidate < candidates.length && (candidates[this.#candidate] as number) < end)
      this.#candidate++;
  }

  #narrow(first: number, end: number): number {
    const taken = this.#candidates ? this.#takeCandidates(this.#candidates, end) : this.#takeAll(first, end);
    let count = this.#narrowLive(first, end, taken);
    for (const open of this.#open) {
      if (count === 0) break;
      this.work += open.filter.cost * count;
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
    for (const observed of this.#filters) {
      const judgement = observed.filter.judge?.(block, first, end) ?? 'some';
      if (judgement === 'none') return false;
      if (judgement === 'some') this.#open.push(observed);
    }
    return true;
  }

  #takeAll(first: number, end: number): number {
    const { rows } = this;
    for (let row = first, at = 0; row < end; row++, at++) rows[at] = row;
    this.work += (end - first) / 2;
    return end - first;
  }

  /** The candidates before `end`. */
  #takeCandidates(candidates: Uint32Array, end: number): number {
    const { rows } = this;
    let at = this.#candidate;
    let count = 0;
    while (at < candidates.length && (candidates[at] as number) < end)
      rows[count++] = candidates[at++] as number;
    this.#candidate = at;
    this.work += count;
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
