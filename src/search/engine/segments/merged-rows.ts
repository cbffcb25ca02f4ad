// Rows of a merge: which rows of a segment and of a tail there are, and in which orders they stand together.
//
// The rows of the segment are never sorted again. Those of the tail are sorted alone; a binary search finds where each belongs
// among those of the segment, and one pass over both writes the new order.

import type { NumberColumn } from '../columns/columns.ts';
import { ACTIVE } from '../columns/dictionary.ts';
import { indexes, sortByNumbers, sortByTexts } from '../columns/radix-sort.ts';
import { type Columns, isRemoved, type NumberArray, type Order, type Segment } from '../columns/segment.ts';
import { sharedArray } from '../columns/shared-arrays.ts';
import { BEYOND_CURVE, hilbertKey } from './hilbert.ts';

/** The new number of a row that is gone. */
const GONE = 0xffff_ffff;

const NO_VALUES = new Float64Array();

/** Added rows in the order of their ids; they are named by their rank in it. */
interface Added {
  /** By rank: the row of the tail. */
  readonly rows: Uint32Array;
  /** By rank: how many rows of the base have a smaller id. */
  readonly smallerIds: Uint32Array;
}

/** Added rows in some order, by rank, and before how many rows of the base each of them stands. */
interface Run {
  readonly ranks: Uint32Array;
  readonly places: Uint32Array;
}

export class MergedRows {
  readonly base: Segment;
  readonly tail: Columns;
  readonly rows: number;
  /** How many rows at the beginning are ACTIVE and displayed. */
  readonly shown: number;
  /** By new row: the row of the base that it was, or, from base.rows on, that of the tail. */
  readonly source: Uint32Array;
  readonly #added: Added;
  /** By row of the base, and by rank of the added: the new row. */
  readonly #newOfBase: Uint32Array;
  readonly #newOfAdded: Uint32Array;

  constructor(base: Segment, baseRemoved: Uint32Array, tail: Columns, tailRemoved: Uint32Array) {
    this.base = base;
    this.tail = tail;
    this.#added = sortAdded(base, tail, liveRows(tail.rows, tailRemoved));
    const places = this.#byPlace();
    const live = base.rows - countRemoved(baseRemoved, base.rows);
    this.rows = live + this.#added.rows.length;
    this.source = new Uint32Array(this.rows);
    this.#newOfBase = new Uint32Array(base.rows);
    this.#newOfAdded = new Uint32Array(this.#added.rows.length);
    this.shown = this.#place(places, baseRemoved);
  }

  /** New rows by id, ascending by bytes. */
  byId(): Uint32Array {
    const sorted = sharedArray(Uint32Array, this.rows);
    this.#merge(
      { ranks: indexes(this.#added.rows.length), places: this.#added.smallerIds },
      this.base.byId,
      sorted,
    );
    return sorted;
  }

  /** The new order of a column. */
  order(column: NumberColumn & keyof Segment['orders']): Order {
    const { base, tail } = this;
    const before = base.orders[column] ?? { rows: base.byId, known: 0 };
    const known = this.#knownRun(
      before,
      base.numbers[column] ?? NO_VALUES,
      tail.numbers[column] ?? NO_VALUES,
    );
    const sorted = sharedArray(Uint32Array, this.rows);
    const knownRows = this.#merge(known, before.rows.subarray(0, before.known), sorted);
    const unknownBefore = before.rows.subarray(before.known);
    const unknown = this.#unknownRun(unknownBefore, tail.numbers[column] ?? NO_VALUES);
    this.#merge(unknown, unknownBefore, sorted.subarray(knownRows));
    return { rows: sorted, known: knownRows };
  }

