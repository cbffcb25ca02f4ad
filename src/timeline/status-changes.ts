// Status changes of a listing in order, each with the moment from which it held, though history may be late or incomplete.

import { momentOf, type ReportedMoment } from '../listings/reported-dates.ts';
import { isOnMarket, type Status } from '../listings/vocabulary.ts';
import type { HistoryEvent, MarketListing } from './price-changes.ts';

/** A status and the moment from which it held. */
export interface StatusChange {
  readonly status: Status;
  readonly at: number;
  /** The day of `at`, where the source gave a date without a time. */
  readonly day: string | null;
  /** The moment that history reports; null where it reports none. */
  readonly reported: ReportedMoment | null;
}

/** Events of the first import have no order of their own where dates and times of one day meet. */
const EVENT_ORDER = ['LISTED', 'PENDING', 'CLOSED', 'DELISTED', 'STATUS_CHANGED'];
const BEFORE_MARKET: readonly Status[] = ['COMING_SOON', 'INCOMPLETE'];

/**
 * The statuses of a listing from its history, in the order in which they were recorded: moments never decrease. Where
 * history lacks a moment, it is that at which the listing was first seen.
 */
export function statusChangesOf(listing: MarketListing, events: readonly HistoryEvent[]): StatusChange[] {
  const withStatus = events.filter((event) => event.status !== null);
  const first = withStatus
    .filter((event) => event.previousStatus === null)
    .sort((a, b) => EVENT_ORDER.indexOf(a.event) - EVENT_ORDER.indexOf(b.event));
  const later = withStatus.filter((event) => event.previousStatus !== null);
  const firstSeen = later[0]?.previousStatus ?? listing.status;
  const changes: StatusChange[] = [];
  const add = (status: Status, { at, day }: ReportedMoment, isTold: boolean): void => {
    const last = changes.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    const from = at >= last ? { at, day } : { at: last, day: null };
    changes.push({ status, ...from, reported: isTold ? { at, day } : null });
  };
  const addEvent = ({ status, at, day }: HistoryEvent): void => {
    if (status) add(status, momentOf(day, listing.timeZone) ?? { at, day: null }, true);
  };
  // LISTED of an announced listing is its entry, not its coming on the market.
  if (!BEFORE_MARKET.includes(firstSeen)) {
    first.forEach(addEvent);
    const known = changes.at(-1)?.status;
    if (known !== undefined && known !== firstSeen && !(isOnMarket(known) && isOnMarket(firstSeen))) {
      const ended = later.length === 0 ? listing.daysOnMarketEnd : null;
      add(firstSeen, { at: ended ?? listing.createdAt, day: null }, false);
    }
  }
  later.forEach(addEvent);
  return withReportedDates(listing, changes);
}

/** Applies the source's on-market date and the end of days on market, where they fit the order. */
function withReportedDates(listing: MarketListing, changes: readonly StatusChange[]): StatusChange[] {
  const adjusted = [...changes];
  const first = adjusted.findIndex(({ status }) => isOnMarket(status));
  const came = adjusted[first];
  const next = adjusted[first + 1];
  const began = momentOf(listing.onMarketDate, listing.timeZone);
  if (came && began !== null && began.at <= (next?.at ?? Number.POSITIVE_INFINITY)) {
    const before = adjusted[first - 1]?.at ?? began.at;
    adjusted[first] = { ...came, ...(began.at >= before ? began : { at: before, day: null }) };
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
