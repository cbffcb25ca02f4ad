// Timeline of one listing: its status changes, asking prices and times on the market, from its recorded history. Pure.

import { roundTo } from '../lib/round.ts';
import { pausesDaysOnMarket } from '../listings/days-on-market.ts';
import type { ListingEvent } from '../listings/history.ts';
import { addLocalTime, localTimeBetween } from '../listings/local-time.ts';
import { parseMoment, type ReportedMoment } from '../listings/reported-dates.ts';
import { isOnMarket, type ListingType, type Status } from '../listings/vocabulary.ts';

/** A listing without its history; times in milliseconds, prices as the source reports them. */
export interface MarketListing {
  readonly id: string;
  readonly propertyId: string;
  readonly listingType: ListingType;
  readonly status: Status;
  readonly createdAt: number;
  /** The day on which it came on the market, in its time zone. */
  readonly onMarketDate: string | null;
  readonly timeZone: string;
  readonly daysOnMarketEnd: number | null;
  /** Last asking price; null where a closed listing has only its close price. */
  readonly listPrice: number | null;
  readonly originalPrice: number | null;
  readonly closePrice: number | null;
  /** Price periods per month; 1 for sales, null if unknown. */
  readonly periodsPerMonth: number | null;
  readonly monthsFree: number | null;
}

/** The asking price from `at` on; null: withheld. */
export interface PriceChange {
  readonly at: number;
  readonly price: number | null;
}

/** A status and the moment from which it applied. */
export interface StatusChange {
  readonly status: Status;
  readonly at: number;
  /** The day of `at`, where the source gave a date without a time. */
  readonly day: string | null;
  /** The moment that history reports; null where it reports none. */
  readonly reported: ReportedMoment | null;
}

/** A listing with its history, and what is computed from these two alone. */
export interface ListingTimeline {
  readonly listing: MarketListing;
  readonly events: readonly ListingEvent[];
  readonly statusChanges: readonly StatusChange[];
  readonly priceChanges: readonly PriceChange[];
  readonly spans: readonly MarketSpan[];
  readonly firstOnMarket: ReportedMoment | null;
}

/** Unbroken time on the market. While it lasts `to` is infinite and `nextStatus` is null. */
interface MarketSpan {
  readonly from: number;
  readonly to: number;
  /** The day of `to`, where the source gave a date without a time. */
  readonly day: string | null;
  readonly daysOnMarketStart: number;
  readonly nextStatus: Status | null;
}

export function buildListingTimeline(
  listing: MarketListing,
  events: readonly ListingEvent[],
): ListingTimeline {
  const statusChanges = statusChangesOf(listing, events);
  const spans: MarketSpan[] = [];
  const cameOnMarket = statusChanges.find(({ status }) => isOnMarket(status));
  const daysOnMarketStartAt = (at: number): number => {
    const first = cameOnMarket?.at ?? at;
    return addLocalTime(first, pausedTimeBefore(statusChanges, at, listing.timeZone), listing.timeZone);
  };
  let since: { from: number; daysOnMarketStart: number } | null = null;
  for (const { status, at, day } of statusChanges) {
    if (isOnMarket(status)) since ??= { from: at, daysOnMarketStart: daysOnMarketStartAt(at) };
    else if (since) {
      if (at > since.from) spans.push({ ...since, to: at, day, nextStatus: status });
      since = null;
    }
  }
  if (since) spans.push({ ...since, to: Number.POSITIVE_INFINITY, day: null, nextStatus: null });
  // A span without duration was never on the market.
  return {
    listing,
    events,
    statusChanges,
    spans,
    priceChanges: priceChangesOf(listing, events),
    firstOnMarket: spans.length > 0 && cameOnMarket ? { at: cameOnMarket.at, day: cameOnMarket.day } : null,
  };
}

/** Milliseconds of local time in HOLD or WITHDRAWN between the first moment on the market and this one. */
export function pausedTimeBefore(
  statusChanges: readonly StatusChange[],
  until: number,
  timeZone: string,
): number {
  const first = statusChanges.findIndex(({ status }) => isOnMarket(status));
  if (first < 0) return 0;
  let sum = 0;
  for (const [index, change] of statusChanges.entries()) {
    if (index < first || !pausesDaysOnMarket(change.status) || change.at >= until) continue;
    sum += localTimeBetween(change.at, Math.min(statusChanges[index + 1]?.at ?? until, until), timeZone);
  }
  return sum;
}

/** Orders the events of the first import, where dates and times of one day do not. */
const EVENT_ORDER = ['LISTED', 'PENDING', 'CLOSED', 'DELISTED', 'STATUS_CHANGED'];
const BEFORE_MARKET: readonly Status[] = ['COMING_SOON', 'INCOMPLETE'];

/**
 * The statuses of a listing from its history, in the order of recording: moments never decrease. A status without a moment
 * has that at which the listing was first seen.
 */
