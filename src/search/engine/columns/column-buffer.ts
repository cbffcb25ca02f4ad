// Column buffer: search rows appended to columns, as the log of changes tells them.

import type { SearchRow } from '../../../listings/search-row.ts';
import { columnOf } from '../../query/condition.ts';
import { parseOpenHours } from '../../query/open-hours.ts';
import { parseLocation } from '../../query/shape-predicate.ts';
import { CODE_COLUMNS, FLAGS, LIST_COLUMNS, NUMBER_COLUMNS, TEXT_COLUMNS } from './columns.ts';
import type { Dictionaries } from './dictionary.ts';
import { GrowingColumns } from './growing-columns.ts';
import type { Columns } from './segment.ts';

const named = <Name extends string>(columns: readonly Name[]) =>
  columns.map((column) => ({ column, name: columnOf(column) as keyof SearchRow }));

const NUMBERS = named(NUMBER_COLUMNS.filter((column) => column !== 'lng' && column !== 'lat'));
const CODES = named(CODE_COLUMNS);
const FLAG_NAMES = named(FLAGS);
const LISTS = named(LIST_COLUMNS);
const TEXTS = named(TEXT_COLUMNS);

export class ColumnBuffer {
  readonly #columns = new GrowingColumns();
  readonly #dictionaries: Dictionaries;

  /** Words of rows are added to the dictionaries. */
  constructor(dictionaries: Dictionaries) {
    this.#dictionaries = dictionaries;
  }

  get rows(): number {
    return this.#columns.rows;
  }

  /** Appends a listing; returns its row. `version`: listing.version. */
  add(row: SearchRow, version: number): number {
    const [columns, dictionaries] = [this.#columns, this.#dictionaries];
    if (row.location !== null) {
      const { lng, lat } = parseLocation(row.location);
      columns.setNumber('lng', lng);
      columns.setNumber('lat', lat);
    }
    for (const { column, name } of NUMBERS) columns.setNumber(column, numberOf(row[name]));
    for (const { column, name } of CODES)
      columns.setCode(column, dictionaries[column].code(row[name] as string | null));
    for (const { column, name } of FLAG_NAMES) {
      const value = row[name];
      if (typeof value === 'boolean') columns.setFlag(column, value);
    }
    for (const { column, name } of LISTS)
      for (const word of row[name] as readonly string[])
        columns.addToList(column, dictionaries[column].code(word));
    for (const no of row.area_nos) columns.addArea(no);
    for (const { start, end } of parseOpenHours(row)) columns.addOpenHours(start, end);
    for (const { column, name } of TEXTS) {
      const text = row[name];
      if (typeof text === 'string') columns.setText(column, Buffer.from(text));
    }
    return columns.endRow(version);
  }

  /** The rows so far: a snapshot that later rows never change. */
  columns(): Columns {
    return this.#columns.columns();
  }
}

/** Numbers as they are, dates and times as milliseconds. */
function numberOf(value: SearchRow[keyof SearchRow]): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}
