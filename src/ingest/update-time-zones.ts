// Updates of the time zones of listings, which move the moments at which their days begin.

import { nextClock, toStoredClock } from '../listings/days-on-market.ts';
import { listedFrom, resolveDates } from '../listings/reported-dates.ts';
import { dateTexts, publicTimes, type StoredRecord } from '../listings/stored-record.ts';
import type { Transaction } from '../postgres/client/database.ts';
import type { FigureChange } from '../timeline/figure-changes.ts';
import { rebuildTimelines } from '../timeline/update-timelines.ts';
import { findLockedListings, type LockedListing } from './listing-store.ts';
import { type TimeZoneChange, writeTimeZoneChanges } from './time-zone-store.ts';

/**
 * Changes the time zones of listings, by their ids, and rebuilds what follows from them. The listings are locked already.
 * Returns the figures that change.
 */
export async function updateTimeZones(
  tx: Transaction,
  zones: ReadonlyMap<string, string>,
  now: number,
): Promise<FigureChange[]> {
  if (zones.size === 0) return [];
  const listings = await findLockedListings(tx, [...zones.keys()]);
  const moved = [...listings].map(([id, listing]) =>
    planTimeZoneChange(id, listing, zones.get(id) ?? 'UTC', now),
  );
  await writeTimeZoneChanges(tx, moved, new Date(now));
  return rebuildTimelines(tx, [...new Set([...listings.values()].map(({ propertyId }) => propertyId))]);
}

function planTimeZoneChange(
  id: string,
  before: LockedListing,
  timeZone: string,
  now: number,
): TimeZoneChange {
  const { record, status } = before;
  const texts = dateTexts(record);
  const dates = resolveDates(texts, timeZone);
  const facts = { status, dates: resolveDates(texts, before.timeZone) };
  const clock = nextClock(before.clock, facts, { status, dates }, now);
  const stored = toStoredClock(clock, timeZone);
  const { days } = record.property;
  const updated: StoredRecord = days ? { ...record, ...publicTimes(texts, dates) } : record;
  return {
    ...{ id, timeZone, daysOnMarketStart: formatTime(stored.start), daysOnMarketEnd: formatTime(stored.end) },
    ...{ timelineEnd: formatTime(clock.end), listedAt: formatTime(listedFrom(dates)) },
    priceChangedAt: updated.priceChangedAt ?? updated.priceChange?.at ?? null,
    record: days ? updated : null,
  };
}

const formatTime = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
