// Owns the order of a listing's statuses: each with the moment from which it held, though history was told late or in part.

import { momentOf, type ReportedMoment } from '../listings/reported-dates.ts';
import { isOnMarket, type Status } from '../listings/vocabulary.ts';
import type { MarketListing, PastEvent } from './market-prices.ts';

/** A status and the moment from which it held. */
export interface Turn {
  readonly status: Status;
  readonly at: number;
  /** Where `at` is the beginning of a mere day: that day. */
  readonly day: string | null;
  /** What history gives for it, null where it gives nothing. */
  readonly told: ReportedMoment | null;
}

/** What the first reading tells has no order of its own where dates and times of one day meet. */
const FIRST_ORDER = ['LISTED', 'PENDING', 'CLOSED', 'DELISTED', 'STATUS_CHANGED'];
const BEFORE_MARKET: readonly Status[] = ['COMING_SOON', 'INCOMPLETE'];

/**
 * The statuses of a listing from its history, in the order in which they were learnt: a moment that is told later never
 * lies before the one told earlier. Where history lacks a moment, it is that at which we first saw the listing.
 */
export function turnsOf(listing: MarketListing, events: readonly PastEvent[]): Turn[] {
  const withStatus = events.filter((event) => event.status !== null);
  const first = withStatus
    .filter((event) => event.previousStatus === null)
    .sort((a, b) => FIRST_ORDER.indexOf(a.event) - FIRST_ORDER.indexOf(b.event));
  const later = withStatus.filter((event) => event.previousStatus !== null);
  const firstSeen = later[0]?.previousStatus ?? listing.status;
  const turns: Turn[] = [];
  const add = (status: Status, { at, day }: ReportedMoment, isTold: boolean): void => {
    const last = turns.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    const from = at >= last ? { at, day } : { at: last, day: null };
    turns.push({ status, ...from, told: isTold ? { at, day } : null });
  };
  const addEvent = ({ status, at, day }: PastEvent): void => {
    if (status) add(status, momentOf(day, listing.timeZone) ?? { at, day: null }, true);
  };
  // A listing that was announced was entered then, which is no coming on the market.
  if (!BEFORE_MARKET.includes(firstSeen)) {
    first.forEach(addEvent);
    const known = turns.at(-1)?.status;
    if (known !== undefined && known !== firstSeen && !(isOnMarket(known) && isOnMarket(firstSeen))) {
      const ended = later.length === 0 ? listing.clockEnd : null;
      add(firstSeen, { at: ended ?? listing.createdAt, day: null }, false);
    }
  }
  later.forEach(addEvent);
  return withEnds(listing, turns);
}

/** The source's own date of coming on the market, and the end that the listing's clock has, where they fit in. */
function withEnds(listing: MarketListing, turns: readonly Turn[]): Turn[] {
  const adjusted = [...turns];
  const first = adjusted.findIndex(({ status }) => isOnMarket(status));
  const came = adjusted[first];
  const next = adjusted[first + 1];
  const began = momentOf(listing.onMarketOn, listing.timeZone);
  if (came && began !== null && began.at <= (next?.at ?? Number.POSITIVE_INFINITY)) {
    const before = adjusted[first - 1]?.at ?? began.at;
    adjusted[first] = { ...came, ...(began.at >= before ? began : { at: before, day: null }) };
  }
  const { clockEnd } = listing;
  const lastOn = adjusted.findLastIndex(({ status }) => isOnMarket(status));
  const left = adjusted[lastOn + 1];
  const since = adjusted[lastOn];
  if (since && left && clockEnd !== null && clockEnd >= since.at && clockEnd < left.at) {
    if (left.status !== 'UNKNOWN') adjusted[lastOn + 1] = { ...left, at: clockEnd, day: null };
  }
  return adjusted;
}
