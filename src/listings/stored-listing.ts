// Listings and properties as they are stored; present.ts makes of them what a reader sees.

import type { StoredRecord } from './stored-record.ts';
import type { ListingType, Status } from './vocabulary.ts';

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
  readonly record: StoredRecord;
  readonly areaIds: readonly string[];
  readonly daysOnMarketStart: string | null;
  readonly daysOnMarketEnd: string | null;
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

/** A line of a property's history as stored; times are RFC 3339. */
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
