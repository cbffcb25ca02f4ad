// Owns the SQL that gives listings the days of another time zone, after their areas have changed it.

import type { StoredRecord } from '../listings/stored-record.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { json } from '../postgres/client/stored-json.ts';

/** A listing as it is by the clocks of another zone; times are RFC 3339. `clockEnd`: the moment itself. */
export interface RezonedListing {
  readonly id: string;
  readonly timeZone: string;
  readonly storedStart: string | null;
  readonly storedEnd: string | null;
  readonly clockEnd: string | null;
  readonly listedAt: string | null;
  readonly priceChangedAt: string | null;
  /** Null: as it was. */
  readonly record: StoredRecord | null;
}

/** Writes what a listing's zone decides: its clock, its days as moments, and what is shown of them. */
export async function writeTimeZones(
  tx: Transaction,
  listings: readonly RezonedListing[],
  at: Date,
): Promise<void> {
  const rows = json(listings);
  const row = () => tx`json_to_recordset(${rows}::text::json) as row (id text, "timeZone" text,
    "storedStart" timestamptz, "storedEnd" timestamptz, "clockEnd" timestamptz, "listedAt" timestamptz,
    "priceChangedAt" timestamptz, record json)`;
  await tx`
    update listing set time_zone = "timeZone", days_on_market_start = "storedStart", days_on_market_end = "storedEnd",
      record = coalesce(row.record, listing.record), version = version + 1, updated_at = ${at}
    from ${row()} where listing.id = row.id`;
  await tx`
    update listing_search set days_on_market_start = "storedStart", days_on_market_end = "storedEnd", listed_at = "listedAt",
      price_changed_at = "priceChangedAt", updated_at = ${at}
    from ${row()} where listing_search.id = row.id`;
  await tx`
    update market_listing set time_zone = "timeZone", days_on_market_end = "clockEnd"
    from ${row()} where listing_id = row.id`;
  await tx`
    update listing_event set at = day::timestamp at time zone "timeZone"
    from ${row()} where listing_id = row.id and day is not null`;
}
