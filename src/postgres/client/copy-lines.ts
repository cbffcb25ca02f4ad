// Rows as lines of a COPY from stdin, in its text format.

import { formatArray } from './value-types.ts';

/** A value of a column; what PostgreSQL reads from text is given as text. */
export type CopyValue = string | number | boolean | null | readonly (string | number)[];

/** The line of a row, its values in the order of the columns. */
export function copyLine(values: readonly CopyValue[]): string {
  let line = '';
  for (let at = 0; at < values.length; at++) {
    if (at > 0) line += '\t';
    line += field(values[at] ?? null);
  }
  return `${line}\n`;
}

function field(value: CopyValue): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') return escaped(value);
  return typeof value === 'object' ? escaped(formatArray(value, String)) : String(value);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const ESCAPED = /[\\\t\n\r\0]/;
const ALL_ESCAPED = /[\\\t\n\r\0]/g;

/** PostgreSQL has no NUL characters. */
const escaped = (text: string): string =>
  ESCAPED.test(text) ? text.replace(ALL_ESCAPED, (each) => ESCAPES[each] ?? '') : text;
