// SQL that updates areas and time zones of listings after areas have changed.

import { countChanges } from '../areas/counts.ts';
import type { BatchPosition } from '../changes/change-store.ts';
import type { Point } from '../geometry/geometry.ts';
import type { DraftAddress } from '../listings/draft.ts';
import { wholeAddress } from '../listings/lean-record.ts';
import type { StoredRecord } from '../listings/stored-record.ts';
import type { ListingType, Status } from '../listings/vocabulary.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { toJson } from '../postgres/client/value-types.ts';
import type { FigureChange } from '../timeline/figure-changes.ts';
import { invalidateFigures } from '../timeline/figure-invalidation-store.ts';
import { addAreaCounts } from './listing-store.ts';

/** What the placement of a stored listing needs. */
export interface PlacementRow {
  readonly id: string;
  readonly listingType: ListingType;
  readonly status: Status;
  readonly licenceNo: number;
  readonly displayed: boolean;
  readonly areaNos: number[];
  readonly timeZone: string;
  readonly location: Point | null;
  readonly address: DraftAddress;
}

/** The next listings in the order of their ids, locked. */
export async function lockPlacements(tx: Transaction, after: string, limit: number): Promise<PlacementRow[]> {
  const rows = await tx<PlacementRow[]>`
    select id, listing_type as "listingType", status, licence_no as "licenceNo", displayed, area_nos as "areaNos",
      time_zone as "timeZone", record -> 'location' as location, record -> 'address' as address
    from listing where id > ${after} order by id limit ${limit} for update`;
  return rows.map((row) => ({ ...row, address: wholeAddress(row.address) }));
}

/** Writes the new areas, each as a change of its listing; `position` is that of the first change in the log. */
export async function updatePlacements(
  tx: Transaction,
  rows: readonly (PlacementRow & { readonly newAreaNos: readonly number[] })[],
  at: Date,
  position: BatchPosition,
): Promise<void> {
  const ids = rows.map((row) => row.id);
  const areaNos = rows.map((row) => `{${row.newAreaNos.join()}}`);
  await tx`
    with row as (
      select id, area_nos::integer[], ${position.ordinal} + row.number - 1 as ordinal
      from unnest(${ids}::text[], ${areaNos}::text[]) with ordinality as row (id, area_nos, number)),
    updated_listing as (
      update listing set area_nos = row.area_nos, version = version + 1, updated_at = ${at},
        change_batch_id = ${position.batchId}, change_ordinal = ordinal
      from row where listing.id = row.id
    ),
    updated_text as (
      update listing_text set words = array_to_tsvector(array(
        select word from unnest(tsvector_to_array(words)) as word where word not like '#%'
        union all select '#' || no from unnest(row.area_nos) as no))
      from row where listing_id = row.id
    )
    update listing_search set area_nos = row.area_nos, version = version + 1, updated_at = ${at}
    from row where listing_search.id = row.id`;
}

/** Updates area counts and invalidates cached figures after changed placements and other changes. */
export async function updateCountsAndFigures(
  tx: Transaction,
  rows: readonly (PlacementRow & { readonly newAreaNos: readonly number[] })[],
  others: readonly FigureChange[],
): Promise<void> {
  const moved = rows.map(({ id, areaNos, listingType }) => ({
    listingId: id,
    since: Number.NEGATIVE_INFINITY,
    previousAreaNos: areaNos,
    previousType: listingType,
  }));
  await invalidateFigures(tx, [...others, ...moved]);
  const counted = rows.map((row) => ({ before: row, after: { ...row, areaNos: row.newAreaNos } }));
  await addAreaCounts(tx, countChanges(counted));
}

/** A listing in another time zone; times are RFC 3339. `timelineEnd`: end of the days on market as the timeline stores it. */
export interface TimeZoneChange {
  readonly id: string;
  readonly timeZone: string;
  readonly daysOnMarketStart: string | null;
  readonly daysOnMarketEnd: string | null;
  readonly timelineEnd: string | null;
  readonly listedFrom: string | null;
  readonly priceChangedAt: string | null;
  /** Null: as it was. */
  readonly record: StoredRecord | null;
}

/** Writes what depends on the time zones of listings, after `updatePlacements`: days on market, dates as moments, and the record. */
export async function writeTimeZoneChanges(
  tx: Transaction,
  listings: readonly TimeZoneChange[],
): Promise<void> {
  if (listings.length === 0) return;
  const rows = toJson(listings);
  const row = () => tx`json_to_recordset(${rows}::text::json) as row (id text, "timeZone" text,
    "daysOnMarketStart" timestamptz, "daysOnMarketEnd" timestamptz, "timelineEnd" timestamptz, "listedFrom" timestamptz,
    "priceChangedAt" timestamptz, record json)`;
  await tx`
    update listing set time_zone = "timeZone", days_on_market_start = "daysOnMarketStart", days_on_market_end = "daysOnMarketEnd",
      record = coalesce(row.record, listing.record)
    from ${row()} where listing.id = row.id`;
  await tx`
    update listing_search set days_on_market_start = "daysOnMarketStart", days_on_market_end = "daysOnMarketEnd", listed_at = "listedFrom",
      price_changed_at = "priceChangedAt"
    from ${row()} where listing_search.id = row.id`;
  await tx`
    update market_listing set time_zone = "timeZone", days_on_market_end = "timelineEnd"
    from ${row()} where listing_id = row.id`;
  await tx`
    update listing_event set at = day::timestamp at time zone "timeZone"
    from ${row()} where listing_id = row.id and day is not null`;
}
