// Conditions as SQL over listing_search, and the columns they read. Pure.

import { EARTH_RADIUS_KM, type Point } from '../../geometry/geometry.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { Column, Condition, RangeColumn, WordColumn } from '../query/condition.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import type { Part } from '../query/shapes.ts';
import { textSql } from './text-sql.ts';

/** The column of a name in the API: `yearBuilt` is year_built. */
export const columnOf = (name: Column): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Whole days on the market until the first page was read, so that later pages keep the order. */
export const daysSql = (sql: Sql, startedAt: number): SqlFragment =>
  daysBetween(
    sql,
    sql`days_on_market_start`,
    sql`coalesce(days_on_market_end, ${instantSql(sql, startedAt)})`,
  );

/** The same for listings on the market. */
export const daysSinceSql = (sql: Sql, start: SqlFragment, startedAt: number): SqlFragment =>
  daysBetween(sql, start, instantSql(sql, startedAt));

function daysBetween(sql: Sql, start: SqlFragment, end: SqlFragment): SqlFragment {
  // Without a start they are unknown; greatest() alone would make them 0.
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

/** The parts of a plan that conditions depend on. */
export interface Context extends Pick<SearchPlan, 'listingType' | 'ignoreDisplayRules' | 'startedAt'> {
  /** Columns that have other names than in listing_search. */
  readonly columns?: Readonly<Partial<Record<string, string>>>;
}

const nameOf = ({ columns }: Context, column: RangeColumn | WordColumn): string =>
  columns?.[column] ?? columnOf(column);

/** All requirements of a plan as one boolean expression over listing_search. */
export function whereSql(
  sql: Sql,
  plan: Context & Pick<SearchPlan, 'conditions'>,
  resolved: ResolvedQuery,
): SqlFragment {
  return sql`${shownSql(sql, plan)} and ${conditionsSql(sql, plan.conditions, plan, resolved)}`;
}

/**
 * The same for a plan without a status, which most listings of its type meet: for a plain comparison of the type
 * PostgreSQL 18 and later would skip through indexes that begin with another column, which takes longer.
 */
export function lifeSql(
  sql: Sql,
  plan: Context & Pick<SearchPlan, 'conditions'>,
  resolved: ResolvedQuery,
): SqlFragment {
  const displayRule = plan.ignoreDisplayRules ? sql`` : sql`and displayed`;
  return sql`(listing_type = ${plan.listingType}) is true ${displayRule} and ${conditionsSql(sql, plan.conditions, plan, resolved)}`;
}

/** Listings of the plan's type that may be shown. */
export function shownSql(sql: Sql, plan: Context): SqlFragment {
  return sql`listing_type = ${plan.listingType} ${plan.ignoreDisplayRules ? sql`` : sql`and displayed`}`;
}

export function conditionsSql(
  sql: Sql,
  conditions: readonly Condition[],
  context: Context,
  resolved: ResolvedQuery,
): SqlFragment {
  return allOf(
    sql,
    conditions.map((condition) => conditionSql(sql, condition, context, resolved)),
  );
}

function conditionSql(
  sql: Sql,
  condition: Condition,
  context: Context,
  resolved: ResolvedQuery,
): SqlFragment {
  switch (condition.kind) {
    case 'statuses':
      return condition.statuses.length === 1
        ? sql`status = ${condition.statuses[0] ?? ''}`
        : sql`status = any(${[...condition.statuses]}::text[])`;
    case 'range':
      return rangeSql(sql, condition, context);
    case 'numbers':
      return sql`${sql(nameOf(context, condition.column))} = any(${[...condition.values]}::double precision[])`;
    case 'words':
      return sql`${sql(nameOf(context, condition.column))} = any(${[...condition.values]}::text[])`;
    case 'flag':
      return flagSql(sql, condition);
    case 'list':
      return condition.all
        ? sql`${sql(columnOf(condition.column))} @> ${[...condition.values]}::text[]`
        : sql`${sql(columnOf(condition.column))} && ${[...condition.values]}::text[]`;
    case 'open':
      return sql`open_houses && tstzrange(${condition.from ?? null}::timestamptz, ${condition.before ?? null}::timestamptz)`;
    case 'address':
      return sql`(address_key >= ${condition.key} and address_key < ${`${condition.key}\u{10ffff}`})`;
    case 'text':
      return textSql(sql, condition, resolved);
    case 'areas':
      return sql`area_nos && ${[...resolved.areaNos]}::integer[]`;
    case 'boxes':
      return boxesSql(sql, condition.boxes);
    case 'circle':
      return sql`${boxesSql(sql, condition.boxes)} and ${distanceSql(sql, condition.centre)} <= ${condition.km}::double precision`;
    case 'polygon':
      return sql`${boxesSql(sql, condition.boxes)} and ${anyOf(
        sql,
        condition.parts.map((part) => partSql(sql, part)),
      )}`;
  }
}

function flagSql(sql: Sql, { column, value }: Extract<Condition, { kind: 'flag' }>): SqlFragment {
  if (column === 'hasLivingArea') return value ? sql`living_area is not null` : sql`living_area is null`;
  if (column === 'hasConcession') return value ? sql`months_free > 0` : sql`coalesce(months_free, 0) <= 0`;
  return sql`${sql(columnOf(column))} = ${value}`;
}

function rangeSql(
  sql: Sql,
  { column, min, max, below }: Extract<Condition, { kind: 'range' }>,
  context: Context,
): SqlFragment {
  const name =
    column === 'daysOnMarket' ? daysSql(sql, context.startedAt) : sql`${sql(nameOf(context, column))}`;
  const type = typeOf(sql, column);
  const parts = [
    min === undefined ? null : sql`${name} >= ${min}::${type}`,
    max === undefined ? null : sql`${name} <= ${max}::${type}`,
    below === undefined ? null : sql`${name} < ${below}::${type}`,
  ];
  return allOf(
    sql,
    parts.filter((part) => part !== null),
  );
}

function typeOf(sql: Sql, column: RangeColumn): SqlFragment {
  if (column === 'availableFrom') return sql`date`;
  return column.endsWith('At') ? sql`timestamptz` : sql`double precision`;
}

/** The box operator uses the index, but has a tolerance; the comparisons are exact. */
function boxesSql(sql: Sql, boxes: readonly (readonly [number, number, number, number])[]): SqlFragment {
  const parts = boxes.map(
    ([
      minLng,
      minLat,
      maxLng,
      maxLat,
    ]) => sql`(location <@ ${`((${minLng},${minLat}),(${maxLng},${maxLat}))`}::box
      and location[0] between ${minLng}::double precision and ${maxLng}::double precision
      and location[1] between ${minLat}::double precision and ${maxLat}::double precision)`,
  );
  return anyOf(sql, parts);
}

/** A power of two, so that scaling is exact. */
const POLYGON_SCALE = 1024;

/** Within the shell or on its edges, and not inside a hole; edges of holes belong to the part. */
function partSql(sql: Sql, { shell, holes }: Part): SqlFragment {
  const at = sql`location * point(${POLYGON_SCALE}::double precision, 0)`;
  const within = sql`${at} <@ ${cornersOf(shell)}::polygon`;
  // A closed path is its edges alone.
  const outside = holes.map(
    (hole) =>
      sql`not (${at} <@ ${cornersOf(hole)}::polygon and (${at} <-> ${cornersOf(hole)}::path) > ${EDGE}::double precision)`,
  );
  return sql`(${allOf(sql, [within, ...outside])})`;
}

/** PostgreSQL treats smaller lengths as zero. */
const EDGE = 1e-6;

/**
 * PostgreSQL treats lengths and products of lengths below 1e-6 as zero: in degrees, every point near an edge of a
 * hundred metres would be on it. Scaled up, that is about a millimetre, still above the rounding of points on an edge.
 */
function cornersOf(points: readonly Point[]): string {
  return `(${points.map(({ lng, lat }) => `(${lng * POLYGON_SCALE},${lat * POLYGON_SCALE})`).join()})`;
}

export function allOf(sql: Sql, parts: readonly SqlFragment[]): SqlFragment {
  return parts.length === 0 ? sql`true` : joinSql(parts, ' and ');
}

function anyOf(sql: Sql, parts: readonly SqlFragment[]): SqlFragment {
  return parts.length === 0 ? sql`false` : sql`(${joinSql(parts, ' or ')})`;
}
