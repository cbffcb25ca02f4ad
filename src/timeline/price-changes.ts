// Asking prices of a listing over time, per month for rentals.

import type { ListingEvent } from '../listings/history.ts';
import { cents } from '../listings/stored-record.ts';
import type { ListingType, Status } from '../listings/vocabulary.ts';

/** What the timeline needs of a listing besides its history; times in milliseconds, prices as the source states them. */
export interface MarketListing {
  readonly id: string;
  readonly propertyId: string;
  readonly listingType: ListingType;
  readonly status: Status;
  readonly createdAt: number;
  /** The day on which it came on the market, by the clocks of its time zone. */
  readonly onMarketDate: string | null;
  readonly timeZone: string;
  readonly daysOnMarketEnd: number | null;
  /** Last asking price; null where a closed listing has only its close price. */
  readonly listPrice: number | null;
  readonly originalPrice: number | null;
  readonly closePrice: number | null;
  /** How many of the periods that prices are for make a month; 1 for sales, null where that cannot be said. */
  readonly periodsPerMonth: number | null;
  readonly monthsFree: number | null;
}

/** An entry of a listing's history. */
export interface HistoryEvent extends Omit<ListingEvent, 'origin'> {
  readonly listingId: string;
}

/** The asking price from `at` on; null: withheld. */
export interface PriceChange {
  readonly at: number;
  readonly price: number | null;
}

/** Asking prices in the order of time. A change that history does not date is dated when the listing was first seen. */
export function priceChangesOf(listing: MarketListing, events: readonly HistoryEvent[]): PriceChange[] {
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

/** The monthly price of a rental, or the price of a sale; null for what is no price. */
export function monthlyPrice(
  price: number | null,
  { listingType, periodsPerMonth }: MarketListing,
): number | null {
  if (price === null || price <= 0 || periodsPerMonth === null) return null;
  return listingType === 'rental' ? cents(price * periodsPerMonth) : price;
}
