// SQL of market statistics: summaries of listings by period, time zones of areas, and the size of the market.

import type { Reach } from '../access/tiers/reach.ts';
import { openSql } from '../licence/open-sql.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { Database, Sql, SqlFragment } from '../postgres/client/database.ts';
import { joinSql } from '../postgres/client/sql.ts';
import type { Measure, Summaries } from '../search/query/measures.ts';
import type { ResolvedSearch } from '../search/query/plan.ts';
import { readSummaries, type SummaryRow, summaryColumns } from '../search/sql/metric-sql.ts';
import type { MetricSet } from '../search/summaries/metrics.ts';
import type { Day, Period } from './calendar.ts';

export const GROUPINGS = { propertyType: 'property_type', bedrooms: 'bedrooms' } as const;
export type Grouping = keyof typeof GROUPINGS;

/** The key of cached figures. */
export interface CachedScope {
  /** 0: all areas. */
  readonly areaNo: number;
  readonly listingType: ListingType;
  /** Only listings in this currency; empty: all. */
  readonly currency: string;
  readonly timeZone: string;
  /** Periods that end after this day are not cached: they still change. */
  readonly until: Day;
}

/** The listings of a request, their time zone and groups. `where` is a condition on listing_search. */
export interface ListingScope {
  readonly listingType: ListingType;
  readonly where: (sql: Sql) => SqlFragment;
  /** The same as a plan. */
  readonly search: Pick<ResolvedSearch, 'plan' | 'resolved'>;
  readonly timeZone: string;
  readonly groupBy: readonly Grouping[];
  /** The key of its cached figures; null: they are not cached. */
  readonly cached: CachedScope | null;
}

/** Summaries of a set in one period (or at the start of one day) and group. */
export interface PeriodSummary {
  /** The index of its period in the request. */
  readonly index: number;
  readonly set: MetricSet;
  readonly group: readonly (string | number | null)[];
  readonly summaries: Summaries;
}

/** The local time of a column. */
export function wallSql(sql: Sql, { timeZone }: ListingScope, column: string): SqlFragment {
  return sql`${sql(column)} at time zone ${timeZone}`;
}

/** The local time of an event. An event known only by its day has that day in every time zone. */
export function eventWallSql(sql: Sql, listings: ListingScope): SqlFragment {
  return sql`coalesce(day::timestamp, ${wallSql(sql, listings, 'at')})`;
}

/** A request for summaries over distinct periods whose starts and ends ascend; for the inventory a period is one day. */
export interface SummaryRequest {
  readonly set: 'inventory' | 'active' | 'events';
  /** The sets that it returns: several for events. */
  readonly kinds: readonly MetricSet[];
  readonly periods: readonly Period[];
  readonly measures: readonly Measure[];
}

/** The request for some of its periods; null if none is left. */
export function filterPeriods(
  request: SummaryRequest,
  predicate: (period: Period) => boolean,
): SummaryRequest | null {
  const periods = request.periods.filter(predicate);
  return periods.length === 0 ? null : { ...request, periods };
}

/** The summaries of each request, and the database snapshot they were computed in. */
export interface SummaryResult {
  readonly summaries: readonly PeriodSummary[][];
  readonly snapshot: string;
}

/**
 * Computes all requests in one statement, which reads listings, market periods and events once for all sets: that takes
 * longer than the summaries. Sorted by id, so that lookups of neighbours read the same pages.
 */
export async function findSummaries(
  sql: Sql,
  listings: ListingScope,
  requests: readonly SummaryRequest[],
): Promise<SummaryResult> {
  const sets = requests.map(
    (each, at) => sql`${at === 0 ? sql`` : sql`union all`}
      select ${at}::int as at, to_json(summed) as summed from (${SET_SQL[each.set](sql, listings, each)}) as summed`,
  );
  const rows = await sql<{ at: number | null; summed: SummaryRow; snapshot: string }[]>`
    with scope as materialized (
      select id, property_type, bedrooms, living_area from listing_search where ${listings.where(sql)} order by id),
    period as (${periodSql(sql, listings, requests)}), event as (${eventSql(sql, listings, requests)})
    select current.snapshot::text, summed.* from pg_current_snapshot() as current (snapshot)
    left join (${joinSql(sets)}) as summed on true`;
  const summaries = requests.map((each, index) =>
    parseRows(
      rows.flatMap(({ at, summed }) => (at === index ? [summed] : [])),
      each,
      listings,
    ),
  );
  return { summaries, snapshot: rows[0]?.snapshot ?? '' };
}

function parseRows(
  rows: readonly SummaryRow[],
  { set, measures }: SummaryRequest,
  listings: ListingScope,
): PeriodSummary[] {
  return rows.map((row) => ({
    index: Number(row.index) - 1,
    set: set === 'events' ? (row.kind as MetricSet) : set,
    group: listings.groupBy.map((name) => row[GROUPINGS[name]] as string | number | null),
    summaries: readSummaries(row, measures),
  }));
}

/** The times that the listings were on the market. */
function periodSql(sql: Sql, listings: ListingScope, requests: readonly SummaryRequest[]): SqlFragment {
  const { before, after } = boundsSql(sql, requests);
  return sql`
    select scope.*, price, months_free, ${wallSql(sql, listings, 'started_at')} as started_wall,
      ${wallSql(sql, listings, 'ended_at')} as ended_wall, ${wallSql(sql, listings, 'days_on_market_start')} as days_on_market_wall,
      ${wallSql(sql, listings, 'superseded_at')} as superseded_wall
    from market_period join scope on id = listing_id
    where ended_at >= ${before} and started_at < ${after}`;
}

