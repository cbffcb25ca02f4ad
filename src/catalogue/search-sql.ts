// Owns how a plan becomes SQL. Pure: fragments are only put together here, and run by the store.

import type { Sql, SqlFragment } from '../postgres/database.ts';
import { together } from '../postgres/fragments.ts';
import type { Cursor, SortValue } from './cursor.ts';
import { EARTH_RADIUS_KM, type Point } from './geometry.ts';
import type { Condition, Order, RangeColumn, SearchPlan, WordColumn } from './search.ts';
import type { SortKey } from './search-parameters.ts';

const COLUMNS: Readonly<Record<RangeColumn | WordColumn | Exclude<SortKey, 'daysOnMarket'>, string>> = {
  price: 'price',
  closePrice: 'close_price',
  pricePerArea: 'price_per_area',
  bedrooms: 'bedrooms',
  bathrooms: 'bathrooms',
  livingArea: 'living_area',
  lotSize: 'lot_size',
  yearBuilt: 'year_built',
  listedAt: 'listed_at',
  updatedAt: 'updated_at',
  closedAt: 'closed_at',
  priceChangedAt: 'price_changed_at',
  city: 'city',
  neighborhood: 'neighborhood',
  county: 'county',
  state: 'state',
  postalCode: 'postal_code',
  country: 'country',
  propertyType: 'property_type',
  id: 'id',
};

/** Everything a listing must meet, as one boolean expression over listing_search. `areaNos` are the plan's areas. */
export function whereSql(sql: Sql, plan: SearchPlan, areaNos: readonly number[]): SqlFragment {
  const conditions = plan.conditions.map((condition) => conditionSql(sql, condition, areaNos));
  const displayed = plan.ignoreDisplayRules ? sql`` : sql`and displayed`;
  return sql`listing_type = ${plan.listingType} ${displayed} ${together(
    sql,
    conditions.map((condition) => sql`and ${condition}`),
  )}`;
}

function conditionSql(sql: Sql, condition: Condition, areaNos: readonly number[]): SqlFragment {
  switch (condition.kind) {
    case 'statuses':
      return condition.statuses.length === 1
        ? sql`status = ${condition.statuses[0] ?? ''}`
        : sql`status = any(${[...condition.statuses]}::text[])`;
    case 'range':
      return rangeSql(sql, condition);
    case 'numbers':
      return sql`${sql(COLUMNS[condition.column])} = any(${[...condition.values]}::double precision[])`;
    case 'words':
      return sql`${sql(COLUMNS[condition.column])} = any(${[...condition.values]}::text[])`;
    case 'photos':
      return sql`has_photos = ${condition.some}`;
    case 'areas':
      return sql`area_nos && ${[...areaNos]}::integer[]`;
    case 'boxes':
      return boxesSql(sql, condition.boxes);
    case 'circle':
      return sql`${boxesSql(sql, condition.boxes)} and ${distanceSql(sql, condition.centre)} <= ${condition.km}::double precision`;
    case 'polygon':
      return sql`${boxesSql(sql, condition.boxes)} and ${polygonSql(sql, condition.points)}`;
  }
}

function rangeSql(
  sql: Sql,
  { column, least, most, below }: Extract<Condition, { kind: 'range' }>,
): SqlFragment {
  const name = sql(COLUMNS[column]);
  const type = column.endsWith('At') ? sql`timestamptz` : sql`double precision`;
  const parts = [
    least === undefined ? null : sql`${name} >= ${least}::${type}`,
    most === undefined ? null : sql`${name} <= ${most}::${type}`,
    below === undefined ? null : sql`${name} < ${below}::${type}`,
  ];
  return allOf(
    sql,
    parts.filter((part) => part !== null),
  );
}

/** The index finds what is about in the box; the exact edges are compared after it, since its own have a tolerance. */
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
  const [first = sql`false`, ...rest] = parts;
  return rest.length === 0
    ? first
    : sql`(${first} ${together(
        sql,
        rest.map((part) => sql`or ${part}`),
      )})`;
}

/** A power of two, so that a scaled coordinate is as exact as the one in degrees. */
const POLYGON_SCALE = 1024;

/**
 * PostgreSQL takes what is within 1e-6 for zero, in lengths and in products of lengths: in degrees every point about
 * an edge of a hundred metres would count as on it. Scaled up, that is about a millimetre; the rounding of coordinates
 * that lie on a slanting edge is below it still.
 */
function polygonSql(sql: Sql, points: readonly Point[]): SqlFragment {
  const corners = points.map(({ lng, lat }) => `(${lng * POLYGON_SCALE},${lat * POLYGON_SCALE})`);
  return sql`location * point(${POLYGON_SCALE}::double precision, 0) <@ ${`(${corners.join()})`}::polygon`;
}

/** Great-circle kilometres from a point to the listing, by the haversine formula. */
function distanceSql(sql: Sql, { lat, lng }: { readonly lat: number; readonly lng: number }): SqlFragment {
  return sql`${2 * EARTH_RADIUS_KM}::double precision * asin(least(1, sqrt(
    sin(radians(location[1] - ${lat}::double precision) / 2) ^ 2
    + cos(radians(${lat}::double precision)) * cos(radians(location[1]))
      * sin(radians(location[0] - ${lng}::double precision) / 2) ^ 2)))`;
}

