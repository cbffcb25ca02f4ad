// Conditions as SQL over listing_search, and the columns they read. Pure.

import { EARTH_RADIUS_KM, type Point } from '../../geometry/geometry.ts';
import { TOLERANCE } from '../../geometry/polygon-operators.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { isZip } from '../../text/place-key.ts';
import { type Condition, columnOf, type RangeColumn } from '../query/condition.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { POLYGON_SCALE } from '../query/shape-predicate.ts';
import type { Part } from '../query/shapes.ts';
import { textSql } from './text-sql.ts';

/** Whole days on the market until the first page was read, so that later pages keep the order. */
export const daysSql = (sql: Sql, startedAt: number): SqlFragment =>
  // Without a start they are unknown; greatest() alone would make them 0.
  sql`case when days_on_market_start is not null then greatest(0, floor(extract(epoch from
    coalesce(days_on_market_end, ${instantSql(sql, startedAt)}) - days_on_market_start)::double precision / 86400)) end`;

const instantSql = (sql: Sql, milliseconds: number): SqlFragment =>
  sql`${new Date(milliseconds).toISOString()}::timestamptz`;

/** Great-circle kilometres from a point to the listing, by the haversine formula. */
export function distanceSql(sql: Sql, { lat, lng }: Point): SqlFragment {
  return sql`${2 * EARTH_RADIUS_KM}::double precision * asin(least(1, sqrt(
    sin(radians(location[1] - ${lat}::double precision) / 2) ^ 2
    + cos(radians(${lat}::double precision)) * cos(radians(location[1]))
      * sin(radians(location[0] - ${lng}::double precision) / 2) ^ 2)))`;
}

/** The parts of a plan that conditions depend on. */
export type Context = Pick<SearchPlan, 'listingType' | 'ignoreDisplayRules' | 'startedAt'>;

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

/** The SQL of a condition over a row of listing_search. */
type ConditionSql<C extends Condition> = (
  sql: Sql,
  condition: C,
  context: Context,
  resolved: ResolvedQuery,
) => SqlFragment;

/** The SQL of each kind. Its predicate over one row is in search/query/condition-kinds.ts. */
const SQL_OF_KINDS: {
  readonly [K in Condition['kind']]: ConditionSql<Extract<Condition, { readonly kind: K }>>;
} = {
  statuses: (sql, { statuses }) =>
    statuses.length === 1 ? sql`status = ${statuses[0] ?? ''}` : sql`status = any(${[...statuses]}::text[])`,
  range: rangeSql,
  numbers: (sql, { column, values }) =>
    sql`${sql(columnOf(column))} = any(${[...values]}::double precision[])`,
  words: wordsSql,
  flag: flagSql,
  list: (sql, { column, values, all }) =>
    all
      ? sql`${sql(columnOf(column))} @> ${[...values]}::text[]`
      : sql`${sql(columnOf(column))} && ${[...values]}::text[]`,
  open: (sql, { from, before }) =>
    sql`open_houses && tstzrange(${from ?? null}::timestamptz, ${before ?? null}::timestamptz)`,
  address: (sql, { key }) => sql`(address_key >= ${key} and address_key < ${`${key}\u{10ffff}`})`,
  text: (sql, condition, _context, resolved) => textSql(sql, condition, resolved),
  areas: (sql, _condition, _context, { areaNos }) => sql`area_nos && ${[...areaNos]}::integer[]`,
  boxes: (sql, { boxes }) => boxesSql(sql, boxes),
  circle: (sql, { boxes, centre, km }) =>
    sql`${boxesSql(sql, boxes)} and ${distanceSql(sql, centre)} <= ${km}::double precision`,
  polygon: (sql, { boxes, parts }) =>
    sql`${boxesSql(sql, boxes)} and ${anyOf(
      sql,
      parts.map((part) => partSql(sql, part)),
    )}`,
};

const conditionSql: ConditionSql<Condition> = (sql, condition, ...context) =>
  (SQL_OF_KINDS[condition.kind] as ConditionSql<Condition>)(sql, condition, ...context);

function wordsSql(sql: Sql, { column, values }: Extract<Condition, { kind: 'words' }>): SqlFragment {
  const same = sql`${sql(columnOf(column))} = any(${[...values]}::text[])`;
  const zips = column === 'postalCode' ? values.filter(isZip) : [];
  if (zips.length === 0) return same;
  // Those with a delivery route follow their ZIP code in the index.
  const routes = zips.map((zip) => sql`postal_code between ${`${zip}0000`} and ${`${zip}9999`}`);
  return sql`(${same} or (${anyOf(sql, routes)} and postal_code ~ '^[0-9]{9}$'))`;
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
  const name = column === 'daysOnMarket' ? daysSql(sql, context.startedAt) : sql`${sql(columnOf(column))}`;
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

/** Within the shell or on its edges, and not inside a hole; edges of holes belong to the part. */
function partSql(sql: Sql, { shell, holes }: Part): SqlFragment {
  const at = sql`location * point(${POLYGON_SCALE}::double precision, 0)`;
  const within = sql`${at} <@ ${cornersOf(shell)}::polygon`;
  // A closed path is its edges alone.
  const outside = holes.map(
    (hole) =>
      sql`not (${at} <@ ${cornersOf(hole)}::polygon and (${at} <-> ${cornersOf(hole)}::path) > ${TOLERANCE}::double precision)`,
  );
  return sql`(${allOf(sql, [within, ...outside])})`;
}

/** The corners as text, scaled. */
function cornersOf(points: readonly Point[]): string {
  return `(${points.map(({ lng, lat }) => `(${lng * POLYGON_SCALE},${lat * POLYGON_SCALE})`).join()})`;
}

export function allOf(sql: Sql, parts: readonly SqlFragment[]): SqlFragment {
  return parts.length === 0 ? sql`true` : joinSql(parts, ' and ');
}

function anyOf(sql: Sql, parts: readonly SqlFragment[]): SqlFragment {
  return parts.length === 0 ? sql`false` : sql`(${joinSql(parts, ' or ')})`;
}
