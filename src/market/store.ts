// SQL of market statistics: which listings belong to which period, summed up there.

import type { ListingType } from '../listings/vocabulary.ts';
import type { Database, Sql, SqlFragment } from '../postgres/client/database.ts';
import { joinSql } from '../postgres/client/sql.ts';
import {
  readSummaries,
  type Summaries,
  type SummaryRow,
  summaryColumns,
} from '../search/summaries/metric-sql.ts';
import type { Measure, MetricSet } from '../search/summaries/metrics.ts';
import type { Day, Period } from './calendar.ts';
import type { CachedScope } from './figure-cache-store.ts';

export const GROUPINGS = { propertyType: 'property_type', bedrooms: 'bedrooms' } as const;
export type Grouping = keyof typeof GROUPINGS;

/** Which listings, on whose calendar, in which groups. `where` is a condition on listing_search. */
export interface Field {
  readonly listingType: ListingType;
  readonly where: (sql: Sql) => SqlFragment;
  readonly timeZone: string;
  readonly groupBy: readonly Grouping[];
  /** Under what its figures are cached; null: they are not. */
  readonly cached: CachedScope | null;
}

/** A set in one period (or at one day's beginning) and group, summed up. */
export interface Part {
  /** The place of its period among those asked for. */
  readonly index: number;
  readonly set: MetricSet;
  readonly group: readonly (string | number | null)[];
  readonly summaries: Summaries;
}

/** The time on the clocks of the place. */
export function wallSql(sql: Sql, { timeZone }: Field, column: string): SqlFragment {
  return sql`${sql(column)} at time zone ${timeZone}`;
}

/** When an event happened by those clocks: what was told as a mere day was on that day, wherever it is asked from. */
export function eventWallSql(sql: Sql, field: Field): SqlFragment {
  return sql`coalesce(day::timestamp, ${wallSql(sql, field, 'at')})`;
}

/** A set that is wanted over days or periods: both starts and ends of these rise, and none comes twice. */
export type Wanted =
  | { readonly set: 'inventory'; readonly days: readonly Day[]; readonly measures: readonly Measure[] }
  | { readonly set: 'active'; readonly periods: readonly Period[]; readonly measures: readonly Measure[] }
  | {
      readonly set: 'events';
      /** What happened: any of these. */
      readonly kinds: readonly MetricSet[];
      readonly periods: readonly Period[];
      readonly measures: readonly Measure[];
    };

/** The periods of what is wanted, in their order; a day begins and ends there. */
export function spansOf(wanted: Wanted): readonly Period[] {
  return wanted.set === 'inventory' ? wanted.days.map((day) => ({ start: day, end: day })) : wanted.periods;
}

/** The sets that it gives. */
export const kindsOf = (wanted: Wanted): readonly MetricSet[] =>
  wanted.set === 'events' ? wanted.kinds : [wanted.set];

/** The same over some of its periods alone; null where that is none. */
export function only(wanted: Wanted, keeps: (period: Period) => boolean): Wanted | null {
  const kept = spansOf(wanted).filter(keeps);
  if (kept.length === 0) return null;
  return wanted.set === 'inventory'
    ? { ...wanted, days: kept.map(({ end }) => end) }
    : { ...wanted, periods: kept };
}

/** Parts for each of what was wanted, and the snapshot of the database that they were read from. */
export interface FoundParts {
  readonly parts: readonly Part[][];
  readonly snapshot: string;
}

/**
 * Everything that is wanted, in its order, by one statement: which listings there are, when they were on the market and what
 * happened to them is read once for all sets, and takes longer than summing them up. By their ids: what is looked up for
 * one after the other then lies together.
 */
export async function findParts(sql: Sql, field: Field, wanted: readonly Wanted[]): Promise<FoundParts> {
  const sets = wanted.map(
    (each, at) => sql`${at === 0 ? sql`` : sql`union all`}
      select ${at}::int as at, to_json(summed) as summed from (${setSql(sql, field, each)}) as summed`,
  );
  const rows = await sql<{ at: number | null; summed: SummaryRow; snapshot: string }[]>`
    with scope as materialized (
      select id, property_type, bedrooms, living_area from listing_search where ${field.where(sql)} order by id),
    period as (${periodSql(sql, field, wanted)}), event as (${eventSql(sql, field, wanted)})
    select current.snapshot::text, summed.* from pg_current_snapshot() as current (snapshot)
    left join (${joinSql(sets)}) as summed on true`;
  const parts = wanted.map((each, place) =>
    readParts(
      rows.flatMap(({ at, summed }) => (at === place ? [summed] : [])),
      each,
      field,
    ),
  );
  return { parts, snapshot: rows[0]?.snapshot ?? '' };
}

function readParts(rows: readonly SummaryRow[], { set, measures }: Wanted, field: Field): Part[] {
  return rows.map((row) => ({
    index: Number(row.index) - 1,
    set: set === 'events' ? (row.kind as MetricSet) : set,
    group: field.groupBy.map((name) => row[GROUPINGS[name]] as string | number | null),
    summaries: readSummaries(row, measures),
  }));
}

