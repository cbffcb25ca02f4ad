// Updates of timelines: every property that a transaction writes gets its timeline rebuilt.

import { parseTime } from '../lib/clock.ts';
import { eventLoop } from '../lib/scheduler.ts';
import { PER_MONTH } from '../listings/stored-record.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { type FigureChange, figureChanges, type ListingChange } from './figure-changes.ts';
import { invalidateFigures } from './figure-invalidation-store.ts';
import type { MarketListing } from './listing-timeline.ts';
import { buildTimeline } from './property-timeline.ts';
import { findMarketListings, findRecordedHistory, replaceTimelines, upsertMarketListings } from './store.ts';

/** Stores the timelines' part of the written listings, then rebuilds the timelines of these properties. */
export async function updateTimelines(
  tx: Transaction,
  writes: readonly ListingChange[],
  properties: readonly string[],
  observedAt: number,
): Promise<void> {
  await upsertMarketListings(
    tx,
    writes.map((write) => marketListing(write, observedAt)),
  );
  await invalidateFigures(tx, await rebuildTimelines(tx, properties, writes));
}

/** The timeline's part of a written listing. */
export function marketListing(
  { id, draft, record, before, clock, propertyId, timeZone }: ListingChange,
  observedAt: number,
) {
  return {
    id,
    propertyId,
    listingType: draft.listingType,
    status: draft.status,
    createdAt: parseTime(before?.createdAt ?? null) ?? observedAt,
    onMarketDate: draft.onMarketDate,
    timeZone,
    daysOnMarketEnd: clock.end,
    listPrice: draft.listPrice,
    originalPrice: record.originalPrice,
    closePrice: draft.closePrice,
    periodsPerMonth: draft.listingType === 'rental' ? PER_MONTH[draft.priceFrequency] : 1,
    monthsFree: draft.rental?.monthsFree ?? null,
  } satisfies MarketListing;
}

/** Rebuilds the timelines of properties from stored listings; returns the figures that change by this and by the writes. */
export async function rebuildTimelines(
  tx: Transaction,
  properties: readonly string[],
  writes: readonly ListingChange[] = [],
): Promise<FigureChange[]> {
  const listings = Map.groupBy(await findMarketListings(tx, properties), (listing) => listing.propertyId);
  const ids = [...listings.values()].flatMap((own) => own.map(({ id }) => id));
  const histories = await findRecordedHistory(tx, ids);
  const timelines: (ReturnType<typeof buildTimeline> & { readonly propertyId: string })[] = [];
  await eventLoop.forEach(listings, ([propertyId, own]) => {
    timelines.push({ propertyId, ...buildTimeline(own, histories) });
  });
  const before = await replaceTimelines(tx, properties, timelines);
  const after = {
    periods: timelines.flatMap(({ periods }) => periods),
    events: timelines.flatMap(({ events: own }) => own),
  };
  return figureChanges(before, after, writes);
}
