// Ranking of rows: the sort keys of a search, its order among rows of both parts of a table, and the first few in it.

import type { Point } from '../../../geometry/geometry.ts';
import type { Cursor, SortValue } from '../../../http/input/cursor.ts';
import { insertAmong } from '../../../lib/lower-bound.ts';
import { areIdsDescending, type SearchPlan, type SortTerm } from '../../query/plan.ts';
import { distanceKm } from '../../query/shape-predicate.ts';
import { bytesOfId, compareId, idBytes, rankOfId } from '../columns/ids.ts';
import { BLOCK_ROWS, type Columns, isSegment, type NumberArray, type Table } from '../columns/segment.ts';
import { daysOnMarket } from './number-filters.ts';
import type { PreparedSearch } from './prepared-search.ts';

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
    insertAmong(rows, row, this.#limit, (one, other) => this.#ranking.compare(one, other));
    if (rows.length === this.#limit) this.#highest = rows.at(-1)?.keys[0] as number;
  }

  /** In their order. */
  get rows(): readonly RankedRow[] {
    return this.#rows;
  }
}

/** Whether results are read forwards (1) or from their end (-1). */
type Direction = 1 | -1;

/** A key of a search over one part of a table; unknown values are NaN. */
interface KeyReader {
  /** Writes the values of the first `count` rows. */
  fill(rows: Uint32Array, count: number, values: Float64Array): void;
  read(row: number): number;
}

/** `relevance`: of each row, for searches with words. */
function keyReader(
  { key }: SortTerm,
  plan: SearchPlan,
  columns: Columns,
  relevance: (columns: Columns) => Uint8Array | null,
): KeyReader {
  if (key === 'distance') return distanceReader(plan.centre, columns);
  if (key === 'daysOnMarket') return daysReader(plan.startedAt, columns);
  if (key === 'relevance') return columnReader(relevance(columns) ?? undefined);
  return columnReader(columns.numbers[key]);
}

const UNKNOWN: KeyReader = {
  fill: (_, count, values) => values.fill(Number.NaN, 0, count),
  read: () => Number.NaN,
};

function columnReader(column: NumberArray | Uint8Array | undefined): KeyReader {
  if (column === undefined) return UNKNOWN;
  return {
    fill(rows, count, values) {
      for (let at = 0; at < count; at++) values[at] = column[rows[at] as number] as number;
    },
    read: (row) => column[row] as number,
  };
}

function distanceReader(centre: Point | null, { numbers: { lng, lat } }: Columns): KeyReader {
  if (centre === null || lng === undefined || lat === undefined) return UNKNOWN;
  const read = (row: number): number => distanceKm(centre, lng[row] as number, lat[row] as number);
  return eachReader(read);
}

function daysReader(startedAt: number, { numbers }: Columns): KeyReader {
  const { daysOnMarketStart: starts, daysOnMarketEnd: ends } = numbers;
  return starts === undefined ? UNKNOWN : eachReader((row) => daysOnMarket(starts, ends, row, startedAt));
}

const eachReader = (read: (row: number) => number): KeyReader => ({
  fill(rows, count, values) {
    for (let at = 0; at < count; at++) values[at] = read(rows[at] as number);
  },
  read,
});

/** A value as a number that ascends in the order of the results; unknown ones come last whichever way a key is sorted. */
const toAscending = (value: number, { descending }: SortTerm, direction: Direction): number =>
  direction * (Number.isNaN(value) ? Number.POSITIVE_INFINITY : descending ? -value : value);

/** The value of a cursor: times as RFC 3339, null for what is unknown. */
export function toSortValue(
  ascending: number,
  { key, descending }: SortTerm,
  direction: Direction,
): SortValue {
  if (!Number.isFinite(ascending)) return null;
  const value = direction * (descending ? -ascending : ascending);
  // Not -0, which JSON and PostgreSQL write as they write 0.
  return key.endsWith('At') ? new Date(value).toISOString() : value + 0;
}

/** The number of a cursor's value. */
function fromSortValue(value: SortValue, term: SortTerm, direction: Direction): number {
  const number = value === null ? Number.NaN : typeof value === 'number' ? value : Date.parse(value);
  return toAscending(number, term, direction);
}
