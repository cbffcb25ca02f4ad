// Ranking of rows: the order of a search among rows of both parts of a table, and the first few in it.

import type { Cursor } from '../../../http/input/cursor.ts';
import { lowerBound } from '../../../lib/lower-bound.ts';
import type { SearchPlan } from '../../query/plan.ts';
import { areIdsDescending } from '../../query/sort.ts';
import { bytesOfId, compareId, idBytes, rankOfId } from '../columns/ids.ts';
import { BLOCK_ROWS, type Columns, isSegment, type Table } from '../columns/segment.ts';
import type { PreparedSearch } from './prepared-search.ts';
import { type Direction, fromSortValue, type KeyReader, keyReader, toAscending } from './sort-keys.ts';

/** A row in the order of a search. */
export interface RankedRow {
  readonly columns: Columns;
  readonly row: number;
  /** Its sort keys as numbers that ascend. */
  readonly keys: readonly number[];
}

/** Where a walk goes on: behind this place. */
interface Start {
  readonly keys: readonly number[];
  readonly id: Uint8Array;
  /** Of the id among those of the segment. */
  readonly rank: number;
  readonly isFound: boolean;
}

/** The order of a search: its keys, then ids, from the cursor on if there is one. */
export class Ranking {
  readonly direction: Direction;
  readonly #plan: SearchPlan;
  readonly #search: Pick<PreparedSearch, 'table' | 'relevance'>;
  readonly #idSign: Direction;
  readonly #start: Start | null;
  readonly #readers = new Map<Columns, readonly KeyReader[]>();

  constructor(plan: SearchPlan, search: Pick<PreparedSearch, 'table' | 'relevance'>) {
    this.#plan = plan;
    this.#search = search;
    this.direction = plan.cursor?.direction === 'previous' ? -1 : 1;
    this.#idSign = areIdsDescending(plan.order) === (this.direction === 1) ? -1 : 1;
    this.#start = plan.cursor && startOf(plan.cursor, plan, this.direction, search.table.base);
  }

  /** The readers of the sort keys. */
  readers(columns: Columns): readonly KeyReader[] {
    const known = this.#readers.get(columns);
    if (known !== undefined) return known;
    const readers = this.#plan.order.map((term) =>
      keyReader(term, this.#plan, columns, (each) => this.#search.relevance(each)),
    );
    this.#readers.set(columns, readers);
    return readers;
  }

  rowAt(columns: Columns, row: number): RankedRow {
    const keys = this.readers(columns).map((reader, at) => this.ascending(reader.read(row), at));
    return { columns, row, keys };
  }

  ascending(value: number, key: number): number {
    const term = this.#plan.order[key];
    return term === undefined ? value : toAscending(value, term, this.direction);
  }

  compare(a: RankedRow, b: RankedRow): number {
    return compareKeys(a.keys, b.keys) || this.#idSign * compareIds(a, b);
  }

  /** Whether the walk has this row still before it. */
  isAhead({ keys, columns, row }: RankedRow): boolean {
    const start = this.#start;
    if (start === null) return true;
    const difference = compareKeys(keys, start.keys);
    return (difference || this.#idSign * compareToId(columns, row, start)) > 0;
  }

  /** The least that the first key of a row can be. */
  get firstKey(): number {
    return this.#start?.keys[0] ?? Number.NEGATIVE_INFINITY;
  }
}

function startOf(cursor: Cursor, { order }: SearchPlan, direction: Direction, base: Table['base']): Start {
  const keys = order.map((term, at) => fromSortValue(cursor.values[at] ?? null, term, direction));
  return { keys, id: idBytes(cursor.id), ...rankOfId(base, cursor.id) };
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < a.length; at++) {
    const [one, other] = [a[at] as number, b[at] as number];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

function compareIds(a: RankedRow, b: RankedRow): number {
  if (a.columns === b.columns && isSegment(a.columns))
    return (a.columns.idRanks[a.row] as number) - (a.columns.idRanks[b.row] as number);
  return compareId(a.columns, a.row, bytesOfId(b.columns, b.row));
}

function compareToId(columns: Columns, row: number, { id, rank, isFound }: Start): number {
  if (!isSegment(columns)) return compareId(columns, row, id);
  const own = columns.idRanks[row] as number;
  return own === rank && isFound ? 0 : own < rank ? -1 : 1;
}

/** The first rows of a ranking among those that are offered. */
export class FirstRows {
  readonly #ranking: Ranking;
  readonly #limit: number;
  readonly #rows: RankedRow[] = [];
  readonly #keys = new Float64Array(BLOCK_ROWS);
  /** The most that the first key of a row can be that has a place among them. */
  #highest = Number.POSITIVE_INFINITY;

  constructor(ranking: Ranking, limit: number) {
    this.#ranking = ranking;
    this.#limit = limit;
  }

  /** At most BLOCK_ROWS rows at once. */
  offer(columns: Columns, rows: Uint32Array, count: number): void {
    const [first] = this.#ranking.readers(columns);
    const keys = this.#keys;
    first?.fill(rows, count, keys);
    const least = this.#ranking.firstKey;
    for (let at = 0; at < count; at++) {
      const key = this.#ranking.ascending(keys[at] as number, 0);
      // Most rows of a broad search end here.
      if (key < least || key > this.#highest) continue;
      const row = this.#ranking.rowAt(columns, rows[at] as number);
      if (this.#ranking.isAhead(row)) this.#insert(row);
    }
  }

  #insert(row: RankedRow): void {
    const rows = this.#rows;
    const isBefore = (at: number): boolean => this.#ranking.compare(rows[at] as RankedRow, row) < 0;
    // Of many that tie with the last, most end here.
    if (rows.length === this.#limit && isBefore(rows.length - 1)) return;
    rows.splice(lowerBound(rows.length, isBefore), 0, row);
    if (rows.length > this.#limit) rows.pop();
    if (rows.length === this.#limit) this.#highest = rows.at(-1)?.keys[0] as number;
  }

  /** In their order. */
  get rows(): readonly RankedRow[] {
    return this.#rows;
  }
}