  /** The order of places: what is shown first, then along the curve, ties by id. */
  #byPlace(): Run {
    const { base, tail } = this;
    const { rows, smallerIds } = this.#added;
    const keys = new Float64Array(rows.length);
    for (let rank = 0; rank < rows.length; rank++) keys[rank] = placeKey(tail, rows[rank] ?? 0);
    const ranks = sortByNumbers(indexes(rows.length), keys);
    const places = searchAll(ranks, base.rows, (row, rank) => {
      const [key, added] = [placeKey(base, row), keys[rank] ?? 0];
      return key < added || (key === added && (base.idRanks[row] ?? 0) < (smallerIds[rank] ?? 0));
    });
    return { ranks, places };
  }

  #knownRun({ rows, known }: Order, values: NumberArray, added: NumberArray): Run {
    const { base } = this;
    const { rows: tailRows, smallerIds } = this.#added;
    const ranks = this.#ranksWhere((row) => !Number.isNaN(added[row] ?? Number.NaN));
    const keys = new Float64Array(ranks.length);
    for (let at = 0; at < ranks.length; at++) keys[at] = added[tailRows[ranks[at] ?? 0] ?? 0] ?? 0;
    const sorted = sortByNumbers(ranks, keys);
    const places = searchAll(sorted, known, (at, rank) => {
      const row = rows[at] ?? 0;
      const [value, other] = [values[row] ?? 0, added[tailRows[rank] ?? 0] ?? 0];
      return value < other || (value === other && (base.idRanks[row] ?? 0) < (smallerIds[rank] ?? 0));
    });
    return { ranks: sorted, places };
  }

  #unknownRun(rows: Uint32Array, added: NumberArray): Run {
    const { base } = this;
    const { smallerIds } = this.#added;
    const ranks = this.#ranksWhere((row) => Number.isNaN(added[row] ?? Number.NaN));
    const places = searchAll(
      ranks,
      rows.length,
      (at, rank) => (base.idRanks[rows[at] ?? 0] ?? 0) < (smallerIds[rank] ?? 0),
    );
    return { ranks, places };
  }

  /** Ranks, ascending, of the added rows of the tail that pass. */
  #ranksWhere(passes: (row: number) => boolean): Uint32Array {
    const { rows } = this.#added;
    return indexes(rows.length).filter((rank) => passes(rows[rank] ?? 0));
  }

  /** Numbers all rows; returns how many are shown. */
  #place({ ranks, places }: Run, baseRemoved: Uint32Array): number {
    const { base, tail, source } = this;
    let [next, added, shown] = [0, 0, 0];
    for (let row = 0; row <= base.rows; row++) {
      for (; added < ranks.length && places[added] === row; added++) {
        const rank = ranks[added] ?? 0;
        const tailRow = this.#added.rows[rank] ?? 0;
        this.#newOfAdded[rank] = next;
        if (isShown(tail, tailRow)) shown++;
        source[next++] = base.rows + tailRow;
      }
      if (row === base.rows) break;
      const isGone = isRemoved(baseRemoved, row);
      this.#newOfBase[row] = isGone ? GONE : next;
      if (isGone) continue;
      if (row < base.shown) shown++;
      source[next++] = row;
    }
    return shown;
  }

  /** Writes the new rows of an order of the base and of a run in their common order; returns how many. */
  #merge({ ranks, places }: Run, order: Uint32Array, into: Uint32Array): number {
    const [newOfBase, newOfAdded] = [this.#newOfBase, this.#newOfAdded];
    let [next, at] = [0, 0];
    for (let added = 0; added <= ranks.length; added++) {
      const end = added < ranks.length ? (places[added] ?? 0) : order.length;
      for (; at < end; at++) {
        const row = newOfBase[order[at] ?? 0] ?? GONE;
        if (row !== GONE) into[next++] = row;
      }
      if (added < ranks.length) into[next++] = newOfAdded[ranks[added] ?? 0] ?? 0;
    }
    return next;
  }
}

/** ACTIVE and displayed. */
const isShown = ({ codes, flags }: Columns, row: number): boolean =>
  codes.status?.[row] === ACTIVE && ((flags[row] ?? 0) & DISPLAYED) !== 0;

/** The bit of the flag `displayed`, which is the first. */
const DISPLAYED = 2;

/** What rows are placed by. */
function placeKey(columns: Columns, row: number): number {
  const lng = columns.numbers.lng?.[row] ?? Number.NaN;
  const place = Number.isNaN(lng) ? BEYOND_CURVE : hilbertKey(lng, columns.numbers.lat?.[row] ?? 0);
  return isShown(columns, row) ? place : place + 2 * BEYOND_CURVE;
}

function liveRows(rows: number, removed: Uint32Array): Uint32Array {
  return indexes(rows).filter((row) => !isRemoved(removed, row));
}

function countRemoved(removed: Uint32Array, rows: number): number {
  let count = 0;
  for (let row = 0; row < rows; row++) if (isRemoved(removed, row)) count++;
  return count;
}

function sortAdded(base: Segment, tail: Columns, live: Uint32Array): Added {
  const rows = sortByTexts(live, tail.texts.id);
  const smallerIds = searchAll(rows, base.rows, (at, row) => isIdBefore(base, base.byId[at] ?? 0, tail, row));
  return { rows, smallerIds };
}

function isIdBefore(base: Columns, row: number, tail: Columns, other: number): boolean {
  const [a, b] = [base.texts.id, tail.texts.id];
  let [at, start] = [a.offsets[row] ?? 0, b.offsets[other] ?? 0];
  const [end, stop] = [a.offsets[row + 1] ?? 0, b.offsets[other + 1] ?? 0];
  for (; at < end && start < stop; at++, start++) {
    const difference = (a.bytes[at] ?? 0) - (b.bytes[start] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return end - at < stop - start;
}

/**
 * For each item, which ascend, the first of `count` places whose entry does not stand before it. Looks ahead in steps that double,
 * since the next place is rarely far.
 */
function searchAll(
  items: Uint32Array,
  count: number,
  isBefore: (place: number, item: number) => boolean,
): Uint32Array {
  const places = new Uint32Array(items.length);
  let low = 0;
  for (let at = 0; at < items.length; at++) {
    const item = items[at] ?? 0;
    let step = 1;
    while (low + step <= count && isBefore(low + step - 1, item)) {
      low += step;
      step *= 2;
    }
    let high = Math.min(count, low + step - 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(middle, item)) low = middle + 1;
      else high = middle;
    }
    places[at] = low;
  }
  return places;
}
