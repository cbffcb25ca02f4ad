// Owns statements of many parts, put together as text and values at once: docs/decisions/0065 says why not by the driver.

import type postgres from 'postgres';
import type { Sql, SqlFragment } from './connection.ts';

/** What a template was called with. */
class Part {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** The name of a column or a table. */
class Name {
  readonly quoted: string;

  constructor(name: string) {
    this.quoted = `"${name.replaceAll('"', '""')}"`;
  }
}

const make = (first: readonly string[] | string, ...values: readonly unknown[]): Part | Name =>
  typeof first === 'string' ? new Name(first) : new Part(first, values);

/**
 * Makes parts as the driver's template does, of values, names, and other parts made with it, one or a list of them. Nothing
 * but `run` can run them.
 */
export const compose = make as unknown as Sql;

/** Runs a statement made with `compose`: on this connection, prepared, every value a parameter. */
export function run<Row extends object>(
  sql: Sql,
  statement: SqlFragment,
): postgres.PendingQuery<(Row & Iterable<Row>)[]> {
  const { text, values } = written(statement);
  return sql.unsafe(text, values as postgres.ParameterOrJSON<never>[], { prepare: true });
}

/** A composed statement with $1, $2, ... for its values. */
export function written(statement: unknown): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const text = textOf(statement, values);
  return { text, values };
}

function textOf(value: unknown, values: unknown[]): string {
  if (value instanceof Name) return value.quoted;
  if (Array.isArray(value) && value[0] instanceof Part)
    return value.map((part) => textOf(part, values)).join(' ');
  if (!(value instanceof Part)) return `$${values.push(value)}`;
  let text = value.strings[0] ?? '';
  for (const [place, each] of value.values.entries())
    text += textOf(each, values) + (value.strings[place + 1] ?? '');
  return text;
}
