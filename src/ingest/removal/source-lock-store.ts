// SQL of who reads a source, by its lease, and of the advisory lock of its importer.

import type { Sql } from '../../postgres/client/database.ts';

const READING = 'reading of ';

/** Name of the work that one process does for a source. */
export const readerLeaseName = (source: string): string => `${READING}${source}`;

/** Those of these sources that a process reads now. */
export async function findSourcesInUse(sql: Sql, sources: readonly string[]): Promise<string[]> {
  const rows = await sql<{ source: string }[]>`
    select source from unnest(${[...sources]}::text[]) as source
    where exists (select from work_lease
      where name = ${READING}::text || source and holder is not null and leased_until >= clock_timestamp())`;
  return rows.map(({ source }) => source);
}

/** When the lease of the process that reads a source ends, unless it is renewed, RFC 3339; null: nobody reads it. */
export async function findLeaseEnd(sql: Sql, source: string): Promise<string | null> {
  const [row] = await sql<{ end: string }[]>`
    select leased_until as end from work_lease where name = ${readerLeaseName(source)} and holder is not null`;
  return row?.end ?? null;
}

/** Takes the right to import from a source for as long as the session lives; false when another session has it. */
export async function lockImport(sql: Sql, kind: 'listings' | 'areas', source: string): Promise<boolean> {
  const [row] = await sql`
    select pg_try_advisory_lock(hashtextextended(${`freehold import ${kind} ${source}`}, 0)) as locked`;
  return row?.locked === true;
}
