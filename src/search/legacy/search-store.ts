// SQL of a search: the page of listings, and how many there are.

import type { Planning } from '../../postgres/client/connection.ts';
import type { Database, Sql, SqlFragment } from '../../postgres/client/database.ts';
import type { RawRow } from '../../postgres/client/sql.ts';
import { isShape } from '../query/condition.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { valueKindOf } from '../query/sort.ts';
import { type NumberedRow, pageColumns, rowIn } from '../sql/page-columns-sql.ts';
import { sourceOf } from '../sql/source-sql.ts';
import { nextSql, pageSql } from './page-sql.ts';
import { hasOneWay, isPerhapsNext, mayEndBeforeUnknown } from './page-ways.ts';
import { type Place, placeOf } from './search-sql.ts';

export interface FoundRows {
  readonly rows: readonly NumberedRow[];
  /** Whether the walk goes on beyond them. */
  readonly more: boolean;
}

/** Up to one listing more than the page holds, in the order of the page (which a cursor backwards does not turn). */
export async function findPage(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
): Promise<FoundRows> {
  const found = await readRows(database, plan, resolved);
  const rows = found.slice(0, plan.limit);
  if (plan.cursor?.direction === 'previous') rows.reverse();
  return { rows, more: found.length > plan.limit };
}

/** A listing that changes between the two statements may be met by both or by neither, as between two pages. */
async function readRows(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
): Promise<NumberedRow[]> {
  const place = placeOf(plan);
  if (isPerhapsNext(plan, resolved)) {
    const next = await readNext(database, plan, resolved, place);
    if (next.length > plan.limit) return next;
  }
  if (!mayEndBeforeUnknown(plan, resolved)) return readPage(database, plan, resolved, place);
  const known = await readPage(database, plan, resolved, { ...place, first: 'known' });
  if (known.length > plan.limit) return known;
  const unknown = await readPage(database, plan, resolved, { ...place, first: 'unknown' });
  return [...known, ...unknown].slice(0, plan.limit + 1);
}

function readPage(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  at: Place,
): Promise<NumberedRow[]> {
  return readFound(database, plan, hasOneWay(plan, resolved) ? 'once' : 'each', (sql) =>
    selectPage(sql, plan, pageSql(sql, plan, resolved, at)),
  );
}

/** What of the page is among the rows next in the order. */
function readNext(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  at: Place,
): Promise<NumberedRow[]> {
  return readFound(database, plan, 'once', (sql) => selectPage(sql, plan, nextSql(sql, plan, resolved, at)));
}

async function readFound(
  database: Database,
  plan: SearchPlan,
  planned: Planning,
  select: (sql: Sql) => Promise<RawRow[]>,
): Promise<NumberedRow[]> {
  const found = await database.read(select, { planned });
  const kinds = plan.order.map(valueKindOf);
  // Put in order here: PostgreSQL would copy the records once more to do it.
  return found.map((row) => rowIn(row, kinds)).sort((one, other) => one.place - other.place);
}

async function selectPage(sql: Sql, plan: SearchPlan, page: SqlFragment): Promise<RawRow[]> {
  const values = plan.order.map((_, place) => sql`page.${sql(`s${place}`)}`);
  const statement = sql`
    select ${pageColumns(sql, sql`page.place`, values)}
    from (select row_number() over () as place, rows.* from (${page}) as rows) as page
    join listing on listing.id = page.id`;
  // Taken out of what the driver gave: that lives until a full collection, by closures that are born among old objects.
  return (await statement.raw()).splice(0);
}

/** How far a count goes. */
export interface CountBounds {
  /** It stops behind so many. */
  readonly most: number;
  /** As it aborts, a count that waits for a connection is not begun. */
  readonly signal: AbortSignal;
}

/** How many listings there are, or one more than the most. Throws DATABASE_UNAVAILABLE where that takes too long. */
export async function countUpTo(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  { most, signal }: CountBounds,
): Promise<number> {
  // Not cut short by the signal, which would cost the connection: PostgreSQL stops by itself.
  const [row] = await database.read(
    async (sql) => {
      if (signal.aborted) return [];
      const { from, where } = sourceOf(sql, plan, resolved, []);
      return sql<{ count: number }[]>`
        select count(*)::double precision as count
        from (select from ${from} where ${where} limit ${most + 1}::integer) as counted`;
    },
    { planned: 'brief' },
  );
  signal.throwIfAborted();
  return row?.count ?? 0;
}

export async function countExactly(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
): Promise<number> {
  const [row] = await database.read((sql) => {
    const { from, where } = sourceOf(sql, plan, resolved, []);
    return sql<{ count: number }[]>`select count(*)::double precision as count from ${from} where ${where}`;
  });
  return row?.count ?? 0;
}

/**
 * The planner's guess, which costs no more than planning does. Of shapes the planner knows nothing: there it guesses how
 * many meet all else, of which those in the shapes are taken to be the same share as of all.
 */
export async function countRoughly(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
): Promise<number> {
  const { inShape } = resolved;
  const asked = inShape ? { ...plan, conditions: plan.conditions.filter((each) => !isShape(each)) } : plan;
  const [row] = await database.read((sql) => {
    const { from, where } = sourceOf(sql, asked, resolved, []);
    return sql<
      { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }[]
    >`explain (format json) select from ${from} where ${where}`;
  });
  return Math.round((row?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0) * (inShape?.share ?? 1));
}
