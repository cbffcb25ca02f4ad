// SQL of the bench of loads: what was written, by table and index.

import type { Database } from '../../src/postgres/client/database.ts';

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
