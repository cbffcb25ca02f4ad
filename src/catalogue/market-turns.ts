// Owns the order of a listing's statuses: each with the moment from which it held, though history was told late or in part.

import type { MarketListing, PastEvent } from './market-prices.ts';
import { isOnMarket, type Status } from './vocabulary.ts';

/** A status and the moment from which it held. `told`: the moment that history gives for it, null where it gives none. */
export interface Turn {
  readonly status: Status;
  readonly at: number;
  readonly told: number | null;
}

/** What the first reading tells has no order of its own where dates and times of one day meet. */
const FIRST_ORDER = ['LISTED', 'PENDING', 'CLOSED', 'DELISTED'];
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
  const add = (status: Status, at: number, told: number | null): void => {
    turns.push({ status, at: Math.max(at, turns.at(-1)?.at ?? Number.NEGATIVE_INFINITY), told });
  };
  // A listing that was announced was entered then, which is no coming on the market.
  if (!BEFORE_MARKET.includes(firstSeen)) {
    for (const { status, at } of first) if (status) add(status, at, at);
    const known = turns.at(-1)?.status;
    if (known !== undefined && known !== firstSeen && !(isOnMarket(known) && isOnMarket(firstSeen))) {
      const ended = later.length === 0 ? listing.clockEnd : null;
      add(firstSeen, ended ?? listing.createdAt, null);
    }
  }
  for (const { status, at } of later) if (status) add(status, at, at);
  return withEnds(listing, turns);
}

/** The source's own date of coming on the market, and the end that the listing's clock has, where they fit in. */
function withEnds(listing: MarketListing, turns: readonly Turn[]): Turn[] {
  const adjusted = [...turns];
  const first = adjusted.findIndex(({ status }) => isOnMarket(status));
  const came = adjusted[first];
  const next = adjusted[first + 1];
  const { onMarketOn, clockEnd } = listing;
  if (came && onMarketOn !== null && onMarketOn <= (next?.at ?? Number.POSITIVE_INFINITY)) {
    adjusted[first] = { ...came, at: Math.max(onMarketOn, adjusted[first - 1]?.at ?? onMarketOn) };
  }
  const lastOn = adjusted.findLastIndex(({ status }) => isOnMarket(status));
  const left = adjusted[lastOn + 1];
  const since = adjusted[lastOn];
  if (since && left && clockEnd !== null && clockEnd >= since.at && clockEnd < left.at) {
    if (left.status !== 'UNKNOWN') adjusted[lastOn + 1] = { ...left, at: clockEnd };
  }
  return adjusted;
}
