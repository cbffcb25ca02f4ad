// State of a listing as the log of changes keeps it: the columns that searches read, and a summary for people.

import type { DraftLocation } from './draft.ts';
import { maskLocation, townOf } from './presenter.ts';
import type { Listing } from './record.ts';
import type { SearchRow } from './search-row.ts';

const PLAIN_MEMBERS = [
  'id',
  'object',
  'propertyId',
  'listingType',
  'status',
  'price',
  'currency',
  'priceFrequency',
  'priceMonthly',
  'previousPrice',
  'originalPrice',
  'closePrice',
  'propertyType',
  'propertySubType',
  'bedrooms',
  'bathrooms',
  'livingArea',
  'lotSize',
  'yearBuilt',
  'photoCount',
  'listedAt',
  'statusChangedAt',
  'closedAt',
] as const;
const ADDRESS_MEMBERS = [
  'full',
  'line1',
  'unit',
  'city',
  'neighborhood',
  'county',
  'state',
  'postalCode',
  'country',
] as const;
const OPEN_HOUSE_MEMBERS = ['id', 'startsAt', 'endsAt', 'type', 'status'] as const;

type PlainMembers = Pick<Listing, (typeof PLAIN_MEMBERS)[number]>;
type SummaryAddress = Pick<Listing['address'], (typeof ADDRESS_MEMBERS)[number]>;
type SummaryOpenHouse = Pick<Listing['openHouses'][number], (typeof OPEN_HOUSE_MEMBERS)[number]>;

/** A listing in short, as events and changes show it: no text, no photos, no agent. Areas in `areaUnit`. */
export interface ListingSummary extends Readonly<PlainMembers> {
  readonly areaUnit: Listing['areaUnit'];
  readonly address: Readonly<SummaryAddress>;
  readonly location: Omit<DraftLocation, 'source'> | null;
  readonly openHouses: readonly Readonly<SummaryOpenHouse>[];
}

/** `listing` is masked where the source withholds the address; `withheld` then has what only Internal callers may see. */
export interface ChangeState {
  /** Of the listing; absent in entries of releases before there was a search engine in memory. */
  readonly version?: number;
  readonly row: SearchRow;
  readonly listing: ListingSummary;
  readonly withheld?: Pick<ListingSummary, 'address' | 'location'>;
}

function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>;
}

/** The summary of a listing, masked as the listing is. */
export function summarizeListing(
  listing: Pick<Listing, keyof PlainMembers | 'address' | 'openHouses'> & {
    readonly location: ListingSummary['location'];
  },
  areaUnit: Listing['areaUnit'] = 'sqft',
): ListingSummary {
  return {
    ...pick(listing, PLAIN_MEMBERS),
    areaUnit,
    address: pick(listing.address, ADDRESS_MEMBERS),
    location: listing.location && pick(listing.location, ['lat', 'lng', 'precision']),
    openHouses: listing.openHouses.map((house) => pick(house, OPEN_HOUSE_MEMBERS)),
  };
}

/** The summary without members that the terms of its source hide by now; the asking price of a sold home may be the price paid. */
export function hideMembers<Summary extends Partial<ListingSummary>>(
  summary: Summary,
  hidden: readonly string[],
): Summary {
  if (hidden.length === 0) return summary;
  const members = Object.entries(summary).map(([name, value]) => [
    name,
    hidden.includes(name) ? (Array.isArray(value) ? [] : null) : value,
  ]);
  const rest = Object.fromEntries(members) as Summary;
  const { price, closePrice } = summary;
  const isPaid = hidden.includes('closePrice') && typeof price === 'number' && price === closePrice;
  return isPaid ? { ...rest, price: null } : rest;
}

/** The summary as readers see it where the source withholds the address. */
export function maskSummary(summary: ListingSummary): ListingSummary {
  const { address, location } = summary;
  return {
    ...summary,
    address: { ...address, line1: null, unit: null, full: townOf(address) },
    location: location && maskLocation(location),
  };
}
