// Owns the SQL of a search: the page of listings, and how many there are.

import type { Database, Sql } from '../postgres/database.ts';
import type { SortValue } from './cursor.ts';
import { writtenColumns } from './listing-read-store.ts';
import type { WrittenListing } from './present-text.ts';
import type { SearchPlan } from './search.ts';
import { pageSql } from './search-sql.ts';
import { sourceOf } from './source-sql.ts';
import type { Meanings } from './text-sql.ts';

/** A listing on a page, with the numbers of its areas in place of their ids. */
type NumberedListing = Omit<WrittenListing, 'areaIds'> & { readonly areaNos: readonly number[] };

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
  const more = found.length > plan.limit;
  const page = found.slice(0, plan.limit);
  if (plan.cursor?.direction === 'previous') page.reverse();
  const rows = page.map((row) => ({
    listing: row,
    values: plan.order.map((_, place) => row[`s${place}`] ?? null),
  }));
  return { rows, more };
}

type PageRow = NumberedListing & Readonly<Record<`s${number}`, SortValue>>;

function selectPage(sql: Sql, plan: SearchPlan, meanings: Meanings): Promise<PageRow[]> {
  const page = pageSql(sql, plan, meanings);
  return sql<PageRow[]>`
    select page.*, ${writtenColumns(sql)}
    from (select row_number() over () as place, rows.* from (${page}) as rows) as page
    join listing on listing.id = page.id order by page.place`;
}

export async function countExactly(
  database: Database,
  plan: SearchPlan,
  meanings: Meanings,
): Promise<number> {
  const [row] = await database.read((sql) => {
    const { from, where } = sourceOf(sql, plan, meanings, []);
    return sql<{ count: number }[]>`select count(*)::double precision as count from ${from} where ${where}`;
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
    const { from, where } = sourceOf(sql, plan, meanings, []);
    return sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }[]>`
      explain (format json) select from ${from} where ${where}`;
  });
  return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}
