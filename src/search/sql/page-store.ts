// SQL of a page of listings: their ids in order, joined to their records.

import type { SortValue } from '../../http/input/cursor.ts';
import { withWholeRecord } from '../../listings/lean-record.ts';
import { type StoredListing, storedColumns } from '../../listings/store.ts';
import type { Database } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { HitPage } from '../query/search-backend.ts';
import { pageSql } from './order-sql.ts';

/** A listing with its place on the page and the values that it was sorted by. */
type PlacedRow = StoredListing & { readonly place: number } & Readonly<Record<`s${number}`, SortValue>>;

/** The page in the order of the plan, which a cursor backwards does not turn; without a total. */
export async function findPage(database: Database, search: ResolvedSearch): Promise<HitPage> {
  const { order, limit, cursor } = search.plan;
  const found = await database.read(async (sql) => {
    const values = order.map((_, key) => sql`, page.${sql(`s${key}`)}`);
    return sql<PlacedRow[]>`
      select ${storedColumns(sql)}, page.place ${joinSql(values)}
      from (select row_number() over () as place, rows.* from (${pageSql(sql, search)}) as rows) as page
      join listing on listing.id = page.id`;
  });
  // Put in order here: PostgreSQL would copy the records once more to do it.
  found.sort((one, other) => one.place - other.place);
  const hits = found.slice(0, limit).map((listing): HitPage['hits'][number] => ({
    listing: withWholeRecord(listing),
    values: () => order.map((_, key) => listing[`s${key}`] ?? null),
  }));
  if (cursor?.direction === 'previous') hits.reverse();
  return { hits, more: found.length > limit, total: null };
}
