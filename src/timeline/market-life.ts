// Owns how the life of a property on the market is told from its listings and their history. Pure.

import { DAY } from '../lib/time.ts';
import { afterClockTime, clockTimeBetween } from '../listings/place-time.ts';
import { momentOf, type ReportedMoment } from '../listings/reported-dates.ts';
import { isOnMarket, type ListingType, type Status } from '../listings/vocabulary.ts';
import { type MarketListing, monthly, type PastEvent, type PricePoint, pricesOf } from './market-prices.ts';
import { type Turn, turnsOf } from './market-turns.ts';

/** Within this time after a delisting the property's next listing goes on with it. */
const RELIST = 30 * DAY;

/** A stretch of time on the market at one price, as its property's latest listing; infinite where it lasts. */
export interface Stay {
  readonly listingId: string;
  readonly onAt: number;
  readonly offAt: number;
  readonly supersededAt: number;
  readonly agedFrom: number;
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

/** Something that happened to a listing; what `days` and `ratio` are depends on the kind: see the comments of table market_event. */
export interface MarketEvent extends ReportedMoment {
  readonly listingId: string;
  readonly listingType: ListingType;
  readonly kind: MarketEventKind;
  readonly price: number | null;
  readonly days: number | null;
  readonly ratio: number | null;
  readonly originalRatio: number | null;
}

export interface MarketLife {
  readonly stays: readonly Stay[];
  readonly events: readonly MarketEvent[];
}

/** A listing with all that is worked out of it alone. */
interface Told {
  readonly listing: MarketListing;
  readonly turns: readonly Turn[];
  readonly prices: readonly PricePoint[];
  readonly spans: readonly Span[];
  readonly firstOn: ReportedMoment | null;
}

/** On the market without a break. `to` is infinite while it lasts, then `next` is null. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** The mere day that `to` is the beginning of, if it is one. */
  readonly day: string | null;
  readonly agedFrom: number;
  readonly next: Status | null;
}

/** Stays and events of one property. Events come in the order in which they were recorded. */
export function lifeOf(listings: readonly MarketListing[], events: readonly PastEvent[]): MarketLife {
  const told = listings.map((listing) =>
    tell(
      listing,
      events.filter((event) => event.listingId === listing.id),
    ),
  );
  const placed = told
    .filter(({ spans }) => spans.length > 0)
    .sort((a, b) => cameOn(a) - cameOn(b) || (a.listing.id < b.listing.id ? -1 : 1));
  const stays = placed.flatMap((one, at) => {
    const later = placed.slice(at + 1).find(({ listing }) => listing.listingType === one.listing.listingType);
    return staysOf(one, later?.firstOn?.at ?? Number.POSITIVE_INFINITY);
  });
  const happened = told.flatMap((one) => [
    ...arrivals(one, told),
    ...departures(one),
    ...transitions(one),
    ...drops(
      one,
      stays.filter((stay) => stay.listingId === one.listing.id),
      events,
    ),
  ]);
  return { stays, events: happened };
}

const cameOn = ({ firstOn }: Told): number => firstOn?.at ?? 0;

function tell(listing: MarketListing, events: readonly PastEvent[]): Told {
  const turns = turnsOf(listing, events);
  const spans: Span[] = [];
  const firstTurn = turns.find(({ status }) => isOnMarket(status));
  const aged = (at: number): number => {
    const first = firstTurn?.at ?? at;
    return afterClockTime(first, pausedBefore(turns, at, listing.timeZone), listing.timeZone);
  };
  let since: { from: number; agedFrom: number } | null = null;
  for (const { status, at, day } of turns) {
    if (isOnMarket(status)) since ??= { from: at, agedFrom: aged(at) };
    else if (since) {
      if (at > since.from) spans.push({ ...since, to: at, day, next: status });
      since = null;
    }
  }
  if (since) spans.push({ ...since, to: Number.POSITIVE_INFINITY, day: null, next: null });
  // Who came and went in the same moment was never on the market.
  return {
    listing,
    turns,
    spans,
    prices: pricesOf(listing, events),
    firstOn: spans.length > 0 && firstTurn ? { at: firstTurn.at, day: firstTurn.day } : null,
  };
}

const pauses = (status: Status): boolean => status === 'HOLD' || status === 'WITHDRAWN';

/** Milliseconds in HOLD or WITHDRAWN between the first moment on the market and this one, by the clocks of the place. */
function pausedBefore(turns: readonly Turn[], until: number, timeZone: string): number {
  const first = turns.findIndex(({ status }) => isOnMarket(status));
  if (first < 0) return 0;
  let sum = 0;
  for (const [index, turn] of turns.entries()) {
    if (index < first || !pauses(turn.status) || turn.at >= until) continue;
    sum += clockTimeBetween(turn.at, Math.min(turns[index + 1]?.at ?? until, until), timeZone);
  }
  return sum;
}

/** What of a listing's time on the market it was its property's latest, cut where its price changed. */
function staysOf({ listing, spans, prices }: Told, supersededAt: number): Stay[] {
  const stays: Stay[] = [];
  for (const { from, to, agedFrom } of spans) {
    const end = Math.min(to, supersededAt);
    const cuts = prices
      .filter(({ price }, at) => at > 0 && price !== prices[at - 1]?.price)
      .map(({ at }) => at)
      .filter((at) => at > from && at < end);
    const edges = [...new Set([from, ...cuts, end])];
    for (const [index, onAt] of edges.slice(0, -1).entries()) {
      const offAt = edges[index + 1] ?? end;
      if (onAt >= offAt) continue;
      const price = priceAt(prices, onAt);
      stays.push({
        ...{ listingId: listing.id, onAt, offAt, supersededAt, agedFrom, price },
        monthsFree: listing.monthsFree,
      });
    }
  }
  return stays;
}

