// Listings as CSV rows (RFC 4180): a column for each part of the record, lists in one cell. Pure.

import { csvLine, harmlessText } from '../../http/output/csv.ts';
import { ListingSchema, MEMBERS_BY_INCLUDE } from '../../listings/record.ts';
import { CREDITS, type Fields } from '../../listings/sparse-fields.ts';

interface Column {
  /** They lead to its value. */
  readonly keys: readonly string[];
  /** Of lists: whether items are texts, which a cell separates by `|`; others are JSON. Null: no list. */
  readonly items: 'texts' | 'json' | null;
}

interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly unknown[];
  readonly items?: Shape;
}

function columnsOf(schema: unknown, keys: readonly string[] = []): Column[] {
  const { type, properties, anyOf = [], items } = schema as Shape;
  if (properties)
    return Object.entries(properties).flatMap(([name, part]) => columnsOf(part, [...keys, name]));
  const inner = anyOf.find((option) => (option as Shape).properties !== undefined);
  if (inner !== undefined) return columnsOf(inner, keys);
  if (type !== 'array') return [{ keys, items: null }];
  return [{ keys, items: items?.type === 'string' ? 'texts' : 'json' }];
}

const COLUMNS: readonly Column[] = columnsOf(ListingSchema);

/** The columns that `fields` asks for; where it is null, all that there are with these parts included. */
export function columnsFor(fields: Fields, included: readonly string[]): readonly Column[] {
  if (fields === null) return COLUMNS.filter((column) => isIncluded(column, included));
  const selected = [{ keys: ['id'] }, ...CREDITS.map((name) => ({ keys: [name] })), ...fields];
  const meets = (column: Column, keys: readonly string[]) =>
    keys.every((key, place) => column.keys[place] === undefined || column.keys[place] === key);
  return COLUMNS.filter((column) => selected.some(({ keys }) => meets(column, keys)));
}

function isIncluded({ keys: [member = ''] }: Column, included: readonly string[]): boolean {
  const part = Object.keys(MEMBERS_BY_INCLUDE).find((name) => MEMBERS_BY_INCLUDE[name]?.includes(member));
  return part === undefined || included.includes(part);
}

/** The header line; `cursor` is the last column if it was requested. */
export const headerLine = (columns: readonly Column[], hasCursors: boolean): string =>
  csvLine([...columns.map(({ keys }) => keys.join('.')), ...(hasCursors ? ['cursor'] : [])]);

/** A listing's row; the cursor, if there is a column for it, goes on behind it. */
export function rowLine(columns: readonly Column[], record: unknown, cursor: string | null): string {
  return csvLine([
    ...columns.map(({ keys, items }) => cell(keys.reduce(into, record), items)),
    ...(cursor === null ? [] : [cursor]),
  ]);
}

function into(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function cell(value: unknown, items: Column['items']): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return harmlessText(value);
  if (items === null || !Array.isArray(value)) return String(value);
  return items === 'texts' ? harmlessText(value.join('|')) : JSON.stringify(value);
}
