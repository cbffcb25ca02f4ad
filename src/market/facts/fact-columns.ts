// Fact columns: listings of one type with the times that they were on the market and what happened to them, as typed arrays.

import { lowerBound } from '../../lib/lower-bound.ts';
import { GrowingColumns } from '../../search/engine/columns/growing-columns.ts';
import { type Columns, isRemoved } from '../../search/engine/columns/segment.ts';
import { GrowableArray } from '../../search/engine/columns/shared-arrays.ts';
import type { MarketEventKind } from '../../timeline/property-timeline.ts';

/** An event's kind is its place here, from 1 on. */
export const EVENT_KINDS = [
  ...(['new', 'relisted', 'pending', 'closed', 'delisted', 'left', 'ended', 'drop'] as const),
] as const satisfies MarketEventKind[];

/** Values of a period, in this order: moments in milliseconds, infinite while it lasts; numbers, NaN where unknown. */
export const PERIOD = {
  start: 0,
  end: 1,
  superseded: 2,
  daysOnMarketStart: 3,
  price: 4,
  monthsFree: 5,
} as const;
export const PERIOD_WIDTH = 6;
/** Values of an event: `day` is that of an event known only by its day, in milliseconds. */
export const EVENT = { kind: 0, at: 1, day: 2, price: 3, days: 4, ratio: 5, originalRatio: 6 } as const;
export const EVENT_WIDTH = 7;

/** The values of row r: from offsets[r] up to and without offsets[r + 1], those of a period or event behind each other. */
export interface Details {
  readonly offsets: Uint32Array;
  readonly values: Float64Array;
}

/** Listings of one type, as they were when they were handed out: what is appended later changes nothing of it. */
export interface FactTable {
  readonly columns: Columns;
  /** Bit r of word r >> 5: row r is gone. */
  readonly removed: Uint32Array;
  readonly periods: Details;
  readonly events: Details;
  /** The rows of an area, ascending; some may be gone. */
  rowsOfArea(no: number): Uint32Array;
}

/** Details of rows, appended in the order of the rows. */
export class GrowingDetails {
  /** Values so far; whoever reads has an array that they are only added to. */
  #values = new Float64Array(64);
  #length = 0;
  readonly #width: number;
  readonly #offsets = new GrowableArray(Uint32Array);

  constructor(width: number) {
    this.#width = width;
  }

  /** Room for one more of a row, which is that of the last one or behind it: its values are to be written there. */
  add(row: number): Float64Array {
    this.#offsets.extend(row + 1, this.#length);
    const start = this.#length;
    this.#length += this.#width;
    if (this.#length > this.#values.length) {
      // By a quarter: these are the largest arrays.
      const longer = new Float64Array(Math.ceil(1.25 * this.#length));
      longer.set(this.#values);
      this.#values = longer;
    }
    return this.#values.subarray(start, this.#length);
  }

  /** The details of so many rows. */
  details(rows: number): Details {
    this.#offsets.extend(rows + 1, this.#length);
    return { offsets: this.#offsets.array, values: this.#values };
  }
}

/** The only writer of a table of facts. */
export class GrowingFacts {
  readonly listings = new GrowingColumns();
  readonly periods = new GrowingDetails(PERIOD_WIDTH);
  readonly events = new GrowingDetails(EVENT_WIDTH);
  readonly #areas = new Map<number, GrowableArray<Uint32Array>>();
  #removed = new Uint32Array(64);

  /** The row that is being appended lies in an area. */
  addArea(no: number): void {
    const rows = this.#areas.get(no) ?? new GrowableArray(Uint32Array);
    if (rows.length === 0) this.#areas.set(no, rows);
    rows.push(this.listings.rows);
  }

  /** Takes a row away; false if it was gone. */
  remove(row: number): boolean {
    if (isRemoved(this.#removed, row)) return false;
    const word = row >>> 5;
    if (word >= this.#removed.length) {
      const longer = new Uint32Array(2 * word);
      longer.set(this.#removed);
      this.#removed = longer;
    }
    this.#removed[word] = (this.#removed[word] ?? 0) | (1 << (row & 31));
    return true;
  }

  /** The rows that were ended so far. */
  table(): FactTable {
    const columns = this.listings.columns();
    const { rows } = columns;
    const removed = this.#removed.slice(0, (rows >>> 5) + 1);
    const lengths = new Map<number, Uint32Array>();
    return {
      ...{ columns, removed },
      periods: this.periods.details(rows),
      events: this.events.details(rows),
      rowsOfArea: (no) => {
        const known = lengths.get(no);
        if (known !== undefined) return known;
        const { array, length } = this.#areas.get(no) ?? new GrowableArray(Uint32Array);
        const found = array.subarray(
          0,
          lowerBound(length, (at) => (array[at] as number) < rows),
        );
        lengths.set(no, found);
        return found;
      },
    };
  }
}
