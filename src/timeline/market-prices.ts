// Owns what was asked for a listing over time, per month for rentals, and what of a listing the market needs to know.

import type { ListingEvent } from '../listings/history.ts';
import { cents } from '../listings/stored-record.ts';
import type { ListingType, Status } from '../listings/vocabulary.ts';

/** What must be known of a listing besides its history; times in milliseconds, prices as the source states them. */
export interface MarketListing {
  readonly id: string;
  readonly propertyId: string;
  readonly listingType: ListingType;
  readonly status: Status;
  readonly createdAt: number;
  /** The day on which it came on the market, by the clocks of its time zone. */
  readonly onMarketOn: string | null;
  readonly timeZone: string;
  readonly clockEnd: number | null;
  /** Last asked; null also where a closed listing never told, and shows what it closed at. */
  readonly listPrice: number | null;
  readonly originalPrice: number | null;
  readonly closePrice: number | null;
  /** How many of the periods that prices are for make a month; 1 for sales, null where that cannot be said. */
  readonly perMonth: number | null;
  readonly monthsFree: number | null;
}

/** A line of a listing's history. */
export interface PastEvent extends Omit<ListingEvent, 'origin'> {
  readonly listingId: string;
}

/** From `at` on this was asked; null: withheld. */
export interface PricePoint {
  readonly at: number;
  readonly price: number | null;
}

/** What was asked, in the order of time. A change that history does not date happened when we first saw the listing. */
export function pricesOf(listing: MarketListing, events: readonly PastEvent[]): PricePoint[] {
  const points: PricePoint[] = [];
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
  return points.map(({ at, price }) => ({ at, price: monthly(price, listing) }));
}

/** A price per month for rentals, as it is for sales; null for what is no price. */
export function monthly(price: number | null, { listingType, perMonth }: MarketListing): number | null {
  if (price === null || price <= 0 || perMonth === null) return null;
  return listingType === 'rental' ? cents(price * perMonth) : price;
}
