// Columns of a search row, and values computed from them.

import { EARTH_RADIUS_KM, type Point } from '../../geometry/geometry.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import type { Column } from '../query/sort.ts';

/** A column by the name that the API has for it: `yearBuilt` is year_built. */
export const columnOf = (name: Column): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Whole days on the market, counted to the moment that the walk began, so that a walk stays in order. */
export const daysSql = (sql: Sql, startedAt: number): SqlFragment =>
  daysBetween(
    sql,
    sql`days_on_market_start`,
    sql`coalesce(days_on_market_end, ${instantSql(sql, startedAt)})`,
  );

/** The same of what is on the market: its clock runs on. */
export const daysSinceSql = (sql: Sql, start: SqlFragment, startedAt: number): SqlFragment =>
  daysBetween(sql, start, instantSql(sql, startedAt));

function daysBetween(sql: Sql, start: SqlFragment, end: SqlFragment): SqlFragment {
  // Without a start they are unknown, where greatest() alone would make them 0.
  return sql`case when ${start} is not null then greatest(0, floor(extract(epoch from
    ${end} - ${start})::double precision / 86400)) end`;
}

export const instantSql = (sql: Sql, milliseconds: number): SqlFragment =>
  sql`${new Date(milliseconds).toISOString()}::timestamptz`;

/** Great-circle kilometres from a point to the listing, by the haversine formula. */
export function distanceSql(sql: Sql, { lat, lng }: Point): SqlFragment {
  return sql`${2 * EARTH_RADIUS_KM}::double precision * asin(least(1, sqrt(
    sin(radians(location[1] - ${lat}::double precision) / 2) ^ 2
    + cos(radians(${lat}::double precision)) * cos(radians(location[1]))
      * sin(radians(location[0] - ${lng}::double precision) / 2) ^ 2)))`;
}
