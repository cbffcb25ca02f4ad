// Columns of a merge: the values of all its rows, each column in the narrowest array that holds every value exactly.
//
// Of each column, the values of base and tail are put behind each other in the widest kind of array, and those of the rows that
// stay are picked from it: loops that meet one kind of array alone are several times as fast as loops that meet any.

import { byColumn, CODE_COLUMNS, LIST_COLUMNS, NUMBER_COLUMNS, TEXT_COLUMNS } from '../columns/columns.ts';
import type { CodeArray, Columns, Lists, NumberArray } from '../columns/segment.ts';
import { type ArrayKind, type NumericArray, sharedArray, sharedCopy } from '../columns/shared-arrays.ts';
import type { MergedRows } from './merged-rows.ts';

export function gatherColumns(merged: MergedRows): Columns {
  const { base, tail, rows } = merged;
  const lists = (a: Lists, b: Lists): Lists => {
    const { offsets, values } = gatherItems(merged, a, b, Uint32Array);
    return { offsets, values: narrowCodes(values) ?? sharedArray(Uint8Array, values.length) };
  };
  return {
    rows,
    numbers: gatherNumbers(merged),
    codes: gatherCodes(merged),
    flags: sharedCopy(Uint16Array, pickCodes(merged, base.flags, tail.flags)),
    lists: byColumn(LIST_COLUMNS, (column) => lists(base.lists[column], tail.lists[column])),
    areaNos: lists(base.areaNos, tail.areaNos),
    openHours: gatherItems(merged, base.openHours, tail.openHours, Float64Array),
    texts: byColumn(TEXT_COLUMNS, (column) => {
      const [a, b] = [base.texts[column], tail.texts[column]];
      const bytes = [
        { ...a, values: a.bytes },
        { ...b, values: b.bytes },
      ] as const;
      const { offsets, values } = gatherItems(merged, ...bytes, Uint8Array);
      return { offsets, bytes: values };
    }),
    versions: sharedCopy(Uint32Array, pickCodes(merged, base.versions, tail.versions)),
  };
}

function gatherNumbers(merged: MergedRows): Columns['numbers'] {
  const { base, tail } = merged;
  const numbers: Record<string, NumberArray> = {};
  for (const column of NUMBER_COLUMNS) {
    const [a, b] = [base.numbers[column], tail.numbers[column]];
    if (a === undefined && b === undefined) continue;
    const values = pickNumbers(merged, a, b);
    const kind = narrowestFor(values);
    if (kind !== undefined) numbers[column] = sharedCopy(kind, values);
  }
  return numbers;
}

/** The narrowest kind of array that holds all values exactly; undefined if all are unknown. */
function narrowestFor(values: Float64Array): ArrayKind<NumberArray> | undefined {
  let isKnown = false;
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? 0;
    if (Number.isNaN(value)) continue;
    if (Math.fround(value) !== value) return Float64Array;
    isKnown = true;
  }
  return isKnown ? Float32Array : undefined;
}

function gatherCodes(merged: MergedRows): Columns['codes'] {
  const { base, tail } = merged;
  const codes: Record<string, CodeArray> = {};
  for (const column of CODE_COLUMNS) {
    const [a, b] = [base.codes[column], tail.codes[column]];
    const narrow = a === undefined && b === undefined ? undefined : narrowCodes(pickCodes(merged, a, b));
    if (narrow !== undefined) codes[column] = narrow;
  }
  return codes;
}

/** Undefined if all are 0. */
function narrowCodes(values: Uint32Array): CodeArray | undefined {
  let highest = 0;
  for (let at = 0; at < values.length; at++) highest = Math.max(highest, values[at] ?? 0);
  if (highest === 0) return undefined;
  if (highest < 2 ** 8) return sharedCopy(Uint8Array, values);
  return highest < 2 ** 16 ? sharedCopy(Uint16Array, values) : sharedCopy(Uint32Array, values);
}

function pickNumbers({ base, tail, source }: MergedRows, a?: NumberArray, b?: NumberArray): Float64Array {
  const all = new Float64Array(base.rows + tail.rows);
  fill(all, 0, base.rows, a, Number.NaN);
  fill(all, base.rows, tail.rows, b, Number.NaN);
  const values = new Float64Array(source.length);
  for (let row = 0; row < values.length; row++) values[row] = all[source[row] ?? 0] ?? 0;
  return values;
}

function pickCodes({ base, tail, source }: MergedRows, a?: NumericArray, b?: NumericArray): Uint32Array {
  const all = new Uint32Array(base.rows + tail.rows);
  fill(all, 0, base.rows, a, 0);
  fill(all, base.rows, tail.rows, b, 0);
  const values = new Uint32Array(source.length);
  for (let row = 0; row < values.length; row++) values[row] = all[source[row] ?? 0] ?? 0;
  return values;
}

/** Writes the first values of a column, or the value of one that is absent. */
function fill(
  all: NumericArray,
  at: number,
  rows: number,
  column: NumericArray | undefined,
  unknown: number,
): void {
  if (column === undefined) all.fill(unknown, at, at + rows);
  else all.set(column.subarray(0, rows), at);
}

interface Items<A extends NumericArray> {
  readonly offsets: Uint32Array;
  readonly values: A;
}

/** Rows that followed each other before are copied together if they have more than so many items. */
const LONG_RUN = 48;

/** The items of each row, one row after another. */
function gatherItems<A extends NumericArray>(
  { base, tail, source, rows }: MergedRows,
  ofBase: Items<NumericArray>,
  ofTail: Items<NumericArray>,
  kind: ArrayKind<A>,
): Items<A> {
  const { offsets: starts, values: items } = concatenated(ofBase, base.rows, ofTail, tail.rows, kind);
  const offsets = sharedArray(Uint32Array, rows + 1);
  for (let row = 0; row < rows; row++) {
    const from = source[row] ?? 0;
    offsets[row + 1] = (offsets[row] ?? 0) + (starts[from + 1] ?? 0) - (starts[from] ?? 0);
  }
  const values = sharedArray(kind, offsets[rows] ?? 0);
  for (let row = 0, end = 0; row < rows; row = end) {
    end = row + 1;
    while (end < rows && source[end] === (source[end - 1] ?? 0) + 1) end++;
    const first = starts[source[row] ?? 0] ?? 0;
    const into = offsets[row] ?? 0;
    const count = (offsets[end] ?? 0) - into;
    if (count > LONG_RUN) values.set(items.subarray(first, first + count), into);
    else for (let at = 0; at < count; at++) values[into + at] = items[first + at] ?? 0;
  }
  return { offsets, values };
}

/** The items of all rows of the base, then those of the tail. */
function concatenated<A extends NumericArray>(
  a: Items<NumericArray>,
  aRows: number,
  b: Items<NumericArray>,
  bRows: number,
  kind: ArrayKind<A>,
): Items<A> {
  const [aLength, bLength] = [a.offsets[aRows] ?? 0, b.offsets[bRows] ?? 0];
  const offsets = new Uint32Array(aRows + bRows + 1);
  offsets.set(a.offsets.subarray(0, aRows));
  for (let row = 0; row <= bRows; row++) offsets[aRows + row] = aLength + (b.offsets[row] ?? 0);
  const values = sharedArray(kind, aLength + bLength);
  values.set(a.values.subarray(0, aLength));
  values.set(b.values.subarray(0, bLength), aLength);
  return { offsets, values };
}
