// Rows written by COPY, each value as text that PostgreSQL reads.

import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Sql } from '../../src/postgres/client/database.ts';

/** Copies lines into these columns of a table. */
export async function copyInto(
  sql: Sql,
  table: string,
  columns: readonly string[],
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const stream = await sql.unsafe(`copy ${quoted(table)} (${columns.map(quoted)}) from stdin`).writable();
  const end = finished(stream);
  for (let at = 0; at < lines.length; at += 500)
    if (!stream.write(lines.slice(at, at + 500).join(''))) await once(stream, 'drain');
  stream.end();
  await end;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The line of a row, its values in the order of its keys. */
export function line(row: Readonly<Record<string, unknown>>): string {
  return `${Object.values(row).map(field).join('\t')}\n`;
}

function field(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (Array.isArray(value)) return escaped(`{${value.map(element).join()}}`);
  return typeof value === 'string' ? escaped(value) : String(value);
}

const element = (value: unknown): string =>
  typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const escaped = (text: string): string =>
  /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (each) => ESCAPES[each] ?? each) : text;
