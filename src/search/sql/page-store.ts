// SQL of a page of listings: their ids in order, joined to their records.

import type { Database } from '../../postgres/client/database.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { valueKindOf } from '../query/sort.ts';
import { pageSql } from './order-sql.ts';
import { type NumberedRow, pageColumns, rowIn } from './page-columns-sql.ts';

export interface FoundRows {
  readonly rows: readonly NumberedRow[];
  /** Whether the walk goes on beyond them. */
  readonly more: boolean;
}

/** The rows of the page, in the order of the plan (which a cursor backwards does not turn). */
export async function findPage(database: Database, search: ResolvedSearch): Promise<FoundRows> {
  const { order, limit, cursor } = search.plan;
  const values = order.map((_, place) => `s${place}`);
  const found = await database.read(async (sql) => {
    const statement = sql`
      select ${pageColumns(
        sql,
        sql`page.place`,
        values.map((name) => sql`page.${sql(name)}`),
      )}
      from (select row_number() over () as place, rows.* from (${pageSql(sql, search)}) as rows) as page
      join listing on listing.id = page.id`;
    // Taken out of what the driver gave: that lives until a full collection, by closures that are born among old objects.
    return (await statement.raw()).splice(0);
  });
  const kinds = order.map(valueKindOf);
  // Put in order here: PostgreSQL would copy the records once more to do it.
  const inOrder = found.map((row) => rowIn(row, kinds)).sort((one, other) => one.place - other.place);
  const rows = inOrder.slice(0, limit);
  if (cursor?.direction === 'previous') rows.reverse();
  return { rows, more: inOrder.length > limit };
}
