// SQL that reads areas: lists in every order, one area, its boundary, nearby areas.

import type { Reach } from '../access/tiers/reach.ts';
import { type Boundary, type Box, EARTH_RADIUS_KM } from '../geometry/geometry.ts';
import { openNumberSql } from '../licence/open-sql.ts';
import type { AreaType } from '../listings/vocabulary.ts';
import type { Database, Sql, SqlFragment } from '../postgres/client/database.ts';
import { joinSql } from '../postgres/client/sql.ts';
import type { Area } from './area.ts';
import type { IndexedArea } from './name-index.ts';
import type { AreaInclude, AreaQuery } from './query.ts';

/** Generations of ancestors to follow: a file may make areas parents of each other. */
const GENERATIONS = 32;

/** An area as selected by `columns`; `bbox` as stored. */
type AreaRow = Area & { readonly no: number; readonly version: number };

/** An area with its number and the version that its ETag is made of. */
export interface ReadArea {
  readonly area: Area;
  readonly no: number;
  readonly version: number;
}

/** An area of a list with its sort value. */
export type ListedArea = ReadArea & { readonly sortValue: string | number | null };

/** One page of areas. */
export async function findAreas(sql: Sql, query: AreaQuery): Promise<ListedArea[]> {
  const key = orderKey(sql, query);
  const down = query.order.descending ? sql`desc` : sql``;
  const rows = await sql<(AreaRow & { sortValue: string | number | null })[]>`
    select ${columns(sql, query.include)}, ${key} as "sortValue" from area
    where ${conditions(sql, query)} ${query.after === null ? sql`` : sql`and ${beyond(sql, query, key)}`}
    order by ${key} ${down} nulls last, id limit ${query.limit}`;
  return rows.map(({ sortValue, ...row }) => ({ ...readArea(row), sortValue }));
}

/** The numbers of all areas that meet the query's conditions. */
export async function findAreaNos(sql: Sql, query: AreaQuery): Promise<number[]> {
  const rows = await sql<{ no: number }[]>`select no from area where ${conditions(sql, query)}`;
  return rows.map(({ no }) => no);
}

/** The areas with these numbers, in their order. */
export async function findAreasByNo(
  sql: Sql,
  nos: readonly number[],
  include: AreaInclude,
): Promise<ReadArea[]> {
  const rows = await sql<AreaRow[]>`
    select ${columns(sql, include)} from area where no = any(${[...nos]}::integer[])
    order by array_position(${[...nos]}::integer[], no)`;
  return rows.map(readArea);
}

/** Ids of the sources of the open listings that these areas count. */
export async function findCountedSources(
  database: Database,
  nos: readonly number[],
  reach: Reach,
): Promise<string[]> {
  const rows = await database.read(
    (sql) => sql<{ source: string }[]>`
      select distinct source from licence where no in (
        select licence_no from area_count where area_no = any(${[...nos]}::integer[]) and active > 0
          and ${openNumberSql(sql, reach)})`,
    { planned: 'once' },
  );
  return rows.map(({ source }) => source);
}

export async function findArea(sql: Sql, id: string, include: AreaInclude): Promise<ReadArea | null> {
  const [row] = await sql<AreaRow[]>`select ${columns(sql, include)} from area where id = ${id}`;
  return row ? readArea(row) : null;
}

/** The number of an area; null without such an area. */
export async function findAreaNo(sql: Sql, id: string): Promise<number | null> {
  const [row] = await sql<{ no: number }[]>`select no from area where id = ${id}`;
  return row?.no ?? null;
}

/** The stored boundary of an area, null if it has none; undefined without such an area. */
export async function findBoundary(
  sql: Sql,
  id: string,
): Promise<Pick<AreaRow, 'name' | 'type' | 'boundary' | 'version'> | undefined> {
  const [row] = await sql<Pick<AreaRow, 'name' | 'type' | 'boundary' | 'version'>[]>`
    select name, type, boundary, version from area where id = ${id}`;
  return row;
}

/** A page of the areas near another one. */
export interface NearbyQuery {
  readonly no: number;
  readonly type: AreaType | null;
  readonly limit: number;
  readonly include: AreaInclude;
  /** Distance and id of the last area of the page before. */
  readonly after: readonly [number, string] | null;
}

