// Owns the SQL that reads homes near a place, to be compared with the one that stands there.

import type { Database, Sql, SqlFragment } from '../postgres/database.ts';
import { together } from '../postgres/fragments.ts';
import type { StoredListing } from './catalogue.ts';
import { boxesAround, EARTH_RADIUS_KM, type Point } from './geometry.ts';
import { storedColumns } from './listing-read-store.ts';
import { comparableTypes, type HomeFacts } from './similarity.ts';
import type { ListingType, Status } from './vocabulary.ts';

/** Which homes are looked for. */
export interface NeighbourQuery {
  readonly listingType: ListingType;
  readonly subject: HomeFacts;
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
  readonly currency: string;
}

/** The nearest that are looked at; more would not be more alike. */
export const MOST_NEIGHBOURS = 200;

/** The nearest homes of the subject's kind with a price, and half to double its living area, nearest first. */
export async function findNeighbours(database: Database, query: NeighbourQuery): Promise<Neighbour[]> {
  const radiusKm = await reachOf(database, query);
  const rows = await database.read((sql) => selectNeighbours(sql, { ...query, radiusKm }), {
    planned: 'once',
  });
  return rows.map(({ lat, lng, ...row }) => ({ ...row, location: { lat, lng } }));
}

/**
 * Kilometres within which as many lie as are looked at, or the whole radius. In a town thousands lie within the radius: the
 * index of places gives the nearest by degrees, which are as many, and of them the farthest is as far as any can be.
 */
async function reachOf(database: Database, query: NeighbourQuery): Promise<number> {
  const { subject, radiusKm } = query;
  // Across the antimeridian places are near that have degrees far apart.
  if (boxesAround(subject.location, radiusKm).length > 1) return radiusKm;
  const { lat, lng } = subject.location;
  const [nearest] = await database.read(
    (sql) => sql<{ count: number; km: number | null }[]>`
      select count(*)::int as count, max(km) as km from (
        select ${distanceSql(sql, subject.location)} as km from listing_search
        where ${homesSql(sql, query)} order by location <-> point(${lng}, ${lat}) limit ${MOST_NEIGHBOURS}) as nearest`,
    { planned: 'once' },
  );
  if (nearest === undefined || nearest.km === null || nearest.count < MOST_NEIGHBOURS) return radiusKm;
  return Math.min(radiusKm, nearest.km);
}

type Row = Omit<Neighbour, 'location'> & Point;

function selectNeighbours(sql: Sql, query: NeighbourQuery): Promise<Row[]> {
  const km = distanceSql(sql, query.subject.location);
  return sql<Row[]>`
    with near as (
      select listing_search.*, ${km} as km from listing_search
      where ${homesSql(sql, query)} and ${km} <= ${query.radiusKm}::double precision
      order by km, id limit ${MOST_NEIGHBOURS})
    select near.id, listing.property_id as "propertyId", near.status, near.property_type as "propertyType",
      near.location[1] as lat, near.location[0] as lng, near.living_area as "livingArea", near.bedrooms,
      near.bathrooms, near.lot_size as "lotSize", near.year_built as "yearBuilt", near.waterfront, near.price,
      near.close_price as "closePrice", near.closed_at as "closedAt", listing.record ->> 'currency' as currency
    from near join listing on listing.id = near.id order by near.km, near.id`;
}

/** Homes that may be compared, in the boxes around the radius. */
function homesSql(sql: Sql, query: NeighbourQuery): SqlFragment {
  const { subject, listingType, radiusKm, except, ignoreDisplayRules } = query;
  return sql`listing_type = ${listingType} and ${displayedSql(sql, ignoreDisplayRules)}
    and property_type = any(${[...comparableTypes(subject.propertyType)]}::text[])
    and (${withinSql(sql, subject.location, radiusKm)})
    and price > 0 and id <> all(${[...except]}::text[])
    and ${sizeSql(sql, subject.livingArea)} and ${marketSql(sql, query)}`;
}

const displayedSql = (sql: Sql, ignoreDisplayRules: boolean): SqlFragment =>
  ignoreDisplayRules ? sql`true` : sql`displayed`;

function withinSql(sql: Sql, centre: Point, km: number): SqlFragment {
  const boxes = boxesAround(centre, km).map(
    ([minLng, minLat, maxLng, maxLat], place) =>
      sql`${place === 0 ? sql`` : sql`or`} location <@ box(point(${minLng}, ${minLat}), point(${maxLng}, ${maxLat}))`,
  );
  return together(sql, boxes);
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

/** The listings with these ids, by id. */
export async function findListings(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, StoredListing>> {
  if (ids.length === 0) return new Map();
  const rows = await database.read(
    (sql) =>
      sql<StoredListing[]>`select ${storedColumns(sql)} from listing where id = any(${[...ids]}::text[])`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
