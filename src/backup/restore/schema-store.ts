// SQL of the schema while a database is filled: whether it is empty, its partitions, and everything dropped again.

import type { Sql } from '../../postgres/client/database.ts';
import { formatStatement } from '../../postgres/client/sql.ts';
import type { ArchivedTable } from '../archive/format.ts';
import { RestoreError } from './restore-error.ts';

/** The mark of the database outlives what is dropped. */
const STATE_TABLE = 'database_state';

/** Tables of the database, without those of extensions and the mark of its state. */
export async function listTables(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
      and relname <> ${STATE_TABLE}
      and not exists (select from pg_depend where objid = pg_class.oid and classid = 'pg_class'::regclass and deptype = 'e')
    order by relname`;
  return rows.map(({ name }) => name);
}

/** Drops everything in the database but the mark of its state. For a database that a restore has filled, and nobody else. */
export async function dropEverything(sql: Sql): Promise<void> {
  const rows = await sql<{ statement: string }[]>`
    with own as (
      select oid, relname, relkind, relispartition from pg_class as relation
      where relnamespace = current_schema()::regnamespace and relname not in (${STATE_TABLE})
        and not exists (select from pg_depend where objid = relation.oid and classid = 'pg_class'::regclass and deptype = 'e'))
    select format('drop table %I cascade', relname) as statement, 1 as step from own where relkind in ('r', 'p') and not relispartition
    union all
    select format('drop sequence if exists %I cascade', relname), 2 from own where relkind = 'S'
    union all
    select format('drop %s if exists %s cascade', case prokind when 'p' then 'procedure' else 'function' end, oid::regprocedure), 3
    from pg_proc as routine where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where objid = routine.oid and classid = 'pg_proc'::regclass and deptype = 'e')
    union all
    select format('drop type if exists %I cascade', typname), 4 from pg_type where typnamespace = current_schema()::regnamespace
      and typtype in ('e', 'd')
    order by step`;
  // One by one: all at once would need a lock for each relation, more than a server has room for.
  for (const { statement } of rows) await sql.unsafe(statement);
}

const BOUNDS = /^(?:DEFAULT|FOR VALUES FROM \('[-0-9]{8,16}'\) TO \('[-0-9]{8,16}'\))$/;

/** Makes the partitions that the schema does not have by itself. Throws RestoreError for a table that the schema does not know. */
export async function createPartitions(sql: Sql, tables: readonly ArchivedTable[]): Promise<void> {
  const present = new Set(await listTables(sql));
  for (const { name, partition } of tables) {
    if (present.has(name)) continue;
    if (partition === null || !present.has(partition.of) || !BOUNDS.test(partition.bounds))
      throw new RestoreError(
        `The backup holds the table ${name}, which its release does not make. Remove it from the database that was ` +
          'backed up, or move it to another one, and take another backup.',
      );
    // Its form was checked: names in it would be no bounds.
    const { text } = formatStatement(sql`create table ${sql(name)} partition of ${sql(partition.of)}`);
    await sql.unsafe(`${text} ${partition.bounds}`);
  }
}
