// Rows of columns as plain facts, to be compared with the search rows that they were made of.

import type { SearchRow } from '../../../src/listings/search-row.ts';
import {
  CODE_COLUMNS,
  FLAGS,
  LIST_COLUMNS,
  NUMBER_COLUMNS,
  TEXT_COLUMNS,
} from '../../../src/search/engine/columns/columns.ts';
import type { Dictionaries } from '../../../src/search/engine/columns/dictionary.ts';
import type { Columns } from '../../../src/search/engine/columns/segment.ts';
import { columnOf } from '../../../src/search/query/condition.ts';
import { parseOpenHours } from '../../../src/search/query/open-hours.ts';

/** What is known of a listing, by column. */
export type Facts = Readonly<Record<string, unknown>>;

const TIMES = /(?:At|Start|End|From)$/;

/** The facts that columns have to hold of a search row. */
export function expectedFacts(row: SearchRow, version: number): Facts {
  const value = (column: string): unknown => row[columnOf(column) as keyof SearchRow];
  const facts: Record<string, unknown> = { version, areaNos: row.area_nos };
  const [lng, lat] = row.location === null ? [null, null] : row.location.slice(1, -1).split(',').map(Number);
  for (const column of NUMBER_COLUMNS) {
    const known = value(column);
    facts[column] = typeof known === 'string' && TIMES.test(column) ? Date.parse(known) : known;
  }
  Object.assign(facts, { lng, lat });
  for (const column of [...CODE_COLUMNS, ...FLAGS, ...LIST_COLUMNS]) facts[column] = value(column);
  // A text without characters is as good as none.
  for (const column of TEXT_COLUMNS) facts[column] = value(column) || null;
  facts.openHours = parseOpenHours(row).flatMap(({ start, end }) => [start, end]);
  return facts;
}

/** The facts that columns hold of a row. */
export function factsOf(columns: Columns, row: number, dictionaries: Dictionaries): Facts {
  const facts: Record<string, unknown> = { version: columns.versions[row] };
  const items = <A extends { slice(from?: number, to?: number): A }>(offsets: Uint32Array, values: A): A =>
    values.slice(offsets[row], offsets[row + 1]);
  for (const column of NUMBER_COLUMNS) {
    const value = columns.numbers[column]?.[row] ?? Number.NaN;
    facts[column] = Number.isNaN(value) ? null : value;
  }
  for (const column of CODE_COLUMNS) {
    const code = columns.codes[column]?.[row] ?? 0;
    facts[column] = code === 0 ? null : dictionaries[column].word(code);
  }
  for (const [at, flag] of FLAGS.entries()) {
    const bits = ((columns.flags[row] ?? 0) >> (2 * at)) & 3;
    facts[flag] = (bits & 1) === 0 ? null : bits === 3;
  }
  for (const column of LIST_COLUMNS) {
    const { offsets, values } = columns.lists[column];
    facts[column] = [...items<Uint8Array>(offsets, values as Uint8Array)].map((code) =>
      dictionaries[column].word(code),
    );
  }
  facts.areaNos = [...items<Uint8Array>(columns.areaNos.offsets, columns.areaNos.values as Uint8Array)];
  facts.openHours = [...items(columns.openHours.offsets, columns.openHours.values)];
  for (const column of TEXT_COLUMNS) {
    const { offsets, bytes } = columns.texts[column];
    facts[column] = Buffer.from(items(offsets, bytes)).toString() || null;
  }
  return facts;
}
