// Updates of timelines: every property that a transaction writes gets its timeline rebuilt.

import { parseTime } from '../lib/clock.ts';
import { eventLoop } from '../lib/scheduler.ts';
import type { ListingEvent } from '../listings/history.ts';
import { PER_MONTH } from '../listings/stored-record.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { addMarketListings, addTimelines } from './copy-store.ts';
import { type FigureChange, figureChanges, type ListingChange } from './figure-changes.ts';
import { invalidateFigures } from './figure-invalidation-store.ts';
import type { MarketListing } from './listing-timeline.ts';
import { buildTimeline, type PropertyTimeline } from './property-timeline.ts';
import { findMarketListings, findRecordedHistory, replaceTimelines, upsertMarketListings } from './store.ts';

/**
 * Stores the timelines' part of the written listings, then rebuilds the timelines of their properties.
 * @param stored the properties of which something may be stored; of others the writes have all listings
 */
export async function updateTimelines(
  tx: Transaction,
  writes: readonly ListingChange[],
  stored: readonly string[],
  observedAt: number,
): Promise<void> {
  const isStored = new Set(stored);
  const rows = writes.map((write) => marketListing(write, observedAt));
  await upsertMarketListings(
    tx,
    rows.filter(({ propertyId }) => isStored.has(propertyId)),
  );
  const added = rows.filter(({ propertyId }) => !isStored.has(propertyId));
  await addMarketListings(tx, added);
  const histories = new Map(writes.map(({ id, events }) => [id, events]));
  const timelines = await buildTimelines(added, histories);
  await addTimelines(tx, timelines);
  const rebuilt = stored.length === 0 ? NONE : await rebuildStored(tx, stored, []);
  const after = {
    periods: [...rebuilt.after.periods, ...timelines.flatMap(({ periods }) => periods)],
    events: [...rebuilt.after.events, ...timelines.flatMap(({ events }) => events)],
  };
  await invalidateFigures(tx, figureChanges(rebuilt.before, after, writes));
}

const NO_FACTS: PropertyTimeline = { periods: [], events: [] };
const NONE = { before: NO_FACTS, after: NO_FACTS };

type OwnTimeline = PropertyTimeline & { readonly propertyId: string };

/** The timelines of the properties of these listings, which have no others. */
async function buildTimelines(
  listings: readonly MarketListing[],
  histories: ReadonlyMap<string, readonly ListingEvent[]>,
): Promise<OwnTimeline[]> {
  const timelines: OwnTimeline[] = [];
  const own = Map.groupBy(listings, ({ propertyId }) => propertyId);
  await eventLoop.forEach(own, ([propertyId, those]) => {
    const sorted = those.sort((a, b) => (a.id < b.id ? -1 : 1));
    timelines.push({ propertyId, ...buildTimeline(sorted, histories) });
  });
  return timelines;
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

/**
 * Rebuilds the timelines of properties from stored listings; returns the figures that change by this.
 * @param removed listings that the properties had, and that are no longer stored
 */
export async function rebuildTimelines(
  tx: Transaction,
  properties: readonly string[],
  removed: readonly string[] = [],
): Promise<FigureChange[]> {
  const { before, after } = await rebuildStored(tx, properties, removed);
  return figureChanges(before, after, []);
}

/** The timelines of properties before and after they are rebuilt. */
async function rebuildStored(
  tx: Transaction,
  properties: readonly string[],
  removed: readonly string[],
): Promise<{ before: PropertyTimeline; after: PropertyTimeline }> {
  const listings = await findMarketListings(tx, properties);
  const ids = listings.map(({ id }) => id);
  const timelines = await buildTimelines(listings, await findRecordedHistory(tx, ids));
  const before = await replaceTimelines(tx, [...ids, ...removed], timelines);
  const after = {
    periods: timelines.flatMap(({ periods }) => periods),
    events: timelines.flatMap(({ events }) => events),
  };
  return { before, after };
}
