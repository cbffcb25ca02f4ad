// Timeline of a property on the market, built from its listings and their history. Pure.

import { DAY } from '../lib/clock.ts';
import type { ListingEvent } from '../listings/history.ts';
import { localTimeBetween } from '../listings/local-time.ts';
import { parseMoment, type ReportedMoment } from '../listings/reported-dates.ts';
import { isOnMarket, type ListingType, type Status } from '../listings/vocabulary.ts';
import {
  buildListingTimeline,
  type ListingTimeline,
  type MarketListing,
  monthlyPrice,
  type PriceChange,
  pausedTimeBefore,
  priceAt,
  type StatusChange,
} from './listing-timeline.ts';

/** A listing within this time after a delisting counts as relisted. */
const RELIST = 30 * DAY;

/** Time on the market at one price, as its property's latest listing. Moments are infinite while it lasts. */
export interface MarketPeriod {
  readonly listingId: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly supersededAt: number;
  readonly daysOnMarketStart: number;
  readonly price: number | null;
  readonly monthsFree: number | null;
}

export type MarketEventKind =
  | 'new'
  | 'relisted'
  | 'pending'
  | 'closed'
  | 'delisted'
  | 'left'
  | 'ended'
  | 'drop';

/** An event of a listing. `days` and `ratio` depend on the kind: see the comments of table market_event. */
export interface MarketEvent extends ReportedMoment {
  readonly listingId: string;
  readonly listingType: ListingType;
  readonly kind: MarketEventKind;
  readonly price: number | null;
  readonly days: number | null;
  readonly ratio: number | null;
  readonly originalRatio: number | null;
}

export interface PropertyTimeline {
  readonly periods: readonly MarketPeriod[];
  readonly events: readonly MarketEvent[];
}

/** Periods and events of one property. `histories` has the events of each listing by its id, in the order of recording. */
export function buildTimeline(
  listings: readonly MarketListing[],
  histories: ReadonlyMap<string, readonly ListingEvent[]>,
): PropertyTimeline {
  const timelines = listings.map((listing) => buildListingTimeline(listing, histories.get(listing.id) ?? []));
  const placed = timelines
    .filter(({ spans }) => spans.length > 0)
    .sort((a, b) => firstOnMarketAt(a) - firstOnMarketAt(b) || (a.listing.id < b.listing.id ? -1 : 1));
  const periods = placed.flatMap((one, at) => {
    const later = placed.slice(at + 1).find(({ listing }) => listing.listingType === one.listing.listingType);
    return periodsOf(one, later?.firstOnMarket?.at ?? Number.POSITIVE_INFINITY);
  });
  const marketEvents = timelines.flatMap((one) => [
    ...arrivalEvents(one, timelines),
    ...departureEvents(one),
    ...statusEvents(one),
    ...priceDropEvents(
      one,
      periods.filter((period) => period.listingId === one.listing.id),
    ),
  ]);
  return { periods, events: marketEvents };
}

const firstOnMarketAt = ({ firstOnMarket }: ListingTimeline): number => firstOnMarket?.at ?? 0;

/** The time in which a listing was its property's latest on the market, cut where its price changed. */
function periodsOf({ listing, spans, priceChanges }: ListingTimeline, supersededAt: number): MarketPeriod[] {
  const periods: MarketPeriod[] = [];
  for (const { from, to, daysOnMarketStart } of spans) {
    const end = Math.min(to, supersededAt);
    const cuts = priceChanges
      .filter(({ price }, at) => at > 0 && price !== priceChanges[at - 1]?.price)
      .map(({ at }) => at)
      .filter((at) => at > from && at < end);
    const edges = [...new Set([from, ...cuts, end])];
    for (const [index, startedAt] of edges.slice(0, -1).entries()) {
      const endedAt = edges[index + 1] ?? end;
      if (startedAt >= endedAt) continue;
      const price = priceAt(priceChanges, startedAt);
      periods.push({
        listingId: listing.id,
        startedAt,
        endedAt,
        supersededAt,
        daysOnMarketStart,
        price,
        monthsFree: listing.monthsFree,
      });
    }
  }
  return periods;
}

const NO_FIGURES = { price: null, days: null, ratio: null, originalRatio: null } as const;

function createEvent(
  { id, listingType }: MarketListing,
  kind: MarketEventKind,
  { at, day }: ReportedMoment,
  figures: Partial<MarketEvent> = {},
): MarketEvent {
  return { ...NO_FIGURES, listingId: id, listingType, kind, at, day, ...figures };
}

const SOLD: readonly Status[] = ['PENDING', 'CLOSED'];
const DELISTED: readonly Status[] = ['EXPIRED', 'CANCELED', 'WITHDRAWN'];
const OFF_MARKET: readonly Status[] = [...DELISTED, 'DELETED'];

/** Changes to PENDING or CLOSED from any other status. */
const salesOf = (statusChanges: readonly StatusChange[]): StatusChange[] =>
  statusChanges.filter(
    ({ status }, at) => SOLD.includes(status) && !SOLD.includes(statusChanges[at - 1]?.status ?? 'UNKNOWN'),
  );

