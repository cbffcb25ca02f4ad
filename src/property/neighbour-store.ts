// SQL of the homes near a subject, to be compared with it.

import type { Reach } from '../access/tiers/reach.ts';
import {
  type Box,
  boxesAround,
  degreesWithin,
  distanceKm,
  EARTH_RADIUS_KM,
  type Point,
} from '../geometry/geometry.ts';
import { openSql } from '../licence/open-sql.ts';
import type { ListingType, Status } from '../listings/vocabulary.ts';
import type { Database, Sql, SqlFragment } from '../postgres/client/database.ts';
import { joinSql } from '../postgres/client/sql.ts';
import { comparableTypes, type HomeFacts } from './similarity.ts';

/** Which homes to find. */
export interface NeighbourQuery {
  readonly listingType: ListingType;
  readonly subject: HomeFacts;
  /** Only homes whose price is in it, ISO 4217; null: any. */
  readonly currency: string | null;
  readonly radiusKm: number;
  /** Listings to leave out: the subject's own. */
  readonly except: readonly string[];
  /** Includes homes that closed on or after this day, YYYY-MM-DD; null: only what is on the market. */
  readonly closedSince: string | null;
  /** Leaves out homes that closed later. Milliseconds since the epoch. */
  readonly now: number;
  /** Includes listings that display rules hide. */
  readonly ignoreDisplayRules: boolean;
  /** What is open to the reader. */
  readonly reach: Reach;
}

/** A home near the subject. Prices of rentals are per month. */
export interface Neighbour extends HomeFacts {
  readonly id: string;
  readonly propertyId: string;
  readonly source: string;
  readonly status: Status;
  readonly price: number | null;
  readonly closePrice: number | null;
  readonly closedAt: string | null;
}

/** Homes that are compared; more distant ones would not be more similar. */
export const MAX_NEIGHBOURS = 200;

/** The nearest homes of the subject's kind with a price, and half to double its living area, nearest first. */
export async function findNeighbours(database: Database, query: NeighbourQuery): Promise<Neighbour[]> {
  const { location } = query.subject;
  const read = (request: NeighbourQuery, candidates: number | null) =>
    database.read((sql) => selectNeighbours(sql, request, candidates), { planned: 'once' });
  if (!isPlane(boxesAround(location, query.radiusKm))) return parseRows(await read(query, null));
  const limit = maxCandidates(location);
  const rows = await read(query, limit);
  const homes = parseRows(rows);
  const last = homes.length === MAX_NEIGHBOURS ? homes.at(-1) : undefined;
  const radiusKm = last ? distanceKm(location, last.location) * ROUNDING_MARGIN : query.radiusKm;
  const [row] = rows;
  // Of homes as far as the farthest by degrees, the limit may have cut off some.
  const isComplete =
    row !== undefined && (row.candidates < limit || degreesWithin(location, radiusKm) < row.reach);
  return isComplete
    ? homes
    : parseRows(await read({ ...query, radiusKm: Math.min(radiusKm, query.radiusKm) }, null));
}

/** Whether nearby places have nearby degrees: not so across the antimeridian and around a pole. */
const isPlane = ([box, ...others]: readonly Box[]): boolean =>
  box !== undefined && others.length === 0 && box[2] - box[0] < 360;

/**
 * How many homes to read by distance in degrees, which the index orders by: in a town thousands are within the radius.
 * Degrees overstate distances east and west, so this many contain the nearest if homes are spread evenly.
 */
const maxCandidates = ({ lat }: Point): number =>
  Math.min(5 * MAX_NEIGHBOURS, Math.ceil((1.3 * MAX_NEIGHBOURS) / Math.cos((lat * Math.PI) / 180)));

/** Two ways to compute one distance may differ in the last digits. */
const ROUNDING_MARGIN = 1 + 1e-9;

/** A home, with the number of candidates and the distance of the farthest in degrees. */
interface CandidateRow extends Omit<Neighbour, 'location' | 'id'>, Point {
  /** Null if no candidate is within the radius. */
  readonly id: string | null;
  readonly candidates: number;
  readonly reach: number;
}

