// Columns of a merge: the values of all its rows, each column in the narrowest array that holds every value exactly.

import { CODE_COLUMNS, LIST_COLUMNS, NUMBER_COLUMNS, TEXT_COLUMNS } from './columns.ts';
import { byColumn } from './growing-columns.ts';
import type { MergedRows } from './merged-rows.ts';
import type { CodeArray, Columns, Lists, NumberArray } from './segment.ts';
import { type ArrayKind, type NumericArray, sharedArray, sharedCopy } from './shared-arrays.ts';

export function gatherColumns(merged: MergedRows): Columns {
  const { base, tail, rows } = merged;
  const gatherLists = (a: Lists, b: Lists): Lists => {
    const { offsets, values } = gatherItems(merged, a, b, (length) => new Uint32Array(length));
    return { offsets, values: narrowCodes(values) };
  };
  return {
    rows,
    numbers: gatherNumbers(merged),
    codes: gatherCodes(merged),
    flags: gather(merged, base.flags, tail.flags, sharedArray(Uint16Array, rows)),
    lists: byColumn(LIST_COLUMNS, (column) => gatherLists(base.lists[column], tail.lists[column])),
    areaNos: gatherLists(base.areaNos, tail.areaNos),
    openHours: gatherItems(merged, base.openHours, tail.openHours, (length) =>
      sharedArray(Float64Array, length),
    ),
    texts: byColumn(TEXT_COLUMNS, (column) => {
      const [a, b] = [base.texts[column], tail.texts[column]];
      const { offsets, values } = gatherItems(
        merged,
        { offsets: a.offsets, values: a.bytes },
        { offsets: b.offsets, values: b.bytes },
        (length) => sharedArray(Uint8Array, length),
      );
      return { offsets, bytes: values };
    }),
    versions: gather(merged, base.versions, tail.versions, sharedArray(Uint32Array, rows)),
  };
}

function gatherNumbers(merged: MergedRows): Columns['numbers'] {
  const { base, tail, rows } = merged;
  const numbers: Record<string, NumberArray> = {};
  const values = new Float64Array(rows);
  for (const column of NUMBER_COLUMNS) {
    const [a, b] = [base.numbers[column], tail.numbers[column]];
    if (a === undefined && b === undefined) continue;
    gather(merged, a, b, values, Number.NaN);
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
  const { base, tail, rows } = merged;
  const codes: Record<string, CodeArray> = {};
  const values = new Uint32Array(rows);
  for (const column of CODE_COLUMNS) {
    const [a, b] = [base.codes[column], tail.codes[column]];
    if (a === undefined && b === undefined) continue;
    gather(merged, a, b, values);
    if (values.some((code) => code !== 0)) codes[column] = narrowCodes(values);
  }
  return codes;
}

function narrowCodes(values: Uint32Array): CodeArray {
  let highest = 0;
  for (let at = 0; at < values.length; at++) highest = Math.max(highest, values[at] ?? 0);
  if (highest < 2 ** 8) return sharedCopy(Uint8Array, values);
  return highest < 2 ** 16 ? sharedCopy(Uint16Array, values) : sharedCopy(Uint32Array, values);
}

/** Writes the value of each row, `missing` where a column is absent. */
function gather<A extends NumericArray>(
  { base, source, rows }: MergedRows,
  fromBase: NumericArray | undefined,
  fromTail: NumericArray | undefined,
  into: A,
  missing = 0,
): A {
  const first = base.rows;
  for (let row = 0; row < rows; row++) {
    const from = source[row] ?? 0;
    into[row] = from < first ? (fromBase?.[from] ?? missing) : (fromTail?.[from - first] ?? missing);
  }
  return into;
}

interface Items<A extends NumericArray> {
  readonly offsets: Uint32Array;
  readonly values: A;
}

/** The items of each row, one row after another. */
function gatherItems<A extends NumericArray>(
  { base, source, rows }: MergedRows,
  fromBase: Items<NumericArray>,
  fromTail: Items<NumericArray>,
  allocate: (length: number) => A,
): Items<A> {
  const first = base.rows;
  const offsets = sharedArray(Uint32Array, rows + 1);
  let length = 0;
  for (let row = 0; row < rows; row++) {
    const from = source[row] ?? 0;
    const [{ offsets: starts }, at] = from < first ? [fromBase, from] : [fromTail, from - first];
    length += (starts[at + 1] ?? 0) - (starts[at] ?? 0);
    offsets[row + 1] = length;
  }
  const values = allocate(length);
  for (let row = 0; row < rows; row++) {
    const from = source[row] ?? 0;
    const isOfBase = from < first;
    const { offsets: starts, values: items } = isOfBase ? fromBase : fromTail;
    let item = starts[isOfBase ? from : from - first] ?? 0;
    const end = offsets[row + 1] ?? 0;
    for (let at = offsets[row] ?? 0; at < end; at++) values[at] = items[item++] ?? 0;
  }
  return { offsets, values };
}
