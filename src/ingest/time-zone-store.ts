// SQL that changes the time zone of listings.

import type { StoredRecord } from '../listings/stored-record.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { json } from '../postgres/client/stored-json.ts';

/** A listing in another time zone; times are RFC 3339. `timelineEnd`: end of the days on market as the timeline stores it. */
export interface TimeZoneChange {
  readonly id: string;
  readonly timeZone: string;
  readonly daysOnMarketStart: string | null;
  readonly daysOnMarketEnd: string | null;
  readonly timelineEnd: string | null;
  readonly listedAt: string | null;
  readonly priceChangedAt: string | null;
  /** Null: as it was. */
  readonly record: StoredRecord | null;
}

/** Writes what depends on a listing's time zone: days on market, dates as moments, and the record. */
export async function writeTimeZoneChanges(
  tx: Transaction,
  listings: readonly TimeZoneChange[],
  at: Date,
): Promise<void> {
  const rows = json(listings);
  const row = () => tx`json_to_recordset(${rows}::text::json) as row (id text, "timeZone" text,
    "daysOnMarketStart" timestamptz, "daysOnMarketEnd" timestamptz, "timelineEnd" timestamptz, "listedAt" timestamptz,
    "priceChangedAt" timestamptz, record json)`;
  await tx`
    update listing set time_zone = "timeZone", days_on_market_start = "daysOnMarketStart", days_on_market_end = "daysOnMarketEnd",
      record = coalesce(row.record, listing.record), version = version + 1, updated_at = ${at}
    from ${row()} where listing.id = row.id`;
  await tx`
    update listing_search set days_on_market_start = "daysOnMarketStart", days_on_market_end = "daysOnMarketEnd", listed_at = "listedAt",
      price_changed_at = "priceChangedAt", updated_at = ${at}
    from ${row()} where listing_search.id = row.id`;
  await tx`
    update market_listing set time_zone = "timeZone", days_on_market_end = "timelineEnd"
    from ${row()} where listing_id = row.id`;
  await tx`
    update listing_event set at = day::timestamp at time zone "timeZone"
    from ${row()} where listing_id = row.id and day is not null`;
}
