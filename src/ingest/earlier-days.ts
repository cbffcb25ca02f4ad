// Days on market that listings take over from earlier ones of their property. Pure.

import { DAY, formatTime } from '../lib/clock.ts';
import { daysOnMarket, parseStoredClock, toStoredClock } from '../listings/days-on-market.ts';
import type { DaysOnMarketRow } from './listing-store.ts';
import type { ListingWrite } from './write-plan.ts';

/** Longest gap between two listings whose days on market add up. */
const MAX_GAP_DAYS = 30;

/** Days on market of new listings, in the order in which the database gives those of stored ones. */
export function writtenDays(writes: readonly ListingWrite[]): DaysOnMarketRow[] {
  const rows = writes.map(({ id, propertyId, licenceNo, record, clock, timeZone }) => {
    const { start, end } = toStoredClock(clock, timeZone);
    const { listingType } = record;
    return {
      id,
      propertyId,
      licenceNo,
      listingType,
      start: formatTime(start),
      end: formatTime(end),
      earlierDays: 0,
    };
  });
  const keyOf = ({ start, id }: DaysOnMarketRow): string => `${start ?? ''} ${id}`;
  return rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/**
 * Days on market that each listing takes over from earlier ones of its property, type and licence, where gaps are short; only those
 * that differ from what is stored. Rows are in the order of their starts.
 */
export function changedEarlierDays(rows: readonly DaysOnMarketRow[]): Map<string, number> {
  const changed = new Map<string, number>();
  const last = new Map<string, { end: number | null; days: number }>();
  for (const row of rows) {
    const clock = parseStoredClock(row.start, row.end);
    if (clock.start === null) continue;
    const place = `${row.propertyId} ${row.listingType} ${row.licenceNo}`;
    const earlier = last.get(place);
    const gap = earlier === undefined || earlier.end === null ? null : (clock.start - earlier.end) / DAY;
    const carried =
      earlier !== undefined && gap !== null && gap >= 0 && gap <= MAX_GAP_DAYS ? earlier.days : 0;
    if (carried !== row.earlierDays) changed.set(row.id, carried);
    const own = clock.end === null ? 0 : (daysOnMarket(clock, clock.end) ?? 0);
    last.set(place, { end: clock.end, days: carried + own });
  }
  return changed;
}
