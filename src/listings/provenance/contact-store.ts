// SQL of agents and offices: which listings of a source show them.

import type { Sql } from '../../postgres/client/database.ts';

/** Listings that are named at once; more of one office wait for their own changes. */
const MOST = 10_000;

/** Keys of the listings of a source that show one of these agents or offices, by their keys at the source; not of deleted ones. */
export async function findShowing(
  sql: Sql,
  source: string,
  { agents, offices }: { readonly agents: readonly string[]; readonly offices: readonly string[] },
): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select listing.listing_key as key
    from listing_search as search join listing on listing.id = search.id
    where (search.agent_id = any(${[...agents]}::text[]) or search.office_id = any(${[...offices]}::text[]))
      and listing.source = ${source} and listing.status <> 'DELETED'
    order by listing.listing_key limit ${MOST}`;
  return rows.map(({ key }) => key);
}