export interface NearbyArea extends ReadArea {
  readonly area: Area & { readonly distanceKm: number };
}

/** Other areas by the distance between the centroids; none if the area has no centroid. */
export async function findNearby(sql: Sql, query: NearbyQuery): Promise<NearbyArea[]> {
  const { after, type } = query;
  const rows = await sql<{ no: number; distance: number }[]>`
    with near as (
      select area.no, area.id, ${2 * EARTH_RADIUS_KM}::float8 * asin(least(1, sqrt(
        sin(radians(area.centroid_lat - here.centroid_lat) / 2) ^ 2 +
        cos(radians(here.centroid_lat)) * cos(radians(area.centroid_lat)) *
        sin(radians(area.centroid_lng - here.centroid_lng) / 2) ^ 2))) as distance
      from area as here join area on area.no <> here.no
      where here.no = ${query.no} and here.centroid_lat is not null and area.centroid_lat is not null
        ${type === null ? sql`` : sql`and area.type = ${type}`})
    select no, distance from near
    ${after === null ? sql`` : sql`where (distance, id) > (${after[0]}::float8, ${after[1]}::text)`}
    order by distance, id limit ${query.limit}`;
  const distances = new Map(rows.map(({ no, distance }) => [no, distance]));
  const areas = await findAreasByNo(sql, [...distances.keys()], query.include);
  return areas.map((read) => ({
    ...read,
    area: { ...read.area, distanceKm: distances.get(read.no) ?? 0 },
  }));
}

/** Areas with a boundary whose box contains the point, give or take a millionth of a degree. */
export async function findAround(
  sql: Sql,
  lng: number,
  lat: number,
): Promise<{ no: number; version: number }[]> {
  return sql<{ no: number; version: number }[]>`
    select no, version from area
    where (box(point(bbox[1], bbox[2]), point(bbox[3], bbox[4])) @> point(${lng}::float8, ${lat}::float8)
        or box(point(bbox[1], bbox[2]), point(bbox[3], bbox[4])) @> point(${lng + 360}::float8, ${lat}::float8))
      and boundary is not null`;
}

export async function findBoundaries(
  sql: Sql,
  nos: readonly number[],
): Promise<{ no: number; version: number; boundary: Boundary }[]> {
  return sql<{ no: number; version: number; boundary: Boundary }[]>`
    select no, version, boundary from area where no = any(${[...nos]}::integer[]) and boundary is not null`;
}

function conditions(sql: Sql, query: AreaQuery): SqlFragment {
  const { words, nos, type, parentNo, ancestorNo, boxes, hasBoundary } = query;
  return sql`true
    ${type === null ? sql`` : sql`and type = ${type}`}
    ${hasBoundary === null ? sql`` : sql`and (boundary is not null) = ${hasBoundary}`}
    ${parentNo === null ? sql`` : sql`and no in (select child_no from area_edge where parent_no = ${parentNo})`}
    ${ancestorNo === null ? sql`` : sql`and no in (${descendants(sql, ancestorNo)})`}
    ${nos === null ? sql`` : sql`and no = any(${[...nos]}::integer[])`}
    ${boxes === null ? sql`` : sql`and (false ${joinSql(boxes.flatMap(andPastTheEdge).map(meeting(sql)))})`}
    ${joinSql(
      words.map(
        ({ beginning, forms }) => sql`and exists (select from area_word where area_no = area.no and
          (word >= ${beginning} and word < ${`${beginning}\u{10ffff}`} or word = any(${[...forms]}::text[])))`,
      ),
    )}`;
}

/** Areas across the antimeridian are stored with an eastern edge past 180. */
const andPastTheEdge = (box: Box): Box[] => [box, [box[0] + 360, box[1], box[2] + 360, box[3]]];

const publicBox = ([west = 0, south = 0, east = 0, north = 0]: readonly number[]): number[] => [
  west,
  south,
  east > 180 ? east - 360 : east,
  north,
];

/** The box operator uses the index, but has a tolerance of a millionth of a degree; the comparisons are exact. */
const meeting =
  (sql: Sql) =>
  ([minLng, minLat, maxLng, maxLat]: Box): SqlFragment =>
    sql`or (
    box(point(bbox[1], bbox[2]), point(bbox[3], bbox[4])) &&
      box(point(${minLng}::float8, ${minLat}::float8), point(${maxLng}::float8, ${maxLat}::float8))
    and bbox[1] <= ${maxLng}::float8 and bbox[3] >= ${minLng}::float8
    and bbox[2] <= ${maxLat}::float8 and bbox[4] >= ${minLat}::float8)`;

