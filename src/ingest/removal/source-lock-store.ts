// SQL of the advisory locks that make one process the reader of a source, or its importer.

import type { Sql } from '../../postgres/client/database.ts';

/** The first half of the advisory locks that mean "reads this source". */
const READER_CLASS = 7_310_402;

/** Takes the right to read a source for as long as the session lives; false when another session has it. */
export async function lockReader(sql: Sql, source: string): Promise<boolean> {
  const [row] = await sql`select pg_try_advisory_lock(${READER_CLASS}, hashtext(${source})) as locked`;
  return row?.locked === true;
}

/** Those of these sources that a process reads now. */
export async function findSourcesInUse(sql: Sql, sources: readonly string[]): Promise<string[]> {
  const rows = await sql<{ source: string }[]>`
    select source from unnest(${[...sources]}::text[]) as source
    where exists (select from pg_locks where locktype = 'advisory' and granted and objsubid = 2
      and classid = ${READER_CLASS} and objid::bigint = hashtext(source)::bigint & 4294967295
      and database = (select oid from pg_database where datname = current_database()))`;
  return rows.map(({ source }) => source);
}

/** Takes the right to import from a source for as long as the session lives; false when another session has it. */
export async function lockImport(sql: Sql, kind: 'listings' | 'areas', source: string): Promise<boolean> {
  const [row] = await sql`
    select pg_try_advisory_lock(hashtextextended(${`freehold import ${kind} ${source}`}, 0)) as locked`;
  return row?.locked === true;
}
