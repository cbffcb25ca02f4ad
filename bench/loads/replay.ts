// SQL of the bench of incremental rounds: the rows that each transaction of a round wrote, and the same rows written by bare statements.

import type { Database, Sql } from '../../src/postgres/client/database.ts';
import { SqlFragment } from '../../src/postgres/client/sql.ts';
import { findTables, serverProcessor } from './store.ts';

/** A listing that can be changed at the source. */
export interface ListedKey {
  readonly key: string;
  readonly price: number | null;
  readonly statusRaw: string;
  readonly description: string | null;
  readonly city: string | null;
}

export const listedKeys = (database: Database): Promise<ListedKey[]> =>
  database.read(
    (sql) => sql<ListedKey[]>`
      select listing_key as key, (record ->> 'price')::float8 as price, record ->> 'statusRaw' as "statusRaw",
        record ->> 'description' as description, record -> 'address' ->> 'city' as city
      from listing where status <> 'DELETED' order by listing_key`,
    { timeout: 0 },
  );

/** The number of a transaction that all later ones are behind. */
export async function nextTransaction(database: Database): Promise<number> {
  const [row] = await database.write(
    (sql) => sql<{ id: number }[]>`select pg_current_xact_id()::text::bigint as id`,
  );
  return row?.id ?? 0;
}

/** The rows that a transaction left in a table, as COPY writes them. */
interface WrittenTable {
  readonly table: string;
  readonly rows: Buffer;
}

/** What each transaction since one has written, in their order; rows that a later one wrote again count there. */
export async function writtenSince(database: Database, first: number): Promise<WrittenTable[][]> {
  const transactions = new Map<number, WrittenTable[]>();
  for (const table of await findTables(database)) {
    const ids = await database.read(
      (sql) => sql<{ id: number }[]>`
        select distinct xmin::text::bigint as id from ${sql(table)} where xmin::text::bigint > ${first}`,
      { timeout: 0 },
    );
    for (const { id } of ids) {
      const rows = await database.read((sql) => copyWritten(sql, table, id), { timeout: 0 });
      transactions.set(id, [...(transactions.get(id) ?? []), { table, rows }]);
    }
  }
  return [...transactions].sort(([a], [b]) => a - b).map(([, tables]) => tables);
}

async function copyWritten(sql: Sql, table: string, transaction: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  const columns = (await columnsOf(sql, table)).map(({ name }) => `"${name}"`).join(', ');
  const query = `copy (select ${columns} from ${table} where xmin::text = '${transaction}') to stdout`;
  await sql.copy(new SqlFragment([query], []), (rows) => {
    // The driver uses its buffers again.
    parts.push(Buffer.from(rows));
  });
  return Buffer.concat(parts);
}

interface Column {
  readonly name: string;
  readonly isKey: boolean;
}

/** Columns that are written, and which of them are the primary key. */
const columnsOf = (sql: Sql, table: string): Promise<Column[]> =>
  sql<Column[]>`
    select attname as name, coalesce(attnum = any(indkey), false) as "isKey"
    from pg_attribute left join pg_index on indrelid = attrelid and indisprimary
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`;

/** What the statements took. */
export interface Replay {
  readonly milliseconds: number;
  /** Milliseconds of processor of PostgreSQL. */
  readonly processor: number;
  readonly rows: number;
  readonly transactions: number;
}

/** Writes the rows again, each transaction in one: by COPY into a temporary table, and from there. One connection. */
export async function replay(
  database: Database,
  transactions: readonly (readonly WrittenTable[])[],
): Promise<Replay> {
  const statements = new Map<string, string>();
  await database.write(async (sql) => {
    for (const table of new Set(transactions.flat().map((each) => each.table))) {
      const columns = await columnsOf(sql, table);
      await sql.unsafe(
        `create temp table stage_${table} as select ${listOf(columns)} from ${table} with no data`,
      );
      statements.set(table, upsertOf(table, columns));
    }
  });
  const [start, before] = [performance.now(), await serverProcessor(database)];
  let rows = 0;
  for (const tables of transactions)
    await database.transaction(async (tx) => {
      for (const each of tables) {
        await tx.load(tx`copy ${tx(`stage_${each.table}`)} from stdin`, each.rows);
        const { count } = await tx.unsafe(statements.get(each.table) ?? '');
        await tx.unsafe(`truncate stage_${each.table}`);
        rows += count;
      }
    });
  const milliseconds = performance.now() - start;
  const processor = (await serverProcessor(database)) - before;
  for (const table of statements.keys())
    await database.write((sql) => sql`drop table ${sql(`stage_${table}`)}`);
  return { milliseconds, processor, rows, transactions: transactions.length };
}

const listOf = (columns: readonly Column[]): string => columns.map(({ name }) => `"${name}"`).join(', ');

function upsertOf(table: string, columns: readonly Column[]): string {
  const keys = columns.filter(({ isKey }) => isKey);
  const others = columns.filter(({ isKey }) => !isKey);
  const insert = `insert into ${table} (${listOf(columns)}) overriding system value select ${listOf(columns)} from stage_${table}`;
  if (keys.length === 0) return insert;
  const sets = others.map(({ name }) => `"${name}" = excluded."${name}"`).join(', ');
  return `${insert} on conflict (${listOf(keys)}) do ${sets === '' ? 'nothing' : `update set ${sets}`}`;
}
