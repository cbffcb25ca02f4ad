// The dates that a source reports of a listing: moments, or mere days on the clocks of the listing's place. Pure.

import type { ListingDraft } from './draft.ts';
import { startOfDay } from './place-time.ts';
import type { Status } from './vocabulary.ts';

export const REPORTED_DATES = [
  ...(['listedAt', 'onMarketDate', 'statusChangedAt', 'priceChangedAt', 'pendingAt', 'closedAt'] as const),
  ...(['offMarketAt', 'expiresOn'] as const),
] as const;
export type ReportedDate = (typeof REPORTED_DATES)[number];

/** As reported: RFC 3339 for a moment, YYYY-MM-DD for a day. */
export type DateTexts = Pick<ListingDraft, ReportedDate>;

/** Milliseconds since the epoch; of a day its first moment at the place, with the day itself. */
export interface ReportedMoment {
  readonly at: number;
  readonly day: string | null;
}

export type ReportedDates = Readonly<Record<ReportedDate, ReportedMoment | null>>;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a text is a mere day. */
export const isDay = (text: string): boolean => DAY.test(text);

/** The moment that a text tells; a mere day begins by the clocks of the time zone. Null for null and for what is no date. */
export function momentOf(text: string | null, timeZone: string): ReportedMoment | null {
  if (text === null) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return null;
  return isDay(text) ? { at: startOfDay(text, timeZone), day: text } : { at, day: null };
}

/** All dates of a reading, with days as days of this time zone. */
export function resolveDates(texts: DateTexts, timeZone: string): ReportedDates {
  const entries = REPORTED_DATES.map((field) => [field, momentOf(texts[field], timeZone)] as const);
  return Object.fromEntries(entries) as ReportedDates;
}

/** The first of these dates that is given. */
export function firstGiven(dates: ReportedDates, fields: readonly ReportedDate[]): ReportedMoment | null {
  return fields.map((field) => dates[field]).find((moment) => moment !== null) ?? null;
}

/** By which dates a listing was listed, and by which it came on the market. */
export const LISTED_BY: readonly ReportedDate[] = ['listedAt', 'onMarketDate'];
export const STARTED_BY: readonly ReportedDate[] = ['onMarketDate', 'listedAt'];

/** Since when searches take a listing to be listed, which is when it came on the market; null where nothing is said of it. */
export const listedFrom = (dates: ReportedDates): number | null => firstGiven(dates, STARTED_BY)?.at ?? null;

const WITHDRAWN_BY: readonly ReportedDate[] = ['offMarketAt', 'statusChangedAt'];
const DATES_OF_STATUS: Partial<Readonly<Record<Status, readonly ReportedDate[]>>> = {
  PENDING: ['pendingAt', 'statusChangedAt'],
  CLOSED: ['closedAt'],
  HOLD: WITHDRAWN_BY,
  WITHDRAWN: WITHDRAWN_BY,
  CANCELED: WITHDRAWN_BY,
  EXPIRED: [...WITHDRAWN_BY, 'expiresOn'],
  DELETED: WITHDRAWN_BY,
};

/** The dates that can tell since when a listing has had this status; the first that is given speaks. */
export const datesOf = (status: Status): readonly ReportedDate[] =>
  DATES_OF_STATUS[status] ?? ['statusChangedAt'];