/** The events of the listings. */
function eventSql(sql: Sql, listings: ListingScope, requests: readonly SummaryRequest[]): SqlFragment {
  const kinds = requests.flatMap(({ set, kinds: own }): readonly string[] => {
    if (set === 'events') return own;
    return set === 'active' ? ['drop'] : [];
  });
  const { before, after } = boundsSql(sql, requests);
  return sql`
    select scope.*, kind, listing_type, price, days, ratio, original_ratio, ${eventWallSql(sql, listings)} as wall
    from market_event join scope on id = listing_id
    where kind = any(${[...new Set(kinds)]}::text[]) and at >= ${before} and at < ${after}`;
}

/** Times before and after all requested periods, in any time zone. */
function boundsSql(sql: Sql, requests: readonly SummaryRequest[]) {
  const periods = requests.flatMap((request) => request.periods);
  const [first = null] = periods.map(({ start }) => start).sort();
  const last =
    periods
      .map(({ end }) => end)
      .sort()
      .at(-1) ?? null;
  return {
    before: sql`${first}::timestamptz - interval '2 days'`,
    after: sql`${last}::timestamptz + interval '2 days'`,
  };
}

const groupSql = (sql: Sql, { groupBy }: ListingScope): SqlFragment =>
  joinSql(groupBy.map((name) => sql`, ${sql(GROUPINGS[name])}`));

/**
 * The listings on the market as each of these days begins. Members are materialised before they are sorted, or each row
 * would carry the array of all days.
 */
const inventorySql = (
  sql: Sql,
  listings: ListingScope,
  { periods, measures }: SummaryRequest,
): SqlFragment => sql`
  with edge as materialized (select ${periods.map(({ end }) => end)}::text[]::timestamp[] as ends),
  member as materialized (
    select index, property_type, bedrooms, living_area, price, months_free,
      greatest(0, floor(extract(epoch from ends[index] - days_on_market_wall)::double precision / 86400)) as age
    from period, edge, generate_series(width_bucket(started_wall, ends) + 1, width_bucket(ended_wall, ends)) as index)
  select index ${groupSql(sql, listings)}, ${summaryColumns(sql, measures)}
  from member group by index ${groupSql(sql, listings)}`;

/** Makes a bound exclusive: times are stored to the millisecond. */
const JUST_BEFORE = (sql: Sql): SqlFragment => sql`- interval '1 microsecond'`;

/** The listings that were on the market at any time of each period. */
const activeSql = (
  sql: Sql,
  listings: ListingScope,
  { periods, measures }: SummaryRequest,
): SqlFragment => sql`
  with ${edgesSql(sql, periods)}, on_market as (
    select index, id, false as fell from period, edge, generate_series(
      width_bucket(started_wall, ends) + 1, width_bucket(ended_wall ${JUST_BEFORE(sql)}, starts)) as index
    where superseded_wall >= ends[index]),
  price_drop as (
    select index, id, true as fell from event, edge, generate_series(
      width_bucket(wall, ends) + 1, width_bucket(wall, starts)) as index
    where kind = 'drop'),
  listed as (
    select index, id, bool_or(fell) as dropped from (table on_market union all table price_drop) as either
    group by index, id having not bool_and(fell)),
  member as (select index, dropped, scope.* from listed join scope using (id))
  select index ${groupSql(sql, listings)}, ${summaryColumns(sql, measures)}
  from member group by index ${groupSql(sql, listings)}`;

/** The events of each period. */
const eventsSql = (
  sql: Sql,
  listings: ListingScope,
  { kinds, periods, measures }: SummaryRequest,
): SqlFragment => sql`
  with ${edgesSql(sql, periods)}, member as (
    select event.*, index from event, edge, generate_series(
      width_bucket(wall, ends) + 1, width_bucket(wall, starts)) as index
    where kind = any(${[...kinds]}::text[]) and listing_type = ${listings.listingType})
  select index, kind ${groupSql(sql, listings)}, ${summaryColumns(sql, measures)}
  from member group by index, kind ${groupSql(sql, listings)}`;

const SET_SQL = { inventory: inventorySql, active: activeSql, events: eventsSql } as const;

/** Starts and ends of the periods as arrays, read once. */
function edgesSql(sql: Sql, periods: readonly Period[]): SqlFragment {
  const [starts, ends] = [periods.map(({ start }) => start), periods.map(({ end }) => end)];
  return sql`edge as materialized (
    select ${starts}::text[]::timestamp[] as starts, ${ends}::text[]::timestamp[] as ends)`;
}

export interface MarketCounts {
  readonly sales: number;
  readonly rentals: number;
  readonly areas: number;
  /** How many areas of each type there are, those of most first. */
  readonly areaTypes: readonly { readonly type: string; readonly count: number }[];
}

/** Listings on the market that this reader may see, and areas. */
export async function countMarket(database: Database, reach: Reach): Promise<MarketCounts> {
  const [row = { sales: 0, rentals: 0, areas: 0, areaTypes: [] }] = await database.read(
    (sql) => sql<MarketCounts[]>`
      select (count(*) filter (where listing_type = 'sale'))::integer as sales,
        (count(*) filter (where listing_type = 'rental'))::integer as rentals,
        (select count(*) from area)::integer as areas,
        (select coalesce(json_agg(json_build_object('type', type, 'count', count) order by count desc, type), '[]')
          from (select type, count(*) as count from area group by type) as types) as "areaTypes"
      from listing_search where status = 'ACTIVE' and displayed and ${openSql(sql, reach)}`,
  );
  return row;
}
