// Listings as CSV rows (RFC 4180): a column for each part of the record, lists in one cell. Pure.

import { csvLine, harmlessText } from '../../http/output/csv.ts';
import { ListingSchema, MEMBERS_BY_INCLUDE } from '../../listings/record.ts';
import { CREDITS, type Fields } from '../../listings/sparse-fields.ts';

/** The keys that lead to a column's value. */
type Column = readonly string[];

interface Shape {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly unknown[];
}

function columnsOf(schema: unknown, path: Column = []): Column[] {
  const { properties, anyOf = [] } = schema as Shape;
  if (properties)
    return Object.entries(properties).flatMap(([name, part]) => columnsOf(part, [...path, name]));
  const inner = anyOf.find((option) => (option as Shape).properties !== undefined);
  return inner === undefined ? [path] : columnsOf(inner, path);
}

const COLUMNS: readonly Column[] = columnsOf(ListingSchema);

/** The columns that `fields` asks for; where it is null, all that there are with these parts included. */
export function columnsFor(fields: Fields, included: readonly string[]): readonly Column[] {
  if (fields === null) return COLUMNS.filter((column) => isIncluded(column, included));
  const selected = [{ keys: ['id'] }, ...CREDITS.map((name) => ({ keys: [name] })), ...fields];
  const meets = (column: Column, keys: readonly string[]) =>
    keys.every((key, place) => column[place] === undefined || column[place] === key);
  return COLUMNS.filter((column) => selected.some(({ keys }) => meets(column, keys)));
}

function isIncluded([member = '']: Column, included: readonly string[]): boolean {
  const part = Object.keys(MEMBERS_BY_INCLUDE).find((name) => MEMBERS_BY_INCLUDE[name]?.includes(member));
  return part === undefined || included.includes(part);
}

/** The header line; `cursor` is the last column if it was requested. */
export const headerLine = (columns: readonly Column[], hasCursors: boolean): string =>
  csvLine([...columns.map((column) => column.join('.')), ...(hasCursors ? ['cursor'] : [])]);

/** A listing's row; the cursor, if there is a column for it, goes on behind it. */
export function rowLine(columns: readonly Column[], record: unknown, cursor: string | null): string {
  return csvLine([
    ...columns.map((column) => cell(column.reduce(into, record))),
    ...(cursor === null ? [] : [cursor]),
  ]);
}

function into(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return harmlessText(value);
  if (!Array.isArray(value)) return String(value);
  return value.every((item) => typeof item === 'string')
    ? harmlessText(value.join('|'))
    : value.length === 0
      ? ''
      : JSON.stringify(value);
}
