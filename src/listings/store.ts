// SQL that reads stored listings, properties and their history.

import type { Database, Sql, SqlFragment } from '../postgres/client/database.ts';
import { withWholeRecord } from './lean-record.ts';
import { startedAt } from './listed-at.ts';
import { DEFAULT_TIME_ZONE } from './local-time.ts';
import { fetchedAtSql } from './provenance/confirmation-store.ts';
import type { StoredRecord } from './stored-record.ts';
import type { ListingType, Status } from './vocabulary.ts';

/** A listing as the database holds it; the presenter makes of it what a reader sees. Times are RFC 3339. */
export interface StoredListing {
  readonly id: string;
  readonly source: string;
  readonly listingKey: string;
  readonly propertyId: string;
  readonly listingType: ListingType;
  readonly status: Status;
  readonly version: number;
  /** Number of the licence that it is under. */
  readonly licenceNo: number;
  /** False: only Internal callers who ask for it may see the listing, or its street address. */
  readonly displayed: boolean;
  readonly addressDisplayed: boolean;
  readonly record: StoredRecord;
  readonly areaIds: readonly string[];
  /** IANA time zone of its dates, taken from its areas. */
  readonly timeZone: string;
  readonly daysOnMarketStart: string | null;
  readonly daysOnMarketEnd: string | null;
  readonly earlierDays: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly fetchedAt: string;
}

/** A property as the database holds it: its listings, newest first, and their history. */
export interface StoredProperty {
  readonly id: string;
  readonly listings: readonly StoredListing[];
  readonly history: readonly HistoryRow[];
}

/** An event of a property's history. Times are RFC 3339. */
export interface HistoryRow {
  readonly at: string;
  readonly event: string;
  readonly listingId: string;
  readonly listingType: string;
  readonly price: number | null;
  readonly previousPrice: number | null;
  readonly status: string | null;
  readonly previousStatus: string | null;
  readonly origin: string;
}

export interface ListingReads {
  /** The listing with this id, whatever its status. */
  listing(id: string): Promise<StoredListing | null>;
  /** The property with this id, or the one that the listing with this id belongs to. */
  property(id: string): Promise<StoredProperty | null>;
}

export function createListingReads(database: Database): ListingReads {
  return {
    listing: (id) => database.read((sql) => findListing(sql, id), { planned: 'once' }),
    property: (id) => database.read((sql) => findProperty(sql, id), { planned: 'once' }),
  };
}

/** The time zone of a listing, taken from its areas. */
export async function findTimeZone(database: Database, id: string): Promise<string> {
  const [row] = await database.read(
    (sql) => sql<{ zone: string }[]>`select time_zone as zone from listing where id = ${id}`,
  );
  return row?.zone ?? DEFAULT_TIME_ZONE;
}

async function findProperty(sql: Sql, id: string): Promise<StoredProperty | null> {
  const listings = await findPropertyListings(sql, id);
  const [first] = listings;
  if (!first) return null;
  const history = await findHistory(
    sql,
    listings.map((listing) => listing.id),
  );
  return { id: first.propertyId, listings, history };
}

/** The columns of a StoredListing, from a table or alias called listing; `withWholeRecord` makes one of a row. */
export function storedColumns(sql: Sql): SqlFragment {
  return sql`listing.id, listing.source, listing.listing_key as "listingKey", listing.property_id as "propertyId",
    listing.listing_type as "listingType", listing.version, ${fetchedAtSql(sql)} as "fetchedAt",
    listing.created_at as "createdAt", listing.updated_at as "updatedAt", listing.status, listing.licence_no as "licenceNo", listing.displayed,
    listing.address_displayed as "addressDisplayed", listing.record, listing.time_zone as "timeZone", listing.days_on_market_start as "daysOnMarketStart",
    listing.days_on_market_end as "daysOnMarketEnd", listing.earlier_days_on_market as "earlierDays",
    array(select area.id from unnest(listing.area_nos) with ordinality as member (no, position)
      join area on area.no = member.no order by member.position) as "areaIds"`;
}

export async function findListing(sql: Sql, id: string): Promise<StoredListing | null> {
  const [row] = await sql<StoredListing[]>`select ${storedColumns(sql)} from listing where id = ${id}`;
  return row ? withWholeRecord(row) : null;
}

/** The listings with these ids, in their order; undefined: there is none. */
export async function findListings(
  sql: Sql,
  ids: readonly string[],
): Promise<readonly (StoredListing | undefined)[]> {
  if (ids.length === 0) return [];
  const rows = await sql<(StoredListing & { readonly position: number })[]>`
    select ${storedColumns(sql)}, requested.position
    from unnest(${[...ids]}::text[]) with ordinality as requested (id, position) join listing on listing.id = requested.id`;
  const found: StoredListing[] = [];
  for (const { position, ...listing } of rows) found[position - 1] = withWholeRecord(listing);
  return found;
}

/** All listings of a property, which may be named by the id of any of them; newest first. */
export async function findPropertyListings(sql: Sql, id: string): Promise<StoredListing[]> {
  return findListingsWhere(
    sql,
    sql`property_id = coalesce((select named.property_id from listing as named where named.id = ${id}), ${id})`,
  );
}

/** All listings of these properties, newest first. */
export function findListingsOfProperties(sql: Sql, propertyIds: readonly string[]): Promise<StoredListing[]> {
  return findListingsWhere(sql, sql`property_id = any(${[...propertyIds]}::text[])`);
}

async function findListingsWhere(sql: Sql, where: SqlFragment): Promise<StoredListing[]> {
  const listings = await sql<StoredListing[]>`
    select ${storedColumns(sql)} from listing where ${where} order by id`;
  return listings.map(withWholeRecord).sort((a, b) => startedAt(b) - startedAt(a));
}

const MAX_HISTORY = 1_000;
/** Events per listing with `include=history`. */
const MAX_LISTING_HISTORY = 100;

const historyColumns = (sql: Sql): SqlFragment => sql`
  at, event, listing_id as "listingId", listing_type as "listingType", price, previous_price as "previousPrice", status,
  previous_status as "previousStatus", origin`;

/** The history of these listings, newest first, at most a thousand events. */
export async function findHistory(sql: Sql, listingIds: readonly string[]): Promise<HistoryRow[]> {
  return sql<HistoryRow[]>`
    select ${historyColumns(sql)} from listing_event where listing_id = any(${[...listingIds]}::text[])
    order by at desc, sequence desc limit ${MAX_HISTORY}`;
}

/** The history of each of these listings, newest first, at most a hundred events each. */
export async function findHistories(sql: Sql, listingIds: readonly string[]): Promise<HistoryRow[]> {
  return sql<HistoryRow[]>`
    select line.* from unnest(${[...listingIds]}::text[]) as requested (id), lateral (
      select ${historyColumns(sql)} from listing_event where listing_id = requested.id order by at desc, sequence desc
      limit ${MAX_LISTING_HISTORY}) as line`;
}
