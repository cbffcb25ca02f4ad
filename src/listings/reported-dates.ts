// Dates that a source reports of a listing: moments, or days in the listing's time zone. Pure.

import type { ListingDraft } from './draft.ts';
import { startOfDay } from './local-time.ts';
import type { Status } from './vocabulary.ts';

export const REPORTED_DATES = [
  'listedAt',
  'onMarketDate',
  'statusChangedAt',
  'priceChangedAt',
  'pendingAt',
  'closedAt',
  'offMarketAt',
  'expiresOn',
] as const;
export type ReportedDate = (typeof REPORTED_DATES)[number];

/** As reported: RFC 3339 for a moment, YYYY-MM-DD for a day. */
export type DateTexts = Pick<ListingDraft, ReportedDate>;

/** Milliseconds since the epoch, and the day if only that is reported: `at` is then its start in local time. */
export interface ReportedMoment {
  readonly at: number;
  readonly day: string | null;
}

export type ReportedDates = Readonly<Record<ReportedDate, ReportedMoment | null>>;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a text is a day without a time. */
export const isDay = (text: string): boolean => DAY.test(text);

/** The moment of a time, or of the start of a day in this time zone. Null for null and invalid text. */
export function parseMoment(text: string | null, timeZone: string): ReportedMoment | null {
  if (text === null) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return null;
  return isDay(text) ? { at: startOfDay(text, timeZone), day: text } : { at, day: null };
}

/** All reported dates, with days in this time zone. */
export function resolveDates(texts: DateTexts, timeZone: string): ReportedDates {
  const entries = REPORTED_DATES.map((field) => [field, parseMoment(texts[field], timeZone)] as const);
  return Object.fromEntries(entries) as ReportedDates;
}

/** The first of these dates that is reported. */
export function firstDate(dates: ReportedDates, fields: readonly ReportedDate[]): ReportedMoment | null {
  return fields.map((field) => dates[field]).find((moment) => moment !== null) ?? null;
}

/** Dates on which a listing was listed, and when it came on the market; the first that is reported counts. */
export const LISTING_DATES: readonly ReportedDate[] = ['listedAt', 'onMarketDate'];
export const MARKET_START_DATES: readonly ReportedDate[] = ['onMarketDate', 'listedAt'];

/** When a listing counts as listed in searches: when it came on the market. Null if unknown. */
export const listedFrom = (dates: ReportedDates): number | null =>
  firstDate(dates, MARKET_START_DATES)?.at ?? null;

const OFF_MARKET_DATES: readonly ReportedDate[] = ['offMarketAt', 'statusChangedAt'];
const DATES_OF_STATUS: Partial<Readonly<Record<Status, readonly ReportedDate[]>>> = {
  PENDING: ['pendingAt', 'statusChangedAt'],
  CLOSED: ['closedAt'],
  HOLD: OFF_MARKET_DATES,
  WITHDRAWN: OFF_MARKET_DATES,
  CANCELED: OFF_MARKET_DATES,
  EXPIRED: [...OFF_MARKET_DATES, 'expiresOn'],
  DELETED: OFF_MARKET_DATES,
};

/** Dates since when a listing has this status; the first that is reported counts. */
export const statusDates = (status: Status): readonly ReportedDate[] =>
  DATES_OF_STATUS[status] ?? ['statusChangedAt'];
