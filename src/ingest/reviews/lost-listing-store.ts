// SQL of listings that are deleted.

import type { Sql } from '../../postgres/client/database.ts';

/** The next of them after an id, in the order of their ids. */
export async function findDeleted(sql: Sql, after: string, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from listing where status = 'DELETED' and id > ${after} order by id limit ${limit}`;
  return rows.map(({ id }) => id);
}
