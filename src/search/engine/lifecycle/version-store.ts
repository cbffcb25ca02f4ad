// SQL of versions that the log does not tell.

import type { Sql } from '../../../postgres/client/database.ts';

/** The versions that listings have now. */
export async function findVersions(sql: Sql, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql<{ id: string; version: number }[]>`
    select id, version from listing where id = any(${[...ids]}::text[])`;
  return new Map(rows.map(({ id, version }) => [id, version]));
}
