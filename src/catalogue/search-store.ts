// Owns the SQL of a search: the page of listings, and how many there are.

import { compose, run } from '../postgres/compose.ts';
import type { Database, Sql } from '../postgres/database.ts';
import type { SortValue } from './cursor.ts';
import { listingIn, type NumberedListing, pageColumns, type RawRow, valuesIn } from './page-columns-sql.ts';
import { pageSql } from './page-sql.ts';
import type { SearchPlan } from './search.ts';
import { kindOf } from './search-order.ts';
import { sourceOf } from './source-sql.ts';
import type { Meanings } from './text-sql.ts';

/** A listing on a page with the values it was sorted by. */
export interface FoundRow {
  readonly listing: NumberedListing;
  readonly values: readonly SortValue[];
}

export interface FoundRows {
  readonly rows: readonly FoundRow[];
  /** Whether the walk goes on beyond them. */
  readonly more: boolean;
}

/** Up to one listing more than the page holds, in the order of the page (which a cursor backwards does not turn). */
export async function findPage(database: Database, plan: SearchPlan, meanings: Meanings): Promise<FoundRows> {
  const found = await database.read((sql) => selectPage(sql, plan, meanings));
  const page = found.slice(0, plan.limit);
  if (plan.cursor?.direction === 'previous') page.reverse();
  const kinds = plan.order.map(kindOf);
  const rows = page.map((row) => ({ listing: listingIn(row), values: valuesIn(row, kinds) }));
  return { rows, more: found.length > plan.limit };
}

async function selectPage(sql: Sql, plan: SearchPlan, meanings: Meanings): Promise<RawRow[]> {
  const page = pageSql(compose, plan, meanings);
  const values = plan.order.map((_, place) => compose`, page.${compose(`s${place}`)}`);
  const statement = compose`
    select ${pageColumns(compose)} ${values}
    from (select row_number() over () as place, rows.* from (${page}) as rows) as page
    join listing on listing.id = page.id order by page.place`;
  return run(sql, statement).raw();
}

export async function countExactly(
  database: Database,
  plan: SearchPlan,
  meanings: Meanings,
): Promise<number> {
  const [row] = await database.read((sql) => {
    const { from, where } = sourceOf(compose, plan, meanings, []);
    return run<{ count: number }>(
      sql,
      compose`select count(*)::double precision as count from ${from} where ${where}`,
    );
  });
  return row?.count ?? 0;
}

/** The planner's guess, which costs no more than planning does. */
export async function countRoughly(
  database: Database,
  plan: SearchPlan,
  meanings: Meanings,
): Promise<number> {
  const [row] = await database.read((sql) => {
    const { from, where } = sourceOf(compose, plan, meanings, []);
    return run<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      sql,
      compose`explain (format json) select from ${from} where ${where}`,
    );
  });
  return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}