/** When the listings were on the market. */
const periodSql = (sql: Sql, field: Field, wanted: readonly Wanted[]): SqlFragment => sql`
  select scope.*, price, months_free, ${wallSql(sql, field, 'started_at')} as started_wall,
    ${wallSql(sql, field, 'ended_at')} as ended_wall, ${wallSql(sql, field, 'days_on_market_start')} as days_on_market_wall,
    ${wallSql(sql, field, 'superseded_at')} as superseded_wall
  from market_period join scope on id = listing_id
  where ended_at >= ${beforeAll(sql, wanted)} and started_at < ${afterAll(sql, wanted)}`;

/** What happened to the listings. */
function eventSql(sql: Sql, field: Field, wanted: readonly Wanted[]): SqlFragment {
  const kinds = wanted.flatMap((each): readonly string[] => {
    if (each.set === 'events') return each.kinds;
    return each.set === 'active' ? ['drop'] : [];
  });
  return sql`
    select scope.*, kind, listing_type, price, days, ratio, original_ratio, ${eventWallSql(sql, field)} as wall
    from market_event join scope on id = listing_id
    where kind = any(${[...new Set(kinds)]}::text[])
      and at >= ${beforeAll(sql, wanted)} and at < ${afterAll(sql, wanted)}`;
}

/** A moment before all that is wanted, in any time zone. */
function beforeAll(sql: Sql, wanted: readonly Wanted[]): SqlFragment {
  const [least = null] = wanted
    .flatMap(spansOf)
    .map(({ start }) => start)
    .sort();
  return sql`${least}::timestamptz - interval '2 days'`;
}

/** A moment after all of it. */
function afterAll(sql: Sql, wanted: readonly Wanted[]): SqlFragment {
  const most =
    wanted
      .flatMap(spansOf)
      .map(({ end }) => end)
      .sort()
      .at(-1) ?? null;
  return sql`${most}::timestamptz + interval '2 days'`;
}

function setSql(sql: Sql, field: Field, wanted: Wanted): SqlFragment {
  switch (wanted.set) {
    case 'inventory':
      return inventorySql(sql, field, wanted.days, wanted.measures);
    case 'active':
      return activeSql(sql, field, wanted.periods, wanted.measures);
    case 'events':
      return eventsSql(sql, field, wanted);
  }
}

const groupSql = (sql: Sql, { groupBy }: Field): SqlFragment =>
  joinSql(groupBy.map((name) => sql`, ${sql(GROUPINGS[name])}`));

/**
 * What is on the market as each of these days begins. Members are made before they are sorted: else every one of them would
 * carry all the days along.
 */
const inventorySql = (
  sql: Sql,
  field: Field,
  days: readonly Day[],
  measures: readonly Measure[],
): SqlFragment => sql`
  with edge as materialized (select ${[...days]}::text[]::timestamp[] as ends),
  member as materialized (
    select index, property_type, bedrooms, living_area, price, months_free,
      greatest(0, floor(extract(epoch from ends[index] - days_on_market_wall)::double precision / 86400)) as age
    from period, edge, generate_series(width_bucket(started_wall, ends) + 1, width_bucket(ended_wall, ends)) as index)
  select index ${groupSql(sql, field)}, ${summaryColumns(sql, measures)}
  from member group by index ${groupSql(sql, field)}`;

/** A moment before, to count what lies strictly earlier: time is kept to the millisecond. */
const JUST_BEFORE = (sql: Sql): SqlFragment => sql`- interval '1 microsecond'`;

/** What was on the market at any moment of each period. */
const activeSql = (
  sql: Sql,
  field: Field,
  periods: readonly Period[],
  measures: readonly Measure[],
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
  select index ${groupSql(sql, field)}, ${summaryColumns(sql, measures)}
  from member group by index ${groupSql(sql, field)}`;

/** What happened in each period. */
const eventsSql = (
  sql: Sql,
  field: Field,
  { kinds, periods, measures }: Extract<Wanted, { set: 'events' }>,
): SqlFragment => sql`
  with ${edgesSql(sql, periods)}, member as (
    select event.*, index from event, edge, generate_series(
      width_bucket(wall, ends) + 1, width_bucket(wall, starts)) as index
    where kind = any(${[...kinds]}::text[]) and listing_type = ${field.listingType})
  select index, kind ${groupSql(sql, field)}, ${summaryColumns(sql, measures)}
  from member group by index, kind ${groupSql(sql, field)}`;

/** Edges of periods as arrays, read once and not for each row. */
function edgesSql(sql: Sql, periods: readonly Period[]): SqlFragment {
  const [starts, ends] = [periods.map(({ start }) => start), periods.map(({ end }) => end)];
  return sql`edge as materialized (
    select ${starts}::text[]::timestamp[] as starts, ${ends}::text[]::timestamp[] as ends)`;
}

/** The time zone of each area: its own, or that of the nearest one around it that has any; others are left out. */
export async function findTimeZones(
  database: Database,
  areaNos: readonly number[],
): Promise<Map<number, string>> {
  const rows = await database.read(
    (sql) => sql<{ no: number; zone: string }[]>`
      with recursive chain as (
        select no, time_zone, parent_id, 0 as depth from area where no = any(${[...areaNos]}::integer[])
        union all
        select chain.no, around.time_zone, around.parent_id, depth + 1
        from chain join area as around on around.id = chain.parent_id
        where chain.time_zone is null and depth < 10)
      select no, time_zone as zone from chain where time_zone is not null`,
  );
  return new Map(rows.map(({ no, zone }) => [no, zone]));
}