/** The value that a key sorts by. Days on market count to the moment that the walk began, so that it stays in order. */
function keySql(sql: Sql, key: SortKey, startedAt: number): SqlFragment {
  if (key !== 'daysOnMarket') return sql`${sql(COLUMNS[key])}`;
  // Without a start they are unknown, where greatest() alone would make them 0.
  return sql`case when clock_start is not null then greatest(0, floor(extract(epoch from
    coalesce(clock_end, ${new Date(startedAt).toISOString()}::timestamptz) - clock_start)::double precision / 86400)) end`;
}

/** A page's rows: ids in order, with the values they are sorted by (s0, s1, ...), one more than asked if there is one. */
export function pageSql(sql: Sql, plan: SearchPlan, where: SqlFragment): SqlFragment {
  const backwards = plan.cursor?.direction === 'previous';
  const order = [...plan.order, ID_ORDER];
  const select = sql`select id ${plan.order.map((by, place) => sql`, ${keySql(sql, by.key, plan.startedAt)} as ${sql(`s${place}`)}`)} from listing_search where ${where}`;
  const orderBy = orderSql(sql, order, plan.startedAt, backwards);
  const limit = sql`limit ${plan.limit + 1}`;
  if (!plan.cursor) return sql`${select} order by ${orderBy} ${limit}`;
  // One branch after the other, each a plain range of one index. PostgreSQL runs them in this order and stops at the
  // limit, so the later ones are read only when the earlier ones do not fill the page.
  const branches = branchesAfter(sql, plan, plan.cursor).map(
    (branch) => sql`(${select} and ${branch} order by ${orderBy} ${limit})`,
  );
  const [first = sql``, ...rest] = branches;
  const all = together(
    sql,
    rest.map((branch) => sql`union all ${branch}`),
  );
  return sql`select * from (${first} ${all}) as branches ${limit}`;
}

const ID_ORDER = { key: 'id', falling: false } as const;
type AnyOrder = Order | typeof ID_ORDER;

function orderSql(sql: Sql, order: readonly AnyOrder[], startedAt: number, backwards: boolean): SqlFragment {
  const parts = order.map((by, place) => {
    const name = by.key === 'id' ? sql`id` : keySql(sql, by.key, startedAt);
    const direction = by.falling === backwards ? sql`asc` : sql`desc`;
    const nulls = by.key === 'id' ? sql`` : backwards ? sql`nulls first` : sql`nulls last`;
    return sql`${place === 0 ? sql`` : sql`,`} ${name} ${direction} ${nulls}`;
  });
  return together(sql, parts);
}

/** What lies beyond the cursor, in the order of the walk: rows that tie on the first key, then those past it. */
function branchesAfter(sql: Sql, plan: SearchPlan, cursor: Cursor): SqlFragment[] {
  const [first, ...others] = plan.order;
  const [value = null, ...values] = cursor.values;
  if (!first) return [];
  const backwards = cursor.direction === 'previous';
  const key = keySql(sql, first.key, plan.startedAt);
  const beyond = [...others, ID_ORDER];
  const rest = restSql(sql, beyond, [...values, cursor.id], plan.startedAt, backwards);
  const tie = sql`${equals(sql, first, key, value)} and ${rest}`;
  // Unknown values come last, so nothing lies beyond them, and all that is known lies before them.
  if (value === null) return backwards ? [tie, sql`${key} is not null`] : [tie];
  const past = compare(sql, first, key, value, backwards);
  return backwards ? [tie, past] : [tie, past, sql`${key} is null`];
}

/** Rows after the values in the order of the remaining keys: past the first of them, or equal in it and after in the rest. */
function restSql(
  sql: Sql,
  order: readonly AnyOrder[],
  values: readonly SortValue[],
  startedAt: number,
  backwards: boolean,
): SqlFragment {
  const [by, ...others] = order;
  const [value = null, ...more] = values;
  if (!by) return sql`false`;
  const key = by.key === 'id' ? sql`id` : keySql(sql, by.key, startedAt);
  const past = pastSql(sql, by, key, value, backwards);
  if (others.length === 0) return past;
  return sql`(${past} or (${equals(sql, by, key, value)} and ${restSql(sql, others, more, startedAt, backwards)}))`;
}

function pastSql(
  sql: Sql,
  by: AnyOrder,
  key: SqlFragment,
  value: SortValue,
  backwards: boolean,
): SqlFragment {
  if (by.key === 'id') return backwards ? sql`id < ${value}` : sql`id > ${value}`;
  if (value === null) return backwards ? sql`${key} is not null` : sql`false`;
  const past = compare(sql, by, key, value, backwards);
  return backwards ? past : sql`(${past} or ${key} is null)`;
}

function compare(
  sql: Sql,
  by: AnyOrder,
  key: SqlFragment,
  value: SortValue,
  backwards: boolean,
): SqlFragment {
  const bound = sql`${value}::${typeSql(sql, by)}`;
  return by.falling === backwards ? sql`${key} > ${bound}` : sql`${key} < ${bound}`;
}

function equals(sql: Sql, by: AnyOrder, key: SqlFragment, value: SortValue): SqlFragment {
  return value === null ? sql`${key} is null` : sql`${key} = ${value}::${typeSql(sql, by)}`;
}

const typeSql = (sql: Sql, by: AnyOrder): SqlFragment =>
  by.key.endsWith('At') ? sql`timestamptz` : sql`double precision`;

function allOf(sql: Sql, parts: readonly SqlFragment[]): SqlFragment {
  const [first = sql`true`, ...rest] = parts;
  return sql`${first} ${together(
    sql,
    rest.map((part) => sql`and ${part}`),
  )}`;
}
