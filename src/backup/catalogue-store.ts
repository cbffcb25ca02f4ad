// SQL of what a database consists of: tables, migrations and sequences, whatever its schema is.

import type { Sql } from '../postgres/client/database.ts';
import { joinSql, type SqlFragment } from '../postgres/client/sql.ts';
import type { ArchivedMigration, ArchivedSequence, ArchivedTable } from './archive/format.ts';

export interface CatalogueTable extends ArchivedTable {
  /** On disk, for the order of the copies and the progress. */
  readonly bytes: number;
  /** As the statistics have it; negative: not known. */
  readonly estimatedRows: number;
}

/** The table of migrations, which are listed instead. */
const MIGRATIONS_TABLE = 'schema_migrations';

/** All tables with rows of their own, partitions included, the largest first. */
export async function findTables(sql: Sql): Promise<CatalogueTable[]> {
  const rows = await sql<
    {
      name: string;
      columns: string[];
      parent: string | null;
      bounds: string | null;
      bytes: number;
      rows: number;
    }[]
  >`
    select relation.relname::text as name, parent.relname::text as parent,
      pg_get_expr(relation.relpartbound, relation.oid) as bounds,
      pg_table_size(relation.oid) as bytes, relation.reltuples::float8 as rows,
      array(select attname::text from pg_attribute
        where attrelid = relation.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
    from pg_class as relation
    left join pg_inherits on inhrelid = relation.oid and relation.relispartition
    left join pg_class as parent on parent.oid = inhparent
    where relation.relnamespace = (select oid from pg_namespace where nspname = current_schema()) and relation.relkind = 'r'
      and relation.relpersistence = 'p' and relation.relname <> ${MIGRATIONS_TABLE}
      and not exists (select from pg_depend
        where classid = 'pg_class'::regclass and objid = relation.oid and deptype = 'e')
    order by bytes desc, name`;
  return rows.map(({ name, columns, parent, bounds, bytes, rows: estimatedRows }) => ({
    name,
    columns,
    partition: parent === null ? null : { of: parent, bounds: bounds ?? '' },
    bytes,
    estimatedRows,
  }));
}

/** The migrations that have run, oldest first; null if this is no database of Freehold. */
export async function findMigrations(sql: Sql): Promise<ArchivedMigration[] | null> {
  const [table] = await sql`select to_regclass(${MIGRATIONS_TABLE}) is not null as present`;
  if (table?.present !== true) return null;
  return sql<
    ArchivedMigration[]
  >`select version, name, checksum from ${sql(MIGRATIONS_TABLE)} order by version`;
}

/** The sequence of the newest change that the snapshot sees; 0: there is none. */
export async function findSequence(sql: Sql): Promise<number> {
  const [row] = await sql<{ head: number }[]>`
    select first_sequence + changes - 1 as head from change_batch
    where first_sequence is not null order by first_sequence desc limit 1`;
  return row?.head ?? 0;
}

/**
 * The values of all sequences as they are now, whatever the snapshot of the transaction, and never below what the rows of the snapshot
 * use.
 */
export async function readSequences(sql: Sql): Promise<ArchivedSequence[]> {
  const users = await sql<{ name: string; table: string | null; column: string | null }[]>`
    select sequence.relname::text as name, relation.relname::text as "table", attname::text as "column"
    from pg_class as sequence
    left join lateral (
      select refobjid as relation, refobjsubid as number from pg_depend
      where classid = 'pg_class'::regclass and objid = sequence.oid and refclassid = 'pg_class'::regclass
        and deptype in ('a', 'i') and refobjsubid > 0
      union
      select adrelid, adnum from pg_depend join pg_attrdef on pg_attrdef.oid = objid
      where classid = 'pg_attrdef'::regclass and refclassid = 'pg_class'::regclass and refobjid = sequence.oid) as used on true
    left join pg_class as relation on relation.oid = used.relation
    left join pg_attribute on attrelid = used.relation and attnum = used.number
    where sequence.relnamespace = (select oid from pg_namespace where nspname = current_schema()) and sequence.relkind = 'S'
    order by name, "table", "column"`;
  const sequences: ArchivedSequence[] = [];
  for (const [name, uses] of Map.groupBy(users, (use) => use.name)) {
    let used = 0n;
    for (const { table, column } of uses) {
      if (table === null || column === null) continue;
      const [row] = await sql<
        { max: string | null }[]
      >`select max(${sql(column)})::text as max from ${sql(table)}`;
      const max = BigInt(row?.max ?? 0);
      if (max > used) used = max;
    }
    const [row] = await sql<{ value: string; isCalled: boolean }[]>`
      select last_value::text as value, is_called as "isCalled" from ${sql(name)}`;
    const value = BigInt(row?.value ?? 1);
    const isUsed = used >= value;
    sequences.push({
      name,
      value: String(isUsed ? used : value),
      isCalled: isUsed || row?.isCalled === true,
    });
  }
  return sequences;
}

/** Keeps all tables from being dropped or emptied until the transaction ends. Nobody who reads or writes them waits. */
export async function lockTables(sql: Sql, tables: readonly ArchivedTable[]): Promise<void> {
  const names = joinSql(
    tables.map(({ name }) => sql(name)),
    ', ',
  );
  if (tables.length > 0) await sql`lock table ${names} in access share mode`;
}

/** The statement that writes all rows of a table, as text: it can be read by other versions of PostgreSQL and on other machines. */
export function copyStatement(sql: Sql, { name, columns }: ArchivedTable): SqlFragment {
  const list = joinSql(
    columns.map((column) => sql(column)),
    ', ',
  );
  return sql`copy ${sql(name)} (${list}) to stdout`;
}
