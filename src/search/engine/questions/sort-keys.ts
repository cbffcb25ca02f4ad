// Sort keys of a search over columns: numbers that ascend in the order of the results.

import type { Point } from '../../../geometry/geometry.ts';
import type { SortValue } from '../../../http/input/cursor.ts';
import type { SearchPlan } from '../../query/plan.ts';
import { distanceKm } from '../../query/shape-predicate.ts';
import type { SortTerm } from '../../query/sort.ts';
import type { Columns, NumberArray } from '../columns/segment.ts';
import { daysOnMarket } from './number-filters.ts';

/** Whether results are read forwards (1) or from their end (-1). */
export type Direction = 1 | -1;

/** A key of a search over one part of a table; unknown values are NaN. */
export interface KeyReader {
  /** Writes the values of the first `count` rows. */
  fill(rows: Uint32Array, count: number, values: Float64Array): void;
  read(row: number): number;
}

/** `relevance`: of each row, for searches with words. */
export function keyReader(
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
export const toAscending = (value: number, { descending }: SortTerm, direction: Direction): number =>
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
export function fromSortValue(value: SortValue, term: SortTerm, direction: Direction): number {
  const number = value === null ? Number.NaN : typeof value === 'number' ? value : Date.parse(value);
  return toAscending(number, term, direction);
}
