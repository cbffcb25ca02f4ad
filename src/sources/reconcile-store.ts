// SQL of reconciliation: keys of the listings that a source still has.

import type { Sql } from '../postgres/client/database.ts';

/** Keys after one, in their order; of listings that are not deleted. */
export async function findKeys(sql: Sql, source: string, after: string, limit: number): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select listing_key as key from listing
    where source = ${source} and listing_key > ${after} and status <> 'DELETED'
    order by listing_key limit ${limit}`;
  return rows.map(({ key }) => key);
}

/** Those of these keys whose listings are deleted. */
export async function findDeletedKeys(sql: Sql, source: string, keys: readonly string[]): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select listing_key as key from listing
    where source = ${source} and listing_key = any(${[...keys]}::text[]) and status = 'DELETED'`;
  return rows.map(({ key }) => key);
}
