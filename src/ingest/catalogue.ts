// Owns the catalogue's face to the rest of the service: what sources write into it and what other features read.

import type { ListingDraft } from '../listings/draft.ts';
import type { KeptRecord } from '../listings/listing.ts';
import {
  findHistory,
  findListing,
  findPropertyListings,
  type HistoryRow,
} from '../listings/listing-read-store.ts';
import type { ListingType, Status } from '../listings/vocabulary.ts';
import type { Database, Sql, Transaction } from '../postgres/client/database.ts';
import { createWriter } from './apply.ts';

/** What one batch of drafts did; ids by listing key. */
export interface Applied {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Of the keys that were given as gone, those whose listings were still there. */
  readonly removed: number;
  readonly ids: ReadonlyMap<string, string>;
}

/** A listing as kept; present.ts makes of it what a reader sees. Times are RFC 3339. */
export interface StoredListing {
  readonly id: string;
  readonly source: string;
  readonly listingKey: string;
  readonly propertyId: string;
  readonly listingType: ListingType;
  readonly status: Status;
  readonly version: number;
  /** False: only Internal callers who ask for it may see the listing, or its street address. */
  readonly displayed: boolean;
  readonly addressDisplayed: boolean;
  readonly record: KeptRecord;
  readonly areaIds: readonly string[];
  readonly clockStart: string | null;
  readonly clockEnd: string | null;
  readonly earlierDays: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly fetchedAt: string;
}

/** A property as kept: its listings, newest first, and what happened to them. */
export interface StoredProperty {
  readonly id: string;
  readonly listings: readonly StoredListing[];
  readonly history: readonly HistoryRow[];
}

export interface Catalogue {
  /**
   * Writes drafts with their history in the given transaction; a draft that says nothing new is noted as confirmed, which
   * makes no version, event or notification. Listings
   * whose keys are in `gone` are marked as gone upstream: status DELETED, history DELISTED. A transaction calls this
   * once, since what it locks is locked in order. `observedAt` is milliseconds since the epoch.
   */
  apply(
    transaction: Transaction,
    source: string,
    drafts: readonly ListingDraft[],
    observedAt: number,
    gone?: readonly string[],
  ): Promise<Applied>;
  /** The listing with this id, whatever its status. */
  listing(id: string): Promise<StoredListing | null>;
  /** The property with this id, or the one that the listing with this id belongs to. */
  property(id: string): Promise<StoredProperty | null>;
}

export function createCatalogue(database: Database): Catalogue {
  return {
    ...createWriter(),
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
