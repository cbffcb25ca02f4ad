// SQL of the bench of loads: what was written, by table and index.

import { readdir, readFile } from 'node:fs/promises';
import type { Database, Sql } from '../../src/postgres/client/database.ts';

/** Bytes that were ever written to the log of the server. */
export async function walPosition(database: Database): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ bytes: number }[]>`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as bytes`,
  );
  return row?.bytes ?? 0;
}

/** Bytes of a table with everything, of its rows, and of each index. */
export interface TableBytes {
  readonly name: string;
  readonly bytes: number;
  readonly heap: number;
  readonly indexes: readonly (readonly [name: string, bytes: number])[];
}

/** The largest first. */
export async function bytesOfTables(database: Database): Promise<TableBytes[]> {
  return database.read(
    (sql) => sql<TableBytes[]>`
      select relname as name, pg_total_relation_size(pg_class.oid)::float8 as bytes, pg_table_size(pg_class.oid)::float8 as heap,
        coalesce((select json_agg(json_build_array(indexrelid::regclass::text, pg_relation_size(indexrelid))
          order by pg_relation_size(indexrelid) desc) from pg_index where indrelid = pg_class.oid), '[]') as indexes
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 2 desc`,
  );
}

/** Tables that have rows, in an order in which they can be copied: those that others refer to come first. */
export const findWrittenTables = (database: Database): Promise<string[]> => findTables(database, LOADED);

/** The same of all tables, or of these. */
export async function findTables(
  database: Database,
  among: readonly string[] | null = null,
): Promise<string[]> {
  const rows = await database.read(
    (sql) => sql<{ name: string; refersTo: string[] }[]>`
      select relname as name, coalesce((select array_agg(confrelid::regclass::text) from pg_constraint
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid), '{}') as "refersTo"
      from pg_class where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
        and (${among === null} or relname = any(${[...(among ?? [])]}::text[])) order by relname`,
  );
  const ordered: string[] = [];
  const add = (name: string): void => {
    const found = rows.find((each) => each.name === name);
    if (found === undefined || ordered.includes(name)) return;
    for (const other of found.refersTo) add(other);
    ordered.push(name);
  };
  for (const { name } of rows) add(name);
  return ordered;
}

/** Tables of which a first load writes rows of its listings. */
const LOADED: readonly string[] = [
  'property',
  'listing',
  'listing_search',
  'listing_text',
  'listing_event',
  'market_listing',
  'market_period',
  'market_event',
  'listing_reso',
  'raw_record',
];

/** The rows of a table, as a COPY writes them. */
export async function copyTable(sql: Sql, table: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  await sql.copy(sql`copy ${sql(table)} to stdout`, (rows) => {
    // The driver uses its buffers again.
    parts.push(Buffer.from(rows));
  });
  return Buffer.concat(parts);
}

/** Milliseconds of processor that a server on this machine has used, sessions that have ended included. */
export async function serverProcessor(database: Database): Promise<number> {
  const [row] = await database.read((sql) => sql<{ pid: number }[]>`select pg_backend_pid() as pid`);
  const postmaster = (await statOf(row?.pid ?? 0))[1] ?? 0;
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const running = (await Promise.all(ids.map(statOf))).filter(([, parent]) => parent === postmaster);
  const [, , , , , , , , , , , user = 0, system = 0, ended = 0, endedSystem = 0] = await statOf(postmaster);
  const sessions = running.reduce((sum, fields) => sum + (fields[11] ?? 0) + (fields[12] ?? 0), 0);
  return (user + system + ended + endedSystem + sessions) * 10;
}

/** The fields of /proc after the name of the command; none where the process has ended. */
async function statOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.split(') ')[1]?.split(' ').map(Number) ?? [];
}
