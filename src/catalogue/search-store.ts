// Owns the SQL of a search: the page of listings, and how many there are.

import type { Database, Sql } from '../postgres/database.ts';
import type { StoredListing } from './catalogue.ts';
import type { SortValue } from './cursor.ts';
import { storedColumns } from './listing-read-store.ts';
import type { SearchPlan } from './search.ts';
import { pageSql } from './search-sql.ts';
import { sourceOf } from './source-sql.ts';
import type { Meanings } from './text-sql.ts';

/** A listing on a page with the values it was sorted by. */
export interface FoundListing {
  readonly stored: StoredListing;
  readonly values: readonly SortValue[];
}

export interface FoundPage {
  readonly found: readonly FoundListing[];
  /** Whether the walk goes on beyond them. */
  readonly more: boolean;
}

/** Up to one listing more than the page holds, in the order of the page (which a cursor backwards does not turn). */
export async function findPage(database: Database, plan: SearchPlan, meanings: Meanings): Promise<FoundPage> {
  const rows = await database.read((sql) => selectPage(sql, plan, meanings));
  const more = rows.length > plan.limit;
  const page = rows.slice(0, plan.limit);
  if (plan.cursor?.direction === 'previous') page.reverse();
  const found = page.map((row) => ({
    stored: row,
    values: plan.order.map((_, place) => row[`s${place}`] ?? null),
  }));
  return { found, more };
}

type PageRow = StoredListing & Readonly<Record<`s${number}`, SortValue>>;

function selectPage(sql: Sql, plan: SearchPlan, meanings: Meanings): Promise<PageRow[]> {
  const page = pageSql(sql, plan, meanings);
  return sql<PageRow[]>`
    select page.*, ${storedColumns(sql)}
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
