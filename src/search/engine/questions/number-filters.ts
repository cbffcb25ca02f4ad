// Filters over numbers, moments, flags and hours. An unknown number is NaN, which no comparison lets pass.

import type { Bounds, FlagColumn } from '../../query/condition.ts';
import { FLAGS, type NumberColumn } from '../columns/columns.ts';
import { type Columns, isSegment, type NumberArray, type Zones } from '../columns/segment.ts';
import { type Filter, type Judgement, NOTHING } from './scan.ts';

const DAY = 86_400_000;

/** Numbers within bounds. */
export function rangeFilter(column: NumberColumn, bounds: Bounds, columns: Columns): Filter {
  const values = columns.numbers[column];
  if (values === undefined) return NOTHING;
  const { min, max } = closedBounds(bounds);
  const zones = zonesOf(column, columns);
  return {
    cost: 1,
    ...(zones && { judge: (block: number) => judgeRange(zones, block, min, max) }),
    narrow: (rows, count) => narrowRange(values, min, max, rows, count),
  };
}

export const zonesOf = (column: NumberColumn, columns: Columns): Zones | undefined =>
  isSegment(columns) ? columns.zones[column] : undefined;

/** Whether a block can have a value within bounds. Whether all have one is not known: some may be unknown. */
export function judgeRange(
  { min: lows, max: highs }: Zones,
  block: number,
  min: number,
  max: number,
): Judgement {
  const [low, high] = [lows[block] as number, highs[block] as number];
  return low <= max && high >= min ? 'some' : 'none';
}

function narrowRange(
  values: NumberArray,
  min: number,
  max: number,
  rows: Uint32Array,
  count: number,
): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    const value = values[row] as number;
    rows[kept] = row;
    if (value >= min && value <= max) kept++;
  }
  return kept;
}

/** Bounds as two numbers, both inclusive; dates and times as milliseconds. */
function closedBounds({ min, max, below }: Bounds): { readonly min: number; readonly max: number } {
  const most = Math.min(
    max === undefined ? Number.POSITIVE_INFINITY : numberOf(max),
    below === undefined ? Number.POSITIVE_INFINITY : numberBefore(numberOf(below)),
  );
  return { min: min === undefined ? Number.NEGATIVE_INFINITY : numberOf(min), max: most };
}

const numberOf = (bound: number | string): number => (typeof bound === 'number' ? bound : Date.parse(bound));

const FLOAT = new Float64Array(1);
const BITS = new BigInt64Array(FLOAT.buffer);

/** The greatest number below one. */
function numberBefore(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  if (!Number.isFinite(value)) return value;
  FLOAT[0] = value;
  // Numbers of one sign are ordered as their bits are.
  BITS[0] = (BITS[0] as bigint) + (value > 0 ? -1n : 1n);
  return FLOAT[0];
}

/** Whole days from coming on the market to leaving it, or to `startedAt` (milliseconds). */
export function daysFilter(bounds: Bounds, columns: Columns, startedAt: number): Filter {
  const { daysOnMarketStart: starts, daysOnMarketEnd: ends } = columns.numbers;
  if (starts === undefined) return NOTHING;
  const { min, max } = closedBounds(bounds);
  return {
    cost: 4,
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        const days = daysOnMarket(starts, ends, row, startedAt);
        rows[kept] = row;
        if (days >= min && days <= max) kept++;
      }
      return kept;
    },
  };
}

/** NaN: unknown. */
export function daysOnMarket(
  starts: NumberArray,
  ends: NumberArray | undefined,
  row: number,
  startedAt: number,
): number {
  const end = ends === undefined ? Number.NaN : (ends[row] as number);
  const seconds = ((Number.isNaN(end) ? startedAt : end) - (starts[row] as number)) / 1000;
  return Math.max(0, Math.floor(seconds / (DAY / 1000)));
}

/** Numbers that are one of a few. */
export function numbersFilter(column: NumberColumn, wanted: readonly number[], columns: Columns): Filter {
  const values = columns.numbers[column];
  if (values === undefined) return NOTHING;
  const list = Float64Array.from(wanted);
  // Not `includes`, which takes twelve times as long for two numbers.
  const isWanted = (value: number): boolean => {
    for (let at = 0; at < list.length; at++) if (list[at] === value) return true;
    return false;
  };
  return {
    cost: 1 + list.length,
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        rows[kept] = row;
        if (isWanted(values[row] as number)) kept++;
      }
      return kept;
    },
  };
}

/** A fact that is known to be so. */
export function flagFilter(column: FlagColumn, value: boolean, columns: Columns): Filter {
  if (column === 'hasLivingArea')
    return numberTest(columns.numbers.livingArea, value, (each) => !Number.isNaN(each));
  if (column === 'hasConcession') return numberTest(columns.numbers.monthsFree, value, (each) => each > 0);
  return bitsFilter(columns.flags, flagBits(column, value));
}

/** For rare questions: a function decides of each number, where NaN is unknown. */
function numberTest(
  values: NumberArray | undefined,
  expected: boolean,
  test: (value: number) => boolean,
): Filter {
  return {
    cost: 3,
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        rows[kept] = row;
        if (test(values === undefined ? Number.NaN : (values[row] as number)) === expected) kept++;
      }
      return kept;
    },
  };
}

/** Bits of `flags` that tell of one flag, and those of them that are set where it is known to have a value. */
export interface FlagBits {
  readonly mask: number;
  readonly bits: number;
}

export function flagBits(flag: (typeof FLAGS)[number], value: boolean): FlagBits {
  const place = 2 * FLAGS.indexOf(flag);
  return { mask: 3 << place, bits: (value ? 3 : 1) << place };
}

export function bitsFilter(flags: Uint16Array, { mask, bits }: FlagBits): Filter {
  return {
    cost: 1,
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        rows[kept] = row;
        if (((flags[row] as number) & mask) === bits) kept++;
      }
      return kept;
    },
  };
}

/** Open at some moment from `from` on and before `before`. */
export function openFilter(
  { from, before }: { readonly from: string | undefined; readonly before: string | undefined },
  { openHours: { offsets, values } }: Columns,
): Filter {
  const start = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
  const end = before === undefined ? Number.POSITIVE_INFINITY : Date.parse(before);
  if (start >= end) return NOTHING;
  return {
    cost: 3,
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        rows[kept] = row;
        const last = offsets[row + 1] as number;
        for (let hours = offsets[row] as number; hours < last; hours += 2) {
          if ((values[hours] as number) >= end || (values[hours + 1] as number) < start) continue;
          kept++;
          break;
        }
      }
      return kept;
    },
  };
}
