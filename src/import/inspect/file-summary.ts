// Summary of a file: its columns, and a sample of whole rows.

import type { RecordFields, SourceRecord } from '../formats/record.ts';
import { Reservoir } from '../reservoir.ts';
import { type ColumnSummary, ColumnSummaryBuilder } from './column-summary.ts';

export interface FileSummary {
  /** Of the file without its folder and extensions. */
  readonly name: string;
  readonly rows: number;
  /** Rows that cannot be read at all. */
  readonly broken: number;
  readonly columns: readonly ColumnSummary[];
  /** Columns beyond those that are looked at. */
  readonly ignoredColumns: number;
  /** The first few rows. */
  readonly first: readonly RecordFields[];
  /** Rows from all over the file. */
  readonly sample: readonly RecordFields[];
}

/** Columns of a file that are looked at. */
export const MAX_COLUMNS = 500;
const SAMPLED_ROWS = 300;
const FIRST_ROWS = 20;

export class FileSummaryBuilder {
  readonly #name: string;
  readonly #columns = new Map<string, ColumnSummaryBuilder>();
  readonly #ignored = new Set<string>();
  readonly #sample = new Reservoir<RecordFields>(SAMPLED_ROWS);
  readonly #first: RecordFields[] = [];
  #rows = 0;
  #broken = 0;

  constructor(name: string, columns: readonly string[]) {
    this.#name = name;
    for (const column of columns) this.#columnOf(column);
  }

  add({ fields, broken }: SourceRecord): void {
    if (broken !== null) {
      this.#broken++;
      return;
    }
    for (const name of Object.keys(fields)) this.#columnOf(name);
    for (const [name, column] of this.#columns) column.add(fields[name]);
    this.#rows++;
    if (this.#first.length < FIRST_ROWS) this.#first.push(fields);
    this.#sample.add(fields);
  }

  summary(): FileSummary {
    return {
      name: this.#name,
      rows: this.#rows,
      broken: this.#broken,
      columns: [...this.#columns.values()].map((column) => column.summary()),
      ignoredColumns: this.#ignored.size,
      first: this.#first,
      sample: this.#sample.items,
    };
  }

  #columnOf(name: string): void {
    if (this.#columns.has(name)) return;
    if (this.#columns.size < MAX_COLUMNS) this.#columns.set(name, new ColumnSummaryBuilder(name, this.#rows));
    else if (this.#ignored.size < MAX_COLUMNS) this.#ignored.add(name);
  }
}
