// Rows copied into a table, in one COPY.

import { eventLoop } from '../../lib/scheduler.ts';
import { type CopyValue, copyLine } from './copy-lines.ts';
import { joinSql, type Sql } from './sql.ts';

/** Inserts rows, all of which have the columns of the first one in the same order. Nothing else may use the connection meanwhile. */
export async function copyRows(
  sql: Sql,
  table: string,
  rows: readonly Readonly<Record<string, CopyValue>>[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first).map((column) => sql(column));
  const lines: string[] = [];
  await eventLoop.forEach(rows, (row) => lines.push(copyLine(Object.values(row))));
  await sql.load(sql`copy ${sql(table)} (${joinSql(columns, ', ')}) from stdin`, Buffer.from(lines.join('')));
}
