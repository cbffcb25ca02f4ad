// Indexes and constraints of tables, dropped for a load and created afterwards.

import type { Database } from '../../src/postgres/client/database.ts';

/** Statements that make what was taken away, in order. */
export type Indexes = readonly string[];

interface Found {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Drops all indexes, keys and foreign keys of the tables. */
export async function dropIndexes(database: Database, tables: readonly string[]): Promise<Indexes> {
  return database.transaction(async (tx) => {
    const constraints = await tx<Found[]>`
      select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where conrelid = any(${[...tables]}::text[]::regclass[]) and contype in ('p', 'u', 'f')
      order by contype = 'f', conrelid`;
    const indexes = await tx<Found[]>`
      select indrelid::regclass::text as table, indexrelid::regclass::text as name,
        pg_get_indexdef(indexrelid) as definition
      from pg_index where indrelid = any(${[...tables]}::text[]::regclass[])
        and not exists (select from pg_constraint where conindid = indexrelid)`;
    for (const { table, name } of constraints.toReversed())
      await tx.unsafe(`alter table ${table} drop constraint "${name}"`);
    for (const { name } of indexes) await tx.unsafe(`drop index ${name}`);
    return [
      ...constraints.map(
        ({ table, name, definition }) => `alter table ${table} add constraint "${name}" ${definition}`,
      ),
      ...indexes.map(({ definition }) => definition),
    ];
  });
}

const MOST_MEMORY = '1GB';

/** Creates them, two at a time. */
export async function buildIndexes(
  database: Database,
  indexes: Indexes,
  say: (line: string) => void,
): Promise<void> {
  const keys = indexes.filter((statement) => statement.startsWith('alter'));
  for (const statement of keys) await build(database, statement);
  const left = indexes.filter((statement) => !keys.includes(statement));
  const whole = left.length;
  const one = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await build(database, next);
      if (left.length % 10 === 0) say(`${whole - left.length} of ${whole} indexes`);
    }
  };
  await Promise.all([one(), one()]);
}

const build = (database: Database, statement: string): Promise<void> =>
  database.transaction(async (tx) => {
    await tx.unsafe(`set local maintenance_work_mem = '${MOST_MEMORY}'`);
    await tx.unsafe('set local max_parallel_maintenance_workers = 0');
    await tx.unsafe(statement);
  });
