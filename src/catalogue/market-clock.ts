// Owns the market clock: how long a listing has been on the market, without the time it was on hold or withdrawn.

import type { ListingDraft } from './draft.ts';
import { isOnMarket, type Status } from './vocabulary.ts';

const DAY = 86_400_000;

/** Milliseconds since the epoch. `end` is null while the clock runs; time on hold is taken out by moving `start`. */
export interface MarketClock {
  readonly start: number | null;
  readonly end: number | null;
}

const stops = (status: Status): boolean => !isOnMarket(status) && status !== 'UNKNOWN';
const pauses = (status: Status): boolean => status === 'HOLD' || status === 'WITHDRAWN';

/** Whole days on the market at `now`; null where the source never said when the listing came on it. */
export function daysOnMarket(clock: MarketClock, now: number): number | null {
  if (clock.start === null) return null;
  return Math.max(0, Math.floor(((clock.end ?? now) - clock.start) / DAY));
}

/** The clock of a listing seen for the first time, from the dates that its source gives. */
export function firstClock(draft: ListingDraft, observedAt: number): MarketClock {
  const start =
    instant(draft.onMarketDate) ?? instant(draft.listedAt) ?? (isOnMarket(draft.status) ? observedAt : null);
  if (start === null || draft.status === 'COMING_SOON' || draft.status === 'INCOMPLETE')
    return { start: null, end: null };
  const end = stops(draft.status) ? Math.max(start, leftMarketAt(draft, observedAt)) : null;
  return { start, end };
}

/** The clock after a change of status. Coming back from hold or withdrawal moves the start by the time away. */
export function nextClock(
  before: MarketClock,
  was: Status,
  draft: ListingDraft,
  observedAt: number,
): MarketClock {
  if (before.start === null) return firstClock(draft, observedAt);
  if (was === draft.status) return before;
  if (stops(draft.status)) {
    return {
      start: before.start,
      end: before.end ?? Math.max(before.start, leftMarketAt(draft, observedAt)),
    };
  }
  if (before.end === null) return before;
  if (!pauses(was)) return { start: before.start, end: null };
  const stated = instant(draft.statusChangedAt);
  // A time from before the pause, or from the future, does not tell when it ended.
  const back = stated !== null && stated >= before.end && stated <= observedAt ? stated : observedAt;
  return { start: before.start + Math.max(0, back - before.end), end: null };
}

/** When a listing left the market: the moment of its contract where there was one, else of its withdrawal. */
function leftMarketAt(draft: ListingDraft, observedAt: number): number {
  const sold = draft.status === 'PENDING' || draft.status === 'CLOSED';
  const candidates = sold
    ? [draft.pendingAt, draft.offMarketAt, draft.closedAt, draft.statusChangedAt]
    : [draft.offMarketAt, draft.statusChangedAt, draft.expiresOn];
  for (const candidate of candidates) {
    const at = instant(candidate);
    if (at !== null && at <= observedAt) return at;
  }
  return observedAt;
}

/** Milliseconds of an RFC 3339 time or of a date's first instant in UTC; null for null. */
export function instant(text: string | null): number | null {
  if (text === null) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

/** Milliseconds of a stored clock's texts. */
export function storedClock(start: string | null, end: string | null): MarketClock {
  return { start: instant(start), end: instant(end) };
}
