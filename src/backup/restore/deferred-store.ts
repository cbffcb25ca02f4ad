// SQL of what is left out while rows are loaded: keys, indexes and triggers, dropped before and made again afterwards.
//
// Made of rows that are there, an index takes a fraction of the time that it takes row by row.

import type { Sql } from '../../postgres/client/database.ts';

/** What is made again on a table. */
export interface Deferred {
  readonly table: string;
  /** Indexes and keys in order, then what is said of them. */
  readonly statements: readonly string[];
}

export interface DeferredParts {
  readonly tables: readonly Deferred[];
  /** Made last, once the keys are there to which they refer; and triggers, which loading must not set off. */
  readonly last: readonly string[];
}

interface Definition {
  readonly table: string;
  readonly kind: 'p' | 'u' | 'f' | 'i';
  readonly name: string;
  readonly definition: string;
  readonly comment: string | null;
}

/** Drops keys and indexes, and stops triggers. Returns the statements that make up for it. */
export async function defer(sql: Sql): Promise<DeferredParts> {
  const definitions = await listDefinitions(sql);
  const triggered = await listTriggered(sql);
  const foreign = definitions.filter(({ kind }) => kind === 'f');
  const others = definitions.filter(({ kind }) => kind !== 'f');
  for (const definition of [...foreign, ...others]) await sql.unsafe(dropText(definition));
  for (const table of triggered) await sql.unsafe(`alter table ${quote(table)} disable trigger user`);
  const byTable = Map.groupBy(others, ({ table }) => table);
  return {
    tables: [...byTable].map(([table, each]) => ({ table, statements: each.flatMap(createTexts) })),
    last: [
      ...foreign.flatMap(createTexts),
      ...triggered.map((table) => `alter table ${quote(table)} enable trigger user`),
    ],
  };
}

/** Runs one of those statements. */
export async function runDeferred(sql: Sql, statement: string): Promise<void> {
  await sql.unsafe(statement);
}

/** Of tables, and of partitioned tables for all of their partitions. */
function listDefinitions(sql: Sql): Promise<readonly Definition[]> {
  return sql<Definition[]>`
    select relname as table, contype::text as kind, conname as name, pg_get_constraintdef(constraints.oid) as definition,
      obj_description(conindid, 'pg_class') as comment
    from pg_constraint as constraints join pg_class on pg_class.oid = conrelid
    where connamespace = current_schema()::regnamespace and contype in ('p', 'u', 'f') and conparentid = 0
      and relname <> 'database_state'
    union all
    select owner.relname, 'i', pg_class.relname, pg_get_indexdef(pg_class.oid), obj_description(pg_class.oid, 'pg_class')
    from pg_index join pg_class on pg_class.oid = indexrelid join pg_class as owner on owner.oid = indrelid
    where pg_class.relnamespace = current_schema()::regnamespace and not pg_class.relispartition
      and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
    order by 1, 2 desc, 3`;
}

async function listTriggered(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ table: string }[]>`
    select distinct relname as table from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = current_schema()::regnamespace and not tgisinternal and tgparentid = 0 order by 1`;
  return rows.map(({ table }) => table);
}

const dropText = ({ table, kind, name }: Definition): string =>
  kind === 'i' ? `drop index ${quote(name)}` : `alter table ${quote(table)} drop constraint ${quote(name)}`;

function createTexts({ table, kind, name, definition, comment }: Definition): readonly string[] {
  const create =
    kind === 'i'
      ? // Of a partitioned table it is written without its partitions.
        definition.replace(/^(CREATE (?:UNIQUE )?INDEX \S+ ON) ONLY /, '$1 ')
      : `alter table ${quote(table)} add constraint ${quote(name)} ${definition}`;
  if (comment === null || kind === 'f') return [create];
  return [create, `comment on index ${quote(name)} is '${comment.replaceAll("'", "''")}'`];
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