/** How the listing came on the market: new, or relisted shortly after a delisting. */
function arrivalEvents(
  { listing, statusChanges, priceChanges, firstOnMarket }: ListingTimeline,
  all: readonly ListingTimeline[],
): MarketEvent[] {
  if (firstOnMarket === null) return [];
  const isRelisted = all
    .filter(({ listing: { id, listingType } }) => id !== listing.id && listingType === listing.listingType)
    .flatMap((other) => other.statusChanges)
    .some(({ status, reported }) => {
      if (reported === null || !OFF_MARKET.includes(status)) return false;
      return reported.at <= firstOnMarket.at && firstOnMarket.at - reported.at <= RELIST;
    });
  const sale = salesOf(statusChanges).find(({ at }) => at >= firstOnMarket.at);
  const days = sale ? localTimeBetween(firstOnMarket.at, sale.at, listing.timeZone) / DAY : null;
  const price = priceAt(priceChanges, firstOnMarket.at);
  return [createEvent(listing, isRelisted ? 'relisted' : 'new', firstOnMarket, { price, days })];
}

/** How the listing left the market, with its days on the market. */
function departureEvents({ listing, statusChanges, spans, firstOnMarket }: ListingTimeline): MarketEvent[] {
  const { timeZone } = listing;
  const daysTo = (at: number): number | null => {
    if (firstOnMarket === null || at < firstOnMarket.at) return null;
    const lasted =
      localTimeBetween(firstOnMarket.at, at, timeZone) - pausedTimeBefore(statusChanges, at, timeZone);
    return Math.max(0, Math.floor(lasted / DAY));
  };
  const left = salesOf(statusChanges).map((change) => {
    // Listed after its sale, it was never on the market: the sale keeps its date, and has no days.
    const moment = firstOnMarket === null && change.reported ? change.reported : change;
    return createEvent(listing, 'left', moment, { days: daysTo(change.at) });
  });
  const ended = spans
    .filter(
      ({ nextStatus }) =>
        nextStatus !== null && (SOLD.includes(nextStatus) || OFF_MARKET.includes(nextStatus)),
    )
    .map(({ to, day }) => createEvent(listing, 'ended', { at: to, day }, { days: daysTo(to) }));
  return [...left, ...ended];
}

/** Status changes that are counted, at the moment that history reports. */
function statusEvents({ listing, statusChanges, priceChanges }: ListingTimeline): MarketEvent[] {
  const lastClosing = statusChanges.findLastIndex(
    ({ status, reported }) => status === 'CLOSED' && reported !== null,
  );
  return statusChanges.flatMap(({ status, reported, at: from }, at) => {
    const previous = statusChanges[at - 1]?.status;
    if (reported === null) return [];
    if (status === 'PENDING') return [createEvent(listing, 'pending', reported)];
    if (status === 'CLOSED') {
      // Once the listing was offered another time, the price of its earlier sale is no longer stored.
      const isFinal =
        at === lastClosing && !statusChanges.slice(at + 1).some((change) => isOnMarket(change.status));
      return [
        createEvent(listing, 'closed', reported, isFinal ? closingFigures(listing, priceChanges, from) : {}),
      ];
    }
    const counts =
      DELISTED.includes(status) &&
      (previous === undefined || (!OFF_MARKET.includes(previous) && previous !== 'CLOSED'));
    return counts ? [createEvent(listing, 'delisted', reported)] : [];
  });
}

/** Close price and its ratios to the asking prices; a closing before the listing was first seen uses today's asking price. */
function closingFigures(
  listing: MarketListing,
  prices: readonly PriceChange[],
  at: number,
): Partial<MarketEvent> {
  const closePrice = monthlyPrice(listing.closePrice, listing);
  const listPrice = monthlyPrice(listing.listPrice, listing);
  const asking = listPrice === null || at <= listing.createdAt ? listPrice : priceAt(prices, at);
  if (closePrice === null || asking === null) return { price: closePrice };
  const original = monthlyPrice(listing.originalPrice, listing) ?? prices[0]?.price ?? asking;
  return { price: closePrice, ratio: closePrice / asking, originalRatio: closePrice / original };
}

/** Price reductions while the listing was its property's latest on the market. */
function priceDropEvents(
  { listing, events }: ListingTimeline,
  periods: readonly MarketPeriod[],
): MarketEvent[] {
  return events.flatMap(({ event, price, previousPrice, ...when }) => {
    if (event !== 'PRICE_CHANGED') return [];
    if (price === null || price <= 0 || previousPrice === null || price >= previousPrice) return [];
    const moment = parseMoment(when.day, listing.timeZone) ?? { at: when.at, day: null };
    if (!periods.some((period) => period.startedAt <= moment.at && moment.at < period.endedAt)) return [];
    return [createEvent(listing, 'drop', moment, { ratio: ((previousPrice - price) / previousPrice) * 100 })];
  });
}
