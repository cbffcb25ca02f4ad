// Owns the SQL of a search: the page of listings, how many there are, and the areas that were named.

import type { Database, Sql } from '../postgres/database.ts';
import type { StoredListing } from './catalogue.ts';
import type { SortValue } from './cursor.ts';
import { storedColumns } from './listing-read-store.ts';
import type { SearchPlan } from './search.ts';
import { pageSql, whereSql } from './search-sql.ts';

export interface NamedArea {
  readonly id: string;
  readonly no: number;
  readonly name: string;
}

/** A listing on a page with the values it was sorted by. */
export interface FoundListing {
  readonly stored: StoredListing;
  readonly values: readonly SortValue[];
}

/** The areas with these ids, in their order; unknown ids are left out. */
export function findNamedAreas(database: Database, ids: readonly string[]): Promise<NamedArea[]> {
  return database.read(
    (sql) => sql<NamedArea[]>`
      select id, no, name from area where id = any(${[...ids]}::text[])
      order by array_position(${[...ids]}::text[], id)`,
  );
}

/** The id of an area that has a word beginning as one of these do; for suggestions. */
export async function suggestArea(database: Database, words: readonly string[]): Promise<string | null> {
  const [row] = await database.read(
    (sql) => sql<{ id: string }[]>`
      select area.id from unnest(${[...words]}::text[]) as asked (asked)
      join area_word on word >= asked and word < asked || ${'\u{10ffff}'}
      join area on area.no = area_no group by area.id, area.name
      order by count(*) desc, length(area.name), area.id limit 1`,
  );
  return row?.id ?? null;
}

/** Up to one listing more than the page holds, in the order of the page (which a cursor backwards does not turn). */
export async function findPage(
  database: Database,
  plan: SearchPlan,
  areaNos: readonly number[],
): Promise<{ found: FoundListing[]; more: boolean }> {
  const rows = await database.read((sql) => selectPage(sql, plan, areaNos));
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

function selectPage(sql: Sql, plan: SearchPlan, areaNos: readonly number[]): Promise<PageRow[]> {
  const page = pageSql(sql, plan, whereSql(sql, plan, areaNos));
  return sql<PageRow[]>`
    select page.*, ${storedColumns(sql)}
    from (select row_number() over () as place, rows.* from (${page}) as rows) as page
    join listing on listing.id = page.id order by page.place`;
}

export async function countExactly(
  database: Database,
  plan: SearchPlan,
  areaNos: readonly number[],
): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`
      select count(*)::double precision as count from listing_search where ${whereSql(sql, plan, areaNos)}`,
  );
  return row?.count ?? 0;
}

/** The planner's guess, which costs no more than planning does. */
export async function countRoughly(
  database: Database,
  plan: SearchPlan,
  areaNos: readonly number[],
): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }[]>`
      explain (format json) select from listing_search where ${whereSql(sql, plan, areaNos)}`,
  );
  return row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}
