// Listings whose areas follow another time zone than before: their days begin at other moments from then on.

import { clockRow, nextClock } from '../listings/market-clock.ts';
import { listedFrom, resolveDates } from '../listings/reported-dates.ts';
import { dateTexts, publicTimes, type StoredRecord } from '../listings/stored-record.ts';
import type { Transaction } from '../postgres/client/database.ts';
import type { FigureChange } from '../timeline/figure-changes.ts';
import { retellMarket } from '../timeline/market-facts.ts';
import { findLockedListings, type LockedListing } from './listing-store.ts';
import { type RezonedListing, writeTimeZones } from './time-zone-store.ts';

/**
 * Gives listings, by their ids, the days of these time zones, and works out anew what follows from them; the listings are
 * locked already. Gives what it changes of figures.
 */
export async function moveToTimeZones(
  tx: Transaction,
  zones: ReadonlyMap<string, string>,
  now: number,
): Promise<FigureChange[]> {
  if (zones.size === 0) return [];
  const listings = await findLockedListings(tx, [...zones.keys()]);
  const moved = [...listings].map(([id, listing]) => inTimeZone(id, listing, zones.get(id) ?? 'UTC', now));
  await writeTimeZones(tx, moved, new Date(now));
  return retellMarket(tx, [...new Set([...listings.values()].map(({ propertyId }) => propertyId))]);
}

function inTimeZone(id: string, before: LockedListing, timeZone: string, now: number): RezonedListing {
  const { record, status } = before;
  const texts = dateTexts(record);
  const dates = resolveDates(texts, timeZone);
  const facts = { status, dates: resolveDates(texts, before.timeZone) };
  const clock = nextClock(before.clock, facts, { status, dates }, now);
  const stored = clockRow(clock, timeZone);
  const { days } = record.property;
  const shown: StoredRecord = days ? { ...record, ...publicTimes(texts, dates) } : record;
  return {
    ...{ id, timeZone, storedStart: time(stored.start), storedEnd: time(stored.end) },
    ...{ clockEnd: time(clock.end), listedAt: time(listedFrom(dates)) },
    priceChangedAt: shown.priceChangedAt ?? shown.priceChange?.at ?? null,
    record: days ? shown : null,
  };
}

const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
