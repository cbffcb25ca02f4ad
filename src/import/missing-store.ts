// SQL of the listings of a source that a full file can end.

import type { Status } from '../listings/vocabulary.ts';
import type { Sql } from '../postgres/client/database.ts';

/** The next keys of the listings of a source with these statuses, in the order of the keys. */
export async function findKeys(
  sql: Sql,
  source: string,
  statuses: readonly Status[],
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select listing_key as key from listing
    where source = ${source} and listing_key > ${after} and status = any(${[...statuses]}::text[])
    order by listing_key limit ${limit}`;
  return rows.map(({ key }) => key);
}