function priceAt(prices: readonly PricePoint[], at: number): number | null {
  return (prices.findLast((point) => point.at <= at) ?? prices[0])?.price ?? null;
}

const NOTHING = { price: null, days: null, ratio: null, originalRatio: null } as const;

function eventOf(
  { id, listingType }: MarketListing,
  kind: MarketEventKind,
  { at, day }: ReportedMoment,
  facts: Partial<MarketEvent> = {},
): MarketEvent {
  return { ...NOTHING, listingId: id, listingType, kind, at, day, ...facts };
}

const SOLD: readonly Status[] = ['PENDING', 'CLOSED'];
const DELISTED: readonly Status[] = ['EXPIRED', 'CANCELED', 'WITHDRAWN'];
const GONE: readonly Status[] = [...DELISTED, 'DELETED'];

/** Turns to PENDING or CLOSED from anything else. */
const salesOf = (turns: readonly Turn[]): Turn[] =>
  turns.filter(
    ({ status }, at) => SOLD.includes(status) && !SOLD.includes(turns[at - 1]?.status ?? 'UNKNOWN'),
  );

/** How the listing came on the market: as something new, or going on with what was delisted shortly before. */
function arrivals({ listing, turns, prices, firstOn }: Told, all: readonly Told[]): MarketEvent[] {
  if (firstOn === null) return [];
  const goesOn = all.some(
    (other) =>
      other.listing.id !== listing.id &&
      other.listing.listingType === listing.listingType &&
      other.turns.some(
        ({ status, told }) =>
          told !== null && GONE.includes(status) && told.at <= firstOn.at && firstOn.at - told.at <= RELIST,
      ),
  );
  const sale = salesOf(turns).find(({ at }) => at >= firstOn.at);
  const days = sale ? clockTimeBetween(firstOn.at, sale.at, listing.timeZone) / DAY : null;
  const price = priceAt(prices, firstOn.at);
  return [eventOf(listing, goesOn ? 'relisted' : 'new', firstOn, { price, days })];
}

/** How the listing left the market, with its days on it. */
function departures({ listing, turns, spans, firstOn }: Told): MarketEvent[] {
  const { timeZone } = listing;
  const daysTo = (at: number): number | null => {
    if (firstOn === null || at < firstOn.at) return null;
    const lasted = clockTimeBetween(firstOn.at, at, timeZone) - pausedBefore(turns, at, timeZone);
    return Math.max(0, Math.floor(lasted / DAY));
  };
  const left = salesOf(turns).map((turn) => eventOf(listing, 'left', turn, { days: daysTo(turn.at) }));
  const ended = spans
    .filter(({ next }) => next !== null && (SOLD.includes(next) || GONE.includes(next)))
    .map(({ to, day }) => eventOf(listing, 'ended', { at: to, day }, { days: daysTo(to) }));
  return [...left, ...ended];
}

/** Changes of status that are counted, at the moment that was told for them. */
function transitions({ listing, turns, prices }: Told): MarketEvent[] {
  const lastClosing = turns.findLastIndex(({ status, told }) => status === 'CLOSED' && told !== null);
  return turns.flatMap(({ status, told, at: from }, at) => {
    const was = turns[at - 1]?.status;
    if (told === null) return [];
    if (status === 'PENDING') return [eventOf(listing, 'pending', told)];
    if (status === 'CLOSED') {
      // Of a closing that fell apart afterwards nobody knows the price any more.
      const holds = at === lastClosing && !turns.slice(at + 1).some((turn) => isOnMarket(turn.status));
      return [eventOf(listing, 'closed', told, holds ? closing(listing, prices, from) : {})];
    }
    const counts =
      DELISTED.includes(status) && (was === undefined || (!GONE.includes(was) && was !== 'CLOSED'));
    return counts ? [eventOf(listing, 'delisted', told)] : [];
  });
}

/** What was paid, against what was last asked then: of a closing from before we knew of the listing, what is said now. */
function closing(listing: MarketListing, prices: readonly PricePoint[], at: number): Partial<MarketEvent> {
  const [paid, known] = [monthly(listing.closePrice, listing), monthly(listing.listPrice, listing)];
  const asked = known === null || at <= listing.createdAt ? known : priceAt(prices, at);
  if (paid === null || asked === null) return { price: paid };
  const original = monthly(listing.originalPrice, listing) ?? prices[0]?.price ?? asked;
  return { price: paid, ratio: paid / asked, originalRatio: paid / original };
}

/** Each time that the price was lowered while the listing stood on the market as its property's latest. */
function drops({ listing }: Told, stays: readonly Stay[], events: readonly PastEvent[]): MarketEvent[] {
  return events.flatMap(({ listingId, event, price, previousPrice, ...when }) => {
    if (listingId !== listing.id || event !== 'PRICE_CHANGED') return [];
    if (price === null || price <= 0 || previousPrice === null || price >= previousPrice) return [];
    const moment = momentOf(when.day, listing.timeZone) ?? { at: when.at, day: null };
    if (!stays.some((stay) => stay.onAt <= moment.at && moment.at < stay.offAt)) return [];
    return [eventOf(listing, 'drop', moment, { ratio: ((previousPrice - price) / previousPrice) * 100 })];
  });
}
