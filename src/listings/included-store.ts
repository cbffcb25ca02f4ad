// Owns the SQL of what is added to listings on a page: what happened to them, and the properties they belong to.

import type { Database } from '../postgres/client/database.ts';
import { storedColumns } from './listing-read-store.ts';
import type { HistoryRow, StoredListing } from './stored-listing.ts';

/** Lines that one listing is told with at most. */
const LONGEST_HISTORY = 100;

/** The history of each of some listings, newest first. */
export function findHistories(database: Database, listingIds: readonly string[]): Promise<HistoryRow[]> {
  return database.read(
    (sql) => sql<HistoryRow[]>`
      select line.* from unnest(${[...listingIds]}::text[]) as asked (id), lateral (
        select at, event, listing_id as "listingId", listing_type as "listingType", price,
          previous_price as "previousPrice", status, previous_status as "previousStatus", origin
        from listing_event where listing_id = asked.id order by at desc, sequence desc limit ${LONGEST_HISTORY}) as line`,
  );
}

/** All listings of some properties, newest first. */
export function findListingsOf(database: Database, propertyIds: readonly string[]): Promise<StoredListing[]> {
  return database.read(
    (sql) => sql<StoredListing[]>`
      select ${storedColumns(sql)} from listing where property_id = any(${[...propertyIds]}::text[])
      order by coalesce((record ->> 'listedAt')::timestamptz, days_on_market_start, (record ->> 'closedAt')::timestamptz,
        created_at) desc, id`,
  );
}