const parseRows = (rows: readonly CandidateRow[]): Neighbour[] =>
  rows.flatMap(({ id, lat, lng, candidates: _, reach: __, ...home }) =>
    id === null ? [] : [{ id, ...home, location: { lat, lng } }],
  );

/** @param candidates reads only this many, the nearest by degrees; null: all */
function selectNeighbours(
  sql: Sql,
  query: NeighbourQuery,
  candidates: number | null,
): Promise<CandidateRow[]> {
  const { lat, lng } = query.subject.location;
  const degrees = sql`location <-> point(${lng}, ${lat})`;
  const nearest = candidates === null ? sql`` : sql`order by ${degrees} limit ${candidates}`;
  return sql<CandidateRow[]>`
    with candidate as materialized (
      select listing_search.*, ${distanceSql(sql, query.subject.location)} as km, ${degrees} as degrees
      from listing_search where ${homesSql(sql, query)} ${nearest}),
    near as (
      select * from candidate where km <= ${query.radiusKm}::double precision order by km, id limit ${MAX_NEIGHBOURS}),
    summary as (select count(*)::int as candidates, coalesce(max(degrees), 0) as reach from candidate)
    select near.id, listing.property_id as "propertyId", listing.source, near.status, near.property_type as "propertyType",
      near.location[1] as lat, near.location[0] as lng, near.living_area as "livingArea", near.bedrooms,
      near.bathrooms, near.lot_size as "lotSize", near.year_built as "yearBuilt", near.waterfront, near.price,
      near.close_price as "closePrice", near.closed_at as "closedAt", candidates, reach
    from summary left join (near join listing on listing.id = near.id) on true order by near.km, near.id`;
}

/** Comparable homes in the boxes around the radius. */
function homesSql(sql: Sql, query: NeighbourQuery): SqlFragment {
  const { subject, listingType, currency, radiusKm, except, ignoreDisplayRules, reach } = query;
  return sql`listing_type = ${listingType} and ${ignoreDisplayRules ? sql`true` : sql`displayed`} and ${openSql(sql, reach)}
    and property_type = any(${[...comparableTypes(subject.propertyType)]}::text[])
    and (${boxesSql(sql, subject.location, radiusKm)})
    and not guessed and price > 0 ${currency === null ? sql`` : sql`and currency = ${currency}`} and id <> all(${[...except]}::text[])
    and ${sizeSql(sql, subject.livingArea)} and ${marketSql(sql, query)}`;
}

/** Whether a place lies in the boxes around a radius. */
export function boxesSql(sql: Sql, centre: Point, km: number): SqlFragment {
  const boxes = boxesAround(centre, km).map(
    ([minLng, minLat, maxLng, maxLat], place) =>
      sql`${place === 0 ? sql`` : sql`or`} location <@ box(point(${minLng}, ${minLat}), point(${maxLng}, ${maxLat}))`,
  );
  return joinSql(boxes);
}

function sizeSql(sql: Sql, livingArea: number | null): SqlFragment {
  if (!livingArea) return sql`true`;
  return sql`living_area between ${livingArea / 2}::double precision and ${livingArea * 2}::double precision`;
}

function marketSql(sql: Sql, { closedSince, now }: NeighbourQuery): SqlFragment {
  const offered = sql`status in ('ACTIVE', 'ACTIVE_UNDER_CONTRACT')`;
  if (closedSince === null) return offered;
  return sql`(${offered} or (status = 'CLOSED' and closed_at >= ${closedSince}::timestamptz
    and closed_at <= ${new Date(now).toISOString()}::timestamptz))`;
}

/** Great-circle kilometres from the centre (haversine). */
function distanceSql(sql: Sql, { lat, lng }: Point): SqlFragment {
  return sql`${2 * EARTH_RADIUS_KM}::double precision * asin(least(1, sqrt(
    sin(radians(location[1] - ${lat}::double precision) / 2) ^ 2
    + cos(radians(${lat}::double precision)) * cos(radians(location[1]))
      * sin(radians(location[0] - ${lng}::double precision) / 2) ^ 2)))`;
}
