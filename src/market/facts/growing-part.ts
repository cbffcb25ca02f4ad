// Growing part: facts of listings of one type to which rows are appended, until it is closed.

import { areaRowsOf } from '../../search/engine/columns/area-rows.ts';
import { GrowingColumns } from '../../search/engine/columns/growing-columns.ts';
import type { Columns, Lists } from '../../search/engine/columns/segment.ts';
import { GrowableArray, sharedCopy } from '../../search/engine/columns/shared-arrays.ts';
import { RemovedRows } from '../../search/engine/lifecycle/removed-rows.ts';
import { type Details, EVENT_WIDTH, type FactColumns, PERIOD_WIDTH } from './fact-columns.ts';

/**
 * Rows of a part: so few that copying its arrays, where they grow, does not keep others from their turn. One less than a power of
 * two, since there is one more offset than rows, and arrays grow by doubling.
 */
const PART_ROWS = 2 ** 16 - 1;

/** Details of rows, appended in the order of the rows. */
class GrowingDetails {
  readonly #values = new GrowableArray(Float64Array);
  readonly #offsets = new GrowableArray(Uint32Array);
  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
  }

  /** Values so far; whoever reads has an array that they are only added to. */
  get values(): Float64Array {
    return this.#values.array;
  }

  /** Makes room for one more of a row, which is that of the last one or behind it; returns where its values are to be written. */
  add(row: number): number {
    const start = this.#values.length;
    this.#offsets.extend(row + 1, start);
    this.#values.reserve(this.#width);
    this.#values.length += this.#width;
    return start;
  }

  /** The details of so many rows. */
  of(rows: number): Details {
    this.#offsets.extend(rows + 1, this.#values.length);
    return { offsets: this.#offsets.array, values: this.#values.array };
  }

  /** The same without room for more. */
  trimmed(rows: number): Details {
    const { offsets, values } = this.of(rows);
    return { offsets, values: sharedCopy(Float64Array, values.subarray(0, this.#values.length)) };
  }
}

/** The only writer of a part. */
export class GrowingPart {
  readonly listings = new GrowingColumns();
  readonly periods = new GrowingDetails(PERIOD_WIDTH);
  readonly events = new GrowingDetails(EVENT_WIDTH);
  readonly removed = new RemovedRows(0);
  readonly #propertyIds = new GrowableArray(Uint8Array);
  readonly #propertyEnds = new GrowableArray(Uint32Array);
  #columns: Columns | null = null;
  #closed: FactColumns | null = null;

  constructor() {
    this.#propertyEnds.push(0);
  }

  get rows(): number {
    return this.listings.rows;
  }

  get isFull(): boolean {
    return this.rows >= PART_ROWS;
  }

  /** Bytes of UTF-8: the property of the row that is being appended. */
  setPropertyId(bytes: Uint8Array, start: number, end: number): void {
    this.#propertyIds.append(bytes, start, end);
  }

  endRow(): void {
    this.#propertyEnds.push(this.#propertyIds.length);
    this.listings.endRow(0);
    this.#columns = null;
  }

  /** The listings that were ended so far. */
  columns(): Columns {
    this.#columns ??= this.listings.columns();
    return this.#columns;
  }

  /** The rows that were ended so far, of which all periods and events are known. */
  current(): FactColumns {
    if (this.#closed !== null) return this.#closed;
    const [periods, events] = [this.periods.of(this.rows), this.events.of(this.rows)];
    return { columns: this.columns(), propertyIds: this.#properties(), periods, events, areas: null };
  }

  /** All rows, to which none will be added. */
  close(): FactColumns {
    if (this.#closed !== null) return this.#closed;
    const columns = this.columns();
    this.#closed = {
      columns: { ...columns, areaNos: NO_LISTS },
      propertyIds: this.#properties(),
      periods: this.periods.trimmed(this.rows),
      events: this.events.trimmed(this.rows),
      areas: areaRowsOf(columns.areaNos, this.rows),
    };
    return this.#closed;
  }

  #properties() {
    return { offsets: this.#propertyEnds.array, bytes: this.#propertyIds.array };
  }
}

/** The rows of each area say as much. */
const NO_LISTS: Lists = { offsets: new Uint32Array(), values: new Uint32Array() };
