// Owns the SQL of statistics: which listings belong to which period, summed up there.

import { readSummaries, type Summaries, type SummaryRow, summaryColumns } from '../catalogue/metric-sql.ts';
import type { Measure, MetricSet } from '../catalogue/metrics.ts';
import type { ListingType } from '../catalogue/vocabulary.ts';
import type { Database, Sql, SqlFragment } from '../postgres/database.ts';
import { together } from '../postgres/fragments.ts';
import type { Day, Period } from './calendar.ts';

export const GROUPINGS = { propertyType: 'property_type', bedrooms: 'bedrooms' } as const;
export type Grouping = keyof typeof GROUPINGS;

/** Which listings, on whose calendar, in which groups. `where` is a condition on listing_search. */
export interface Field {
  readonly listingType: ListingType;
  readonly where: (sql: Sql) => SqlFragment;
  readonly timeZone: string;
  readonly groupBy: readonly Grouping[];
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
  return timeZone === 'UTC'
    ? sql`${sql(column)} at time zone 'UTC'`
    : sql`wall_time(${sql(column)}, ${timeZone})`;
}

const scopeSql = (sql: Sql, field: Field): SqlFragment => sql`
  scope as materialized (
    select id, property_type, bedrooms, living_area from listing_search where ${field.where(sql)})`;

const groupSql = (sql: Sql, { groupBy }: Field): SqlFragment =>
  together(
    sql,
    groupBy.map((name) => sql`, ${sql(GROUPINGS[name])}`),
  );

function readParts(
  rows: readonly SummaryRow[],
  set: MetricSet | null,
  field: Field,
  measures: readonly Measure[],
): Part[] {
  return rows.map((row) => ({
    index: Number(row.index) - 1,
    set: set ?? (row.kind as MetricSet),
    group: field.groupBy.map((name) => row[GROUPINGS[name]] as string | number | null),
    summaries: readSummaries(row, measures),
  }));
}

/**
 * What is on the market as each of these days begins; days rise, and no day comes twice. Members are made before they are
 * sorted: else every one of them would carry all the days along.
 */
export async function findInventory(
  sql: Sql,
  field: Field,
  days: readonly Day[],
  measures: readonly Measure[],
): Promise<Part[]> {
  const rows = await sql<SummaryRow[]>`
    with ${scopeSql(sql, field)}, edge as materialized (select ${[...days]}::text[]::timestamp[] as ends), stay as (
      select scope.*, price, months_free, ${wallSql(sql, field, 'on_at')} as on_wall,
        ${wallSql(sql, field, 'off_at')} as off_wall, ${wallSql(sql, field, 'aged_from')} as aged_wall
      from market_stay join scope on id = listing_id
      where off_at >= ${days[0] ?? null}::timestamptz - interval '2 days'),
    member as materialized (
      select index, property_type, bedrooms, living_area, price, months_free, greatest(0, floor(extract(epoch from ends[index] - aged_wall)::double precision
        / 86400)) as age
      from stay, edge, generate_series(width_bucket(on_wall, ends) + 1, width_bucket(off_wall, ends)) as index)
    select index ${groupSql(sql, field)}, ${summaryColumns(sql, measures)}
    from member group by index ${groupSql(sql, field)}`;
  return readParts(rows, 'inventory', field, measures);
}

/** A moment before, to count what lies strictly earlier: time is kept to the millisecond. */
const JUST_BEFORE = (sql: Sql): SqlFragment => sql`- interval '1 microsecond'`;

/** What was on the market at any moment of each period. Both starts and ends of the periods rise. */
export async function findActive(
  sql: Sql,
  field: Field,
  periods: readonly Period[],
  measures: readonly Measure[],
): Promise<Part[]> {
  const { edges, first } = edgesSql(sql, periods);
  const rows = await sql<SummaryRow[]>`
    with ${scopeSql(sql, field)}, ${edges}, stay as (
      select listing_id, ${wallSql(sql, field, 'on_at')} as on_wall, ${wallSql(sql, field, 'off_at')} as off_wall,
        ${wallSql(sql, field, 'superseded_at')} as superseded_wall
      from market_stay join scope on id = listing_id where off_at >= ${first}),
    present as (
      select index, listing_id, false as fell from stay, edge, generate_series(
        width_bucket(on_wall, ends) + 1, width_bucket(off_wall ${JUST_BEFORE(sql)}, starts)) as index
      where superseded_wall >= ends[index]),
    fall as (
      select listing_id, ${wallSql(sql, field, 'at')} as wall from market_event join scope on id = listing_id
      where kind = 'drop' and at >= ${first}),
    lowered as (
      select index, listing_id, true as fell from fall, edge, generate_series(
        width_bucket(wall, ends) + 1, width_bucket(wall, starts)) as index),
    told as (
      select index, listing_id, bool_or(fell) as dropped from (table present union all table lowered) as either
      group by index, listing_id having not bool_and(fell)),
    member as (select index, dropped, scope.* from told join scope on id = listing_id)
    select index ${groupSql(sql, field)}, ${summaryColumns(sql, measures)}
    from member group by index ${groupSql(sql, field)}`;
  return readParts(rows, 'active', field, measures);
}

/** What happened in each period, of these kinds. Both starts and ends of the periods rise. */
export async function findEvents(
  sql: Sql,
  field: Field,
  periods: readonly Period[],
  kinds: readonly MetricSet[],
  measures: readonly Measure[],
): Promise<Part[]> {
  const { edges, first } = edgesSql(sql, periods);
  const rows = await sql<SummaryRow[]>`
    with ${scopeSql(sql, field)}, ${edges}, event as (
      select scope.*, kind, price, days, ratio, original_ratio, ${wallSql(sql, field, 'at')} as wall
      from market_event join scope on id = listing_id
      where kind = any(${[...kinds]}::text[]) and at >= ${first} and listing_type = ${field.listingType}),
    member as (
      select event.*, index from event, edge, generate_series(
        width_bucket(wall, ends) + 1, width_bucket(wall, starts)) as index)
    select index, kind ${groupSql(sql, field)}, ${summaryColumns(sql, measures)}
    from member group by index, kind ${groupSql(sql, field)}`;
  return readParts(rows, null, field, measures);
}

/** Edges of periods as arrays, read once and not for each row, and a moment before all of them in any time zone. */
function edgesSql(sql: Sql, periods: readonly Period[]) {
  const [starts, ends] = [periods.map(({ start }) => start), periods.map(({ end }) => end)];
  return {
    edges: sql`edge as materialized (
      select ${starts}::text[]::timestamp[] as starts, ${ends}::text[]::timestamp[] as ends)`,
    first: sql`${starts[0] ?? null}::timestamptz - interval '2 days'`,
  };
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
