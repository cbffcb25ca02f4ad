// Days on market: how long a listing has been on the market, without the time on hold or withdrawn.

import { DAY, parseTime } from '../lib/clock.ts';
import { afterClockTime, clockTimeBetween } from './place-time.ts';
import { firstGiven, type ReportedDate, type ReportedDates, STARTED_BY } from './reported-dates.ts';
import { isOnMarket, type Status } from './vocabulary.ts';

/** Milliseconds since the epoch. `end` is null while the clock runs; time on hold is taken out by moving `start`. */
export interface DaysOnMarketClock {
  readonly start: number | null;
  readonly end: number | null;
}

/** What a source says of a listing's time on the market. */
export interface ClockFacts {
  readonly status: Status;
  readonly dates: ReportedDates;
}

const stops = (status: Status): boolean => !isOnMarket(status) && status !== 'UNKNOWN';
const isSold = (status: Status): boolean => status === 'PENDING' || status === 'CLOSED';

/** Whether days stop counting until the listing is back on the market. */
export const pausesDaysOnMarket = (status: Status): boolean => status === 'HOLD' || status === 'WITHDRAWN';

/** Whole days on the market at `now`; null where the source never said when the listing came on it. */
export function daysOnMarket(clock: DaysOnMarketClock, now: number): number | null {
  if (clock.start === null) return null;
  return Math.max(0, Math.floor(((clock.end ?? now) - clock.start) / DAY));
}

/** The clock of a listing seen for the first time, from the dates that its source gives. */
export function firstClock(facts: ClockFacts, observedAt: number): DaysOnMarketClock {
  const { status, dates } = facts;
  const start = firstGiven(dates, STARTED_BY)?.at ?? (isOnMarket(status) ? observedAt : null);
  if (start === null || status === 'COMING_SOON' || status === 'INCOMPLETE')
    return { start: null, end: null };
  return { start, end: stops(status) ? Math.max(start, leftMarketAt(facts, observedAt)) : null };
}

/**
 * The clock after another reading. Coming back from hold or withdrawal moves the start by the time away; a start or end
 * that was taken from a date follows where the source tells another one.
 */
export function nextClock(
  clock: DaysOnMarketClock,
  before: ClockFacts,
  facts: ClockFacts,
  observedAt: number,
): DaysOnMarketClock {
  if (clock.start === null) return firstClock(facts, observedAt);
  const { end } = clock;
  const start = nextStart(clock.start, before, facts);
  if (stops(facts.status)) {
    const left = end === null ? leftMarketAt(facts, observedAt) : nextEnd(clock, before, facts, observedAt);
    return { start, end: Math.max(start, left ?? start) };
  }
  if (end === null || before.status === facts.status) return { start, end };
  if (!pausesDaysOnMarket(before.status)) return { start, end: null };
  const stated = facts.dates.statusChangedAt?.at ?? null;
  // A time from before the pause, or from the future, does not tell when it ended.
  const back = stated !== null && stated >= end && stated <= observedAt ? stated : observedAt;
  return { start: start + Math.max(0, back - end), end: null };
}

/** Moved and not set: the start holds the time on hold. */
function nextStart(start: number, before: ClockFacts, facts: ClockFacts): number {
  const [was, is] = [firstGiven(before.dates, STARTED_BY), firstGiven(facts.dates, STARTED_BY)];
  return was === null || is === null ? start : start + (is.at - was.at);
}

function nextEnd(
  { start, end }: DaysOnMarketClock,
  before: ClockFacts,
  facts: ClockFacts,
  observedAt: number,
): number | null {
  const signed = facts.dates.pendingAt?.at;
  const isSameSale = isSold(before.status) && (facts.status === 'CLOSED' || facts.status === before.status);
  if (isSameSale && signed !== undefined && signed !== before.dates.pendingAt?.at && signed <= observedAt)
    return signed;
  if (before.status !== facts.status) return end;
  const [was, is] = [reportedEnd(before, observedAt), reportedEnd(facts, observedAt)];
  if (is === null || end === null) return end;
  // Where no date had been told the end was seen, and what is told of it cannot lie after that.
  const follows = was === null ? is < end : end === Math.max(start ?? was, was);
  return follows ? is : end;
}

/** When a listing left the market: the moment of its contract where there was one, else of its withdrawal. */
const leftMarketAt = (facts: ClockFacts, observedAt: number): number =>
  reportedEnd(facts, observedAt) ?? observedAt;

function reportedEnd({ status, dates }: ClockFacts, observedAt: number): number | null {
  const fields: readonly ReportedDate[] = isSold(status)
    ? ['pendingAt', 'offMarketAt', 'closedAt', 'statusChangedAt']
    : ['offMarketAt', 'statusChangedAt', 'expiresOn'];
  const past = fields.map((field) => dates[field]?.at).find((at) => at !== undefined && at <= observedAt);
  return past ?? null;
}

/**
 * The clock as it is stored: its end lies after its start by what the clocks of the place moved on, so that whole days come
 * of a subtraction also where summer time began in between.
 */
export function toStoredClock({ start, end }: DaysOnMarketClock, timeZone: string): DaysOnMarketClock {
  return start === null || end === null
    ? { start, end }
    : { start, end: start + clockTimeBetween(start, end, timeZone) };
}

/** The clock of a stored one. */
export function fromStoredClock({ start, end }: DaysOnMarketClock, timeZone: string): DaysOnMarketClock {
  return start === null || end === null
    ? { start, end }
    : { start, end: afterClockTime(start, end - start, timeZone) };
}

/** Milliseconds of a stored clock's texts. */
export function parseStoredClock(start: string | null, end: string | null): DaysOnMarketClock {
  return { start: parseTime(start), end: parseTime(end) };
}