const descendants = (sql: Sql, no: number): SqlFragment => sql`
  with recursive below as (
    select child_no, 1 as depth from area_edge where parent_no = ${no}
    union
    select edge.child_no, depth + 1 from area_edge as edge join below on edge.parent_no = below.child_no
    where depth < ${GENERATIONS})
  select child_no from below where child_no <> ${no}`;

function orderKey(sql: Sql, { order: { key }, include }: AreaQuery): SqlFragment {
  if (key === 'name') return sql`name collate "C"`;
  if (key === 'population') return sql`population`;
  return sql`coalesce((
    select sum(active)::integer from area_count where area_no = area.no and ${openNumberSql(sql, include.reach)}), 0)`;
}

/** Rows after the last one of the page before: nulls stand last in either direction. */
function beyond(sql: Sql, { after, order }: AreaQuery, key: SqlFragment): SqlFragment {
  const [value, id] = after ?? [null, ''];
  if (value === null) return sql`(${key} is null and id > ${id})`;
  const bound = order.key === 'name' ? sql`${value}::text collate "C"` : sql`${value}::float8`;
  const further = order.descending ? sql`${key} < ${bound}` : sql`${key} > ${bound}`;
  return sql`(${further} or ${key} is null or ${key} = ${bound} and id > ${id})`;
}

/** The members of an area in the order of its schema. */
const columns = (sql: Sql, include: AreaInclude): SqlFragment => sql`
  no, version, id, 'area' as object, name, slug, type, parent_id as "parentId",
  array(select parent.id from area_edge join area as parent on parent.no = parent_no
    where child_no = area.no order by ordinal) as "parentIds",
  ${include.ancestors ? ancestors(sql) : sql`null::json`} as ancestors,
  case when centroid_lat is not null then json_build_object('lat', centroid_lat, 'lng', centroid_lng) end as centroid,
  bbox, boundary is not null as "hasBoundary", ${include.boundary ? sql`boundary` : sql`null`} as boundary,
  area_km2 as "areaKm2", time_zone as timezone, null as currency, aliases,
  json_build_object('fips', codes->>'fips', 'postal', codes->>'postal', 'iso', codes->>'iso') as codes, population,
  ${include.counts ? activeCounts(sql, include.reach) : sql`null::json`} as counts, source`;

const activeCounts = (sql: Sql, reach: Reach): SqlFragment => sql`(
  select json_build_object(
    'rentals', coalesce(sum(active) filter (where listing_type = 'rental'), 0),
    'sales', coalesce(sum(active) filter (where listing_type = 'sale'), 0))
  from area_count where area_no = area.no and ${openNumberSql(sql, reach)})`;

/** Every ancestor once, nearest first; primary parents before others of the same generation. */
const ancestors = (sql: Sql): SqlFragment => sql`coalesce((
  with recursive chain as (
    select parent_no, ordinal, 1 as depth from area_edge where child_no = area.no
    union
    select edge.parent_no, edge.ordinal, depth + 1
    from area_edge as edge join chain on edge.child_no = chain.parent_no where depth < ${GENERATIONS}),
  nearest as (
    select distinct on (parent_no) parent_no, depth, ordinal from chain where parent_no <> area.no
    order by parent_no, depth, ordinal)
  select json_agg(json_build_object('id', around.id, 'name', around.name, 'type', around.type)
    order by depth, ordinal, around.id)
  from nearest join area as around on around.no = parent_no), '[]')`;

const readArea = ({ no, version, ...area }: AreaRow): ReadArea => ({
  no,
  version,
  area: { ...area, bbox: area.bbox && publicBox(area.bbox) },
});

/** Names of areas, the best known first: by population, then by size. */
export async function findIndexedAreas(sql: Sql, limit: number): Promise<IndexedArea[]> {
  return sql<IndexedArea[]>`
    select no, type, name, aliases, codes from area
    order by population desc nulls last, area_km2 desc nulls last, no limit ${limit}`;
}

/** The time zone of each area: its own, or that of its nearest ancestor with one. Areas without any are left out. */
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
