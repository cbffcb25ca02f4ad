// Days on market: how long a listing has been on the market, without the time on hold or withdrawn.

import { DAY, parseTime } from '../lib/clock.ts';
import { addLocalTime, localTimeBetween } from './local-time.ts';
import {
  firstDate,
  MARKET_START_DATES,
  type ReportedDate,
  type ReportedDates,
  type ReportedMoment,
} from './reported-dates.ts';
import { isOnMarket, type Status } from './vocabulary.ts';

/** Milliseconds since the epoch. `end` is null while the clock runs; time on hold is taken out by moving `start`. */
export interface DaysOnMarketClock {
  readonly start: number | null;
  readonly end: number | null;
}

/** A listing's status, and the dates that its source reports. */
export interface ReportedStatus {
  readonly status: Status;
  readonly dates: ReportedDates;
}

const stopsClock = (status: Status): boolean => !isOnMarket(status) && status !== 'UNKNOWN';
const isSold = (status: Status): boolean => status === 'PENDING' || status === 'CLOSED';

/** Whether days stop counting until the listing is back on the market. */
export const pausesDaysOnMarket = (status: Status): boolean => status === 'HOLD' || status === 'WITHDRAWN';

/** Whole days on the market at `now`; null if the source never reported when the listing came on the market. */
export function daysOnMarket(clock: DaysOnMarketClock, now: number): number | null {
  if (clock.start === null) return null;
  return Math.max(0, Math.floor(((clock.end ?? now) - clock.start) / DAY));
}

/** The clock of a new listing, from the dates that its source reports. */
export function initialClock(reported: ReportedStatus, observedAt: number): DaysOnMarketClock {
  const { status, dates } = reported;
  const start = firstDate(dates, MARKET_START_DATES)?.at ?? (isOnMarket(status) ? observedAt : null);
  if (start === null || status === 'COMING_SOON' || status === 'INCOMPLETE') return UNKNOWN_DAYS;
  if (!stopsClock(status)) return { start, end: null };
  if (isListedAfterLeaving(reported, observedAt)) return UNKNOWN_DAYS;
  return { start, end: Math.max(start, leftMarketAt(reported, observedAt)) };
}

const UNKNOWN_DAYS: DaysOnMarketClock = { start: null, end: null };

/** Whether the source dates the listing after it left the market: how long it was there is unknown then, not 0 days. */
function isListedAfterLeaving(reported: ReportedStatus, observedAt: number): boolean {
  const listed = firstDate(reported.dates, MARKET_START_DATES);
  const left = reportedEnd(reported, observedAt);
  if (listed === null || left === null) return false;
  // A day lasts until the next one begins; of two days the later one counts.
  return left.day === null || listed.day !== null ? listed.at > left.at : listed.at >= left.at + DAY;
}

/**
 * The clock after a new report. A return from hold or withdrawal moves the start by the time away; a start or end that came
 * from a date moves when the source corrects that date.
 */
export function updateClock(
  clock: DaysOnMarketClock,
  before: ReportedStatus,
  reported: ReportedStatus,
  observedAt: number,
): DaysOnMarketClock {
  if (clock.start === null) return initialClock(reported, observedAt);
  const { end } = clock;
  const start = updateStart(clock.start, before, reported);
  if (stopsClock(reported.status)) {
    if (isListedAfterLeaving(reported, observedAt)) return UNKNOWN_DAYS;
    const left =
      end === null ? leftMarketAt(reported, observedAt) : updateEnd(clock, end, before, reported, observedAt);
    return { start, end: Math.max(start, left) };
  }
  if (end === null || before.status === reported.status) return { start, end };
  if (!pausesDaysOnMarket(before.status)) return { start, end: null };
  const changedAt = reported.dates.statusChangedAt?.at ?? null;
  // A time before the pause, or in the future, cannot be the end of the pause.
  const back = changedAt !== null && changedAt >= end && changedAt <= observedAt ? changedAt : observedAt;
  return { start: start + Math.max(0, back - end), end: null };
}

/** Moves the start by the correction of its date, since it may already include time on hold. */
function updateStart(start: number, before: ReportedStatus, reported: ReportedStatus): number {
  const [previous, current] = [before, reported].map(({ dates }) => firstDate(dates, MARKET_START_DATES));
  return previous && current ? start + (current.at - previous.at) : start;
}

function updateEnd(
  { start }: DaysOnMarketClock,
  end: number,
  before: ReportedStatus,
  reported: ReportedStatus,
  observedAt: number,
): number {
  const pendingAt = reported.dates.pendingAt?.at;
  const isSameSale =
    isSold(before.status) && (reported.status === 'CLOSED' || reported.status === before.status);
  if (
    isSameSale &&
    pendingAt !== undefined &&
    pendingAt !== before.dates.pendingAt?.at &&
    pendingAt <= observedAt
  )
    return pendingAt;
  if (before.status !== reported.status) return end;
  const previous = reportedEnd(before, observedAt)?.at ?? null;
  const current = reportedEnd(reported, observedAt)?.at ?? null;
  if (current === null) return end;
  // Without an earlier date the end is when the change was observed; a date reported later must lie before it.
  const isCorrection = previous === null ? current < end : end === Math.max(start ?? previous, previous);
  return isCorrection ? current : end;
}

/** When a listing left the market: at its contract if it has one, else at its withdrawal. */
const leftMarketAt = (reported: ReportedStatus, observedAt: number): number =>
  reportedEnd(reported, observedAt)?.at ?? observedAt;

function reportedEnd({ status, dates }: ReportedStatus, observedAt: number): ReportedMoment | null {
  const fields: readonly ReportedDate[] = isSold(status)
    ? ['pendingAt', 'offMarketAt', 'closedAt', 'statusChangedAt']
    : ['offMarketAt', 'statusChangedAt', 'expiresOn'];
  const past = fields.map((field) => dates[field]).find((date) => date !== null && date.at <= observedAt);
  return past ?? null;
}

/** The clock as it is stored: in local time, so that a subtraction gives whole days also across a change to summer time. */
export function toStoredClock({ start, end }: DaysOnMarketClock, timeZone: string): DaysOnMarketClock {
  if (start === null || end === null) return { start, end };
  return { start, end: start + localTimeBetween(start, end, timeZone) };
}

/** The inverse of toStoredClock. */
export function fromStoredClock({ start, end }: DaysOnMarketClock, timeZone: string): DaysOnMarketClock {
  if (start === null || end === null) return { start, end };
  return { start, end: addLocalTime(start, end - start, timeZone) };
}

/** A stored clock from its two RFC 3339 texts. */
export function parseStoredClock(start: string | null, end: string | null): DaysOnMarketClock {
  return { start: parseTime(start), end: parseTime(end) };
}
