// SQL that loads a database: rows by COPY, sequences, statistics, and settings of the sessions that do it.

import type { Sql } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { ArchivedSequence, ArchivedTable } from '../archive/format.ts';

/**
 * Prepares a session that loads. Commits need not wait for the disk before the last one: what is lost is loaded again.
 * @param memory megabytes for each index that is made
 */
export async function prepareSession(sql: Sql, memory: number): Promise<void> {
  await sql.unsafe(
    `set synchronous_commit to off; set maintenance_work_mem to '${Math.round(memory)}MB'; set lock_timeout to 0`,
  );
}

/** Loads some rows of a table. */
export async function loadRows(sql: Sql, { name, columns }: ArchivedTable, rows: Uint8Array): Promise<void> {
  const listed = joinSql(
    columns.map((column) => sql(column)),
    ', ',
  );
  await sql.load(sql`copy ${sql(name)} (${listed}) from stdin`, rows);
}

/** Empties tables, which migrations have filled with what every new database has. */
export async function emptyTables(sql: Sql, tables: readonly string[]): Promise<void> {
  for (const table of tables) await sql`truncate table ${sql(table)} cascade`;
}

export async function countRows(sql: Sql, table: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::float8 as count from ${sql(table)}`;
  return row?.count ?? 0;
}

/** Sets a sequence to what it was. Names are those of the schema that was just made. */
export async function setSequence(sql: Sql, { name, value, isCalled }: ArchivedSequence): Promise<void> {
  await sql`
    select setval(oid::regclass, ${value}::bigint, ${isCalled}) from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'S' and relname = ${name}`;
}

export async function analyze(sql: Sql): Promise<void> {
  await sql.unsafe('analyze');
}
