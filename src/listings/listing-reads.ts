// Reads of stored listings and properties from the database.

import type { Database, Sql } from '../postgres/client/database.ts';
import { findHistory, findListing, findPropertyListings } from './listing-read-store.ts';
import type { StoredListing, StoredProperty } from './stored-listing.ts';

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
