// SQL that copies the history of new listings, and what is computed from it, into the tables.

import { copyRows } from '../postgres/client/copy-rows.ts';
import type { Transaction } from '../postgres/client/database.ts';
import type { MarketListing } from './listing-timeline.ts';
import type { PropertyTimeline } from './property-timeline.ts';
import {
  eventRow,
  formatTimestamp,
  periodRow,
  type RecordedHistory,
  upsertMarketListings,
  writeEvents,
  writePeriods,
} from './store.ts';

/** With fewer rows a statement that needs no answer before its rows takes less time than a COPY. */
const FEW = 50;

/** Adds the history of new listings. Nothing else may use the connection meanwhile, as in all that follows. */
export async function copyHistory(tx: Transaction, histories: readonly RecordedHistory[]): Promise<void> {
  const rows = histories.flatMap(({ id, propertyId, listingType, events }) =>
    events.map((event) => ({
      listing_id: id,
      property_id: propertyId,
      listing_type: listingType,
      event: event.event,
      at: new Date(event.at).toISOString(),
      day: event.day,
      price: event.price,
      previous_price: event.previousPrice,
      status: event.status,
      previous_status: event.previousStatus,
      origin: event.origin,
    })),
  );
  await copyRows(tx, 'listing_event', rows);
}

/** Adds new listings. */
export async function addMarketListings(tx: Transaction, listings: readonly MarketListing[]): Promise<void> {
  if (listings.length < FEW) return upsertMarketListings(tx, listings);
  const rows = listings.map((listing) => ({
    listing_id: listing.id,
    property_id: listing.propertyId,
    listing_type: listing.listingType,
    status: listing.status,
    created_at: formatTimestamp(listing.createdAt),
    on_market_date: listing.onMarketDate,
    days_on_market_end: formatTimestamp(listing.daysOnMarketEnd),
    list_price: listing.listPrice,
    original_price: listing.originalPrice,
    close_price: listing.closePrice,
    periods_per_month: listing.periodsPerMonth,
    months_free: listing.monthsFree,
    time_zone: listing.timeZone,
  }));
  await copyRows(tx, 'market_listing', rows);
}

/** Adds the timelines of properties that have none. */
export async function addTimelines(
  tx: Transaction,
  timelines: readonly (PropertyTimeline & { readonly propertyId: string })[],
): Promise<void> {
  const periods = timelines.flatMap((own) => own.periods.map((fact) => periodRow(own.propertyId, fact)));
  const events = timelines.flatMap((own) => own.events.map((fact) => eventRow(own.propertyId, fact)));
  if (periods.length + events.length < FEW) {
    await Promise.all([
      writePeriods(tx, { gone: [], added: periods }),
      writeEvents(tx, { gone: [], added: events }),
    ]);
    return;
  }
  await copyRows(
    tx,
    'market_period',
    periods.map((period) => ({
      property_id: period.propertyId,
      listing_id: period.listingId,
      started_at: period.startedAt,
      ended_at: period.endedAt,
      superseded_at: period.supersededAt,
      days_on_market_start: period.daysOnMarketStart,
      price: period.price,
      months_free: period.monthsFree,
    })),
  );
  await copyRows(
    tx,
    'market_event',
    events.map((event) => ({
      property_id: event.propertyId,
      listing_id: event.listingId,
      listing_type: event.listingType,
      kind: event.kind,
      at: event.at,
      day: event.day,
      price: event.price,
      days: event.days,
      ratio: event.ratio,
      original_ratio: event.originalRatio,
    })),
  );
}
