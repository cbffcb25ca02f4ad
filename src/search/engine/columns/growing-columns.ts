// Growing columns: rows are appended value by value, and readers hold snapshots that later rows never change.

import type { ListColumn } from '../../query/condition.ts';
import {
  byColumn,
  CODE_COLUMNS,
  type CodeColumn,
  FLAGS,
  type Flag,
  LIST_COLUMNS,
  NUMBER_COLUMNS,
  type NumberColumn,
  TEXT_COLUMNS,
  type TextColumn,
} from './columns.ts';
import type { Columns } from './segment.ts';
import { GrowableArray } from './shared-arrays.ts';

/** Values and where those of each row begin, with the end of the last row. */
class GrowableLists<A extends Float64Array | Uint32Array | Uint8Array> {
  readonly offsets = new GrowableArray(Uint32Array);
  readonly values: GrowableArray<A>;

  constructor(values: GrowableArray<A>) {
    this.values = values;
    this.endRow();
  }

  endRow(): void {
    this.offsets.push(this.values.length);
  }
}

/**
 * Columns to which one thread appends. Of each row, what is known is set in any order, each column at most once, and lists item
 * by item; then the row is ended. What is not set is unknown.
 */
export class GrowingColumns {
  readonly #numbers = byColumn(NUMBER_COLUMNS, () => new GrowableArray(Float64Array));
  readonly #codes = byColumn(CODE_COLUMNS, () => new GrowableArray(Uint32Array));
  readonly #flags = new GrowableArray(Uint16Array);
  readonly #lists = byColumn(LIST_COLUMNS, () => new GrowableLists(new GrowableArray(Uint32Array)));
  readonly #areaNos = new GrowableLists(new GrowableArray(Uint32Array));
  readonly #openHours = new GrowableLists(new GrowableArray(Float64Array));
  readonly #texts = byColumn(TEXT_COLUMNS, () => new GrowableLists(new GrowableArray(Uint8Array)));
  readonly #versions = new GrowableArray(Uint32Array);
  #rowFlags = 0;

  /** Rows that were ended. */
  get rows(): number {
    return this.#versions.length;
  }

  /** NaN is unknown. */
  setNumber(column: NumberColumn, value: number): void {
    if (Number.isNaN(value)) return;
    const values = this.#numbers[column];
    values.extend(this.rows, Number.NaN);
    values.push(value);
  }

  setCode(column: CodeColumn, code: number): void {
    if (code === 0) return;
    const codes = this.#codes[column];
    codes.extend(this.rows, 0);
    codes.push(code);
  }

  setFlag(flag: Flag, value: boolean): void {
    this.#rowFlags |= (value ? 3 : 1) << (2 * FLAGS.indexOf(flag));
  }

  addToList(column: ListColumn, code: number): void {
    this.#lists[column].values.push(code);
  }

  addArea(no: number): void {
    this.#areaNos.values.push(no);
  }

  /** Both in milliseconds. */
  addOpenHours(start: number, end: number): void {
    this.#openHours.values.push(start);
    this.#openHours.values.push(end);
  }

  /** Bytes of UTF-8, from `start` up to and without `end`. */
  setText(column: TextColumn, bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.#texts[column].values.append(bytes, start, end);
  }

  /** Ends the row; returns its number. */
  endRow(version: number): number {
    const row = this.rows;
    for (const column of LIST_COLUMNS) this.#lists[column].endRow();
    this.#areaNos.endRow();
    this.#openHours.endRow();
    for (const column of TEXT_COLUMNS) this.#texts[column].endRow();
    this.#flags.push(this.#rowFlags);
    this.#rowFlags = 0;
    this.#versions.push(version);
    return row;
  }

  /** The rows that were ended so far. */
  columns(): Columns {
    const { rows } = this;
    return {
      rows,
      numbers: this.#known(NUMBER_COLUMNS, this.#numbers, Number.NaN),
      codes: this.#known(CODE_COLUMNS, this.#codes, 0),
      flags: this.#flags.array,
      lists: byColumn(LIST_COLUMNS, (column) => listsOf(this.#lists[column])),
      areaNos: listsOf(this.#areaNos),
      openHours: listsOf(this.#openHours),
      texts: byColumn(TEXT_COLUMNS, (column) => {
        const { offsets, values } = listsOf(this.#texts[column]);
        return { offsets, bytes: values };
      }),
      versions: this.#versions.array,
    };
  }

  /** The columns that are known of any row, all of one length. */
  #known<Name extends string, A extends Float64Array | Uint32Array>(
    names: readonly Name[],
    columns: Readonly<Record<Name, GrowableArray<A>>>,
    unknown: number,
  ): Partial<Record<Name, A>> {
    const known: Partial<Record<Name, A>> = {};
    for (const name of names) {
      const column = columns[name];
      if (column.length === 0) continue;
      column.extend(this.rows, unknown);
      known[name] = column.array;
    }
    return known;
  }
}

const listsOf = <A extends Float64Array | Uint32Array | Uint8Array>({
  offsets,
  values,
}: GrowableLists<A>) => ({
  offsets: offsets.array,
  values: values.array,
});