function statusChangesOf(listing: MarketListing, events: readonly ListingEvent[]): StatusChange[] {
  const withStatus = events.filter((event) => event.status !== null);
  const first = withStatus
    .filter((event) => event.previousStatus === null)
    .sort((a, b) => EVENT_ORDER.indexOf(a.event) - EVENT_ORDER.indexOf(b.event));
  const later = withStatus.filter((event) => event.previousStatus !== null);
  const firstSeen = later[0]?.previousStatus ?? listing.status;
  const changes: StatusChange[] = [];
  const add = (status: Status, { at, day }: ReportedMoment, isReported: boolean): void => {
    const last = changes.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    const from = at >= last ? { at, day } : { at: last, day: null };
    changes.push({ status, ...from, reported: isReported ? { at, day } : null });
  };
  const addEvent = ({ status, at, day }: ListingEvent): void => {
    if (status) add(status, parseMoment(day, listing.timeZone) ?? { at, day: null }, true);
  };
  // LISTED of an announced listing is its announcement, not its start on the market.
  if (!BEFORE_MARKET.includes(firstSeen)) {
    first.forEach(addEvent);
    const last = changes.at(-1)?.status;
    if (last !== undefined && last !== firstSeen && !(isOnMarket(last) && isOnMarket(firstSeen))) {
      const ended = later.length === 0 ? listing.daysOnMarketEnd : null;
      add(firstSeen, { at: ended ?? listing.createdAt, day: null }, false);
    }
  }
  later.forEach(addEvent);
  return withReportedDates(listing, withoutTakenBack(listing, changes));
}

/**
 * Leaves out closings that the source took back: the listing is on the market or under contract again, and did not come on the
 * market for another time since. The status before goes on.
 */
function withoutTakenBack(listing: MarketListing, changes: readonly StatusChange[]): StatusChange[] {
  const cameOnMarket = parseMoment(listing.onMarketDate, listing.timeZone)?.at ?? Number.NEGATIVE_INFINITY;
  const lastOffer = changes.findLastIndex(({ status }) => isOnMarket(status) || status === 'PENDING');
  const kept: StatusChange[] = [];
  let isTakenBack = false;
  for (const [index, change] of changes.entries()) {
    const closedAt = (change.reported ?? change).at;
    if (change.status === 'CLOSED' && index < lastOffer && cameOnMarket <= closedAt) isTakenBack = true;
    else if (!isTakenBack || change.status !== kept.at(-1)?.status) {
      kept.push(change);
      isTakenBack = false;
    }
  }
  return kept;
}

/** Applies the reported on-market date and the end of days on market, where they fit the order. */
function withReportedDates(listing: MarketListing, changes: readonly StatusChange[]): StatusChange[] {
  const adjusted = [...changes];
  const first = adjusted.findIndex(({ status }) => isOnMarket(status));
  const start = adjusted[first];
  const next = adjusted[first + 1];
  const reported = parseMoment(listing.onMarketDate, listing.timeZone);
  if (start && reported !== null && reported.at <= (next?.at ?? Number.POSITIVE_INFINITY)) {
    const before = adjusted[first - 1]?.at ?? reported.at;
    adjusted[first] = { ...start, ...(reported.at >= before ? reported : { at: before, day: null }) };
  }
  const { daysOnMarketEnd } = listing;
  const lastOn = adjusted.findLastIndex(({ status }) => isOnMarket(status));
  const left = adjusted[lastOn + 1];
  const since = adjusted[lastOn];
  if (since && left && daysOnMarketEnd !== null && daysOnMarketEnd >= since.at && daysOnMarketEnd < left.at) {
    if (left.status !== 'UNKNOWN') adjusted[lastOn + 1] = { ...left, at: daysOnMarketEnd, day: null };
  }
  return adjusted;
}

/** Asking prices in the order of time. An undated change has the time at which the listing was first seen. */
function priceChangesOf(listing: MarketListing, events: readonly ListingEvent[]): PriceChange[] {
  const points: PriceChange[] = [];
  const add = (at: number, price: number | null): void => {
    points.push({ at: Math.max(at, points.at(-1)?.at ?? at), price });
  };
  const listed = events.find(({ event }) => event === 'LISTED');
  if (listed) add(listed.at, listed.price);
  for (const { event, at, price, previousPrice } of events) {
    if (event !== 'PRICE_CHANGED') continue;
    if (points.at(-1)?.price !== previousPrice) add(Math.min(listing.createdAt, at), previousPrice);
    add(at, price);
  }
  const { listPrice, createdAt } = listing;
  if (listPrice !== null && points.at(-1)?.price !== listPrice) add(createdAt, listPrice);
  return points.map(({ at, price }) => ({ at, price: monthlyPrice(price, listing) }));
}

/** The monthly price of a rental, or the price of a sale; null for an invalid or missing price. */
export function monthlyPrice(
  price: number | null,
  { listingType, periodsPerMonth }: MarketListing,
): number | null {
  if (price === null || price <= 0 || periodsPerMonth === null) return null;
  return listingType === 'rental' ? roundTo(price * periodsPerMonth, 2) : price;
}

export function priceAt(prices: readonly PriceChange[], at: number): number | null {
  return (prices.findLast((point) => point.at <= at) ?? prices[0])?.price ?? null;
}
