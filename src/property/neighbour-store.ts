// SQL of homes near a place, to be compared with the one that stands there.

import {
  type Box,
  boxesAround,
  degreesWithin,
  distanceKm,
  EARTH_RADIUS_KM,
  type Point,
} from '../geometry/geometry.ts';
import type { ListingType, Status } from '../listings/vocabulary.ts';
import type { Database, Sql, SqlFragment } from '../postgres/client/database.ts';
import { joinSql } from '../postgres/client/sql.ts';
import { comparableTypes, type HomeFacts } from './similarity.ts';

/** Which homes are looked for. */
export interface NeighbourQuery {
  readonly listingType: ListingType;
  readonly subject: HomeFacts;
  /** Only homes whose price is in it, ISO 4217; null: any. */
  readonly currency: string | null;
  readonly radiusKm: number;
  /** Listings that are not compared: the subject's own. */
  readonly except: readonly string[];
  /** Those that closed on or after this day, YYYY-MM-DD; null: only what is on the market. */
  readonly closedSince: string | null;
  /** What had not closed by this moment is left out, and so is what closed after it. Milliseconds since the epoch. */
  readonly now: number;
  /** Also what the source asks not to show. */
  readonly ignoreDisplayRules: boolean;
}

/** A home near the subject, as far as it is compared. Prices of rentals are per month. */
export interface Neighbour extends HomeFacts {
  readonly id: string;
  readonly propertyId: string;
  readonly status: Status;
  readonly price: number | null;
  readonly closePrice: number | null;
  readonly closedAt: string | null;
}

/** The nearest that are looked at; more would not be more alike. */
export const MOST_NEIGHBOURS = 200;

/** The nearest homes of the subject's kind with a price, and half to double its living area, nearest first. */
export async function findNeighbours(database: Database, query: NeighbourQuery): Promise<Neighbour[]> {
  const { location } = query.subject;
  const read = (asked: NeighbourQuery, fewer: number | null) =>
    database.read((sql) => selectNeighbours(sql, asked, fewer), { planned: 'once' });
  if (!isPlane(boxesAround(location, query.radiusKm))) return homesIn(await read(query, null));
  const looked = mostLookedAt(location);
  const rows = await read(query, looked);
  const homes = homesIn(rows);
  const last = homes.length === MOST_NEIGHBOURS ? homes.at(-1) : undefined;
  const radiusKm = last ? distanceKm(location, last.location) * A_HAIR_MORE : query.radiusKm;
  const [told] = rows;
  // Of those that are as far as the farthest by degrees, only some may have been looked at.
  const seenAll =
    told !== undefined && (told.looked < looked || degreesWithin(location, radiusKm) < told.reach);
  return seenAll
    ? homes
    : homesIn(await read({ ...query, radiusKm: Math.min(radiusKm, query.radiusKm) }, null));
}

/** Whether places that are near have degrees that are near: not so across the antimeridian, nor around a pole. */
const isPlane = ([box, ...others]: readonly Box[]): boolean =>
  box !== undefined && others.length === 0 && box[2] - box[0] < 360;

/**
 * In a town thousands lie within the radius. The index of places gives the nearest by degrees, of which those east and west
 * are nearer than they seem: so many hold the nearest by distance, where homes lie evenly, and some to spare.
 */
const mostLookedAt = ({ lat }: Point): number =>
  Math.min(5 * MOST_NEIGHBOURS, Math.ceil((1.3 * MOST_NEIGHBOURS) / Math.cos((lat * Math.PI) / 180)));

/** Two ways to reckon one distance may differ by its last digits. */
const A_HAIR_MORE = 1 + 1e-9;

/** A home with what is told of all that were looked at: how many, and how far the farthest is by degrees. */
interface Row extends Omit<Neighbour, 'location' | 'id'>, Point {
  /** Null where none was near. */
  readonly id: string | null;
  readonly looked: number;
  readonly reach: number;
}

const homesIn = (rows: readonly Row[]): Neighbour[] =>
  rows.flatMap(({ id, lat, lng, looked: _, reach: __, ...home }) =>
    id === null ? [] : [{ id, ...home, location: { lat, lng } }],
  );

/** @param looked of so many that are nearest by degrees; null: of all */
function selectNeighbours(sql: Sql, query: NeighbourQuery, looked: number | null): Promise<Row[]> {
  const { lat, lng } = query.subject.location;
  const apart = sql`location <-> point(${lng}, ${lat})`;
  const nearest = looked === null ? sql`` : sql`order by ${apart} limit ${looked}`;
  return sql<Row[]>`
    with seen as materialized (
      select listing_search.*, ${distanceSql(sql, query.subject.location)} as km, ${apart} as degrees
      from listing_search where ${homesSql(sql, query)} ${nearest}),
    near as (
      select * from seen where km <= ${query.radiusKm}::double precision order by km, id limit ${MOST_NEIGHBOURS}),
    told as (select count(*)::int as looked, coalesce(max(degrees), 0) as reach from seen)
    select near.id, listing.property_id as "propertyId", near.status, near.property_type as "propertyType",
      near.location[1] as lat, near.location[0] as lng, near.living_area as "livingArea", near.bedrooms,
      near.bathrooms, near.lot_size as "lotSize", near.year_built as "yearBuilt", near.waterfront, near.price,
      near.close_price as "closePrice", near.closed_at as "closedAt", looked, reach
    from told left join (near join listing on listing.id = near.id) on true order by near.km, near.id`;
}

/** Homes that may be compared, in the boxes around the radius. */
function homesSql(sql: Sql, query: NeighbourQuery): SqlFragment {
  const { subject, listingType, currency, radiusKm, except, ignoreDisplayRules } = query;
  return sql`listing_type = ${listingType} and ${displayedSql(sql, ignoreDisplayRules)}
    and property_type = any(${[...comparableTypes(subject.propertyType)]}::text[])
    and (${boxesSql(sql, subject.location, radiusKm)})
    and price > 0 ${currency === null ? sql`` : sql`and currency = ${currency}`} and id <> all(${[...except]}::text[])
    and ${sizeSql(sql, subject.livingArea)} and ${marketSql(sql, query)}`;
}

const displayedSql = (sql: Sql, ignoreDisplayRules: boolean): SqlFragment =>
  ignoreDisplayRules ? sql`true` : sql`displayed`;

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
