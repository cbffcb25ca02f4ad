// Public property record: a place, described by its listings, with their history.

import { type Static, Type } from 'typebox';
import { parseTime } from '../lib/clock.ts';
import { EVENTS } from './history.ts';
import { presentListing, type ReaderView } from './presenter.ts';
import {
  AddressSchema,
  AreaUnitSchema,
  AttributionSchema,
  integer,
  type Listing,
  ListingSchema,
  LocationSchema,
  nullable,
  number,
  oneOf,
  text,
  texts,
} from './record.ts';
import type { StoredListing, StoredProperty } from './store.ts';
import { LISTING_TYPES, PROPERTY_TYPES, STATUSES } from './vocabulary.ts';

const PeriodSchema = Type.Object({
  id: Type.String(),
  listingType: oneOf(LISTING_TYPES),
  status: oneOf(STATUSES),
  price: number,
  closePrice: number,
  listedAt: nullable(Type.String({ format: 'date-time' })),
  closedAt: nullable(Type.String({ format: 'date' })),
  offMarketAt: nullable(Type.String({ format: 'date' })),
  daysOnMarket: integer,
  attribution: AttributionSchema,
  fetchedAt: Type.String({ format: 'date-time' }),
});

export const HistoryEventSchema = Type.Object({
  at: Type.String({ format: 'date-time' }),
  event: oneOf(EVENTS),
  listingId: Type.String(),
  listingType: oneOf(LISTING_TYPES),
  price: number,
  previousPrice: number,
  status: nullable(oneOf(STATUSES)),
  previousStatus: nullable(oneOf(STATUSES)),
  origin: oneOf(
    ['upstream', 'observed'],
    'upstream: the source stated the time; observed: the service noticed the change then.',
  ),
});

const DealSchema = nullable(Type.Object({ date: Type.String({ format: 'date' }), price: Type.Number() }));

/** What became of the request to the source for this answer. */
export const LiveSchema = nullable(
  Type.Object(
    {
      attempted: Type.Boolean(),
      ok: Type.Boolean(),
      error: nullable(Type.String({ description: 'An error code of the listing stream.' })),
      durationMs: Type.Integer(),
    },
    { description: 'Null if the caller’s tier has no live reads, or the request asked for none.' },
  ),
);

export const PropertySchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('property'),
    source: oneOf(['live', 'cached']),
    fetchedAt: Type.String({ format: 'date-time' }),
    cacheAgeSeconds: Type.Integer(),
    attribution: AttributionSchema,
    live: LiveSchema,
    address: AddressSchema,
    location: LocationSchema,
    areaIds: Type.Array(Type.String()),
    propertyType: oneOf(PROPERTY_TYPES),
    bedrooms: integer,
    bathrooms: number,
    livingArea: number,
    areaUnit: AreaUnitSchema,
    lotSize: number,
    yearBuilt: integer,
    stories: integer,
    unitsTotal: integer,
    building: nullable(Type.Object({ id: text, name: text, yearBuilt: integer })),
    parcelNumber: text,
    universalPropertyId: text,
    features: texts,
    taxes: Type.Array(Type.Object({ year: Type.Integer(), amount: number, assessedValue: number })),
    currentListing: nullable(ListingSchema),
    listings: nullable(Type.Array(PeriodSchema, { description: 'Newest first; null unless included.' })),
    history: nullable(Type.Array(HistoryEventSchema, { description: 'Newest first; null unless included.' })),
    lastSale: DealSchema,
    lastRent: DealSchema,
  },
  { description: 'A property. Each of its listings is one period on the market.' },
);

export type Property = Static<typeof PropertySchema>;

export const PROPERTY_PARTS = ['listings', 'history'] as const;
export type PropertyPart = (typeof PROPERTY_PARTS)[number];

/** The property as this reader may see it; null where display rules leave nothing of it. */
export function presentProperty(
  property: StoredProperty,
  view: ReaderView,
  options: { readonly include: readonly PropertyPart[]; readonly live: Property['live'] },
): Property | null {
  const visible = property.listings.flatMap((stored) => {
    const listing = presentListing(stored, view);
    return listing ? [{ stored, listing }] : [];
  });
  const listings = visible.map(({ listing }) => listing);
  const current = visible.find(({ listing }) => CURRENT_STATUSES.includes(listing.status));
  const subject = current ?? visible[0];
  if (!subject) return null;
  const { listing, stored } = subject;
  const { fetchedAt } = listing;
  return {
    id: property.id,
    object: 'property',
    source: view.source,
    fetchedAt,
    cacheAgeSeconds: Math.max(0, Math.floor((view.now - (parseTime(fetchedAt) ?? view.now)) / 1000)),
    attribution: listing.attribution,
    live: options.live,
    address: listing.address,
    location: listing.location,
    areaIds: listing.areaIds,
    propertyType: listing.propertyType,
    bedrooms: listing.bedrooms,
    bathrooms: listing.bathrooms,
    livingArea: listing.livingArea,
    areaUnit: listing.areaUnit,
    lotSize: listing.lotSize,
    yearBuilt: listing.yearBuilt,
    stories: listing.stories,
    ...propertyFacts(stored, view),
    features: listing.features,
    currentListing: current?.listing ?? null,
    listings: options.include.includes('listings') ? listings.map(presentPeriod) : null,
    history: options.include.includes('history') ? historyOf(property, listings) : null,
    lastSale: lastDeal(listings, 'sale'),
    lastRent: lastDeal(listings, 'rental'),
  };
}

/** Facts that only the property shows. Parcel numbers and taxes identify the home: they are hidden with its address. */
function propertyFacts(stored: StoredListing, view: ReaderView) {
  const { property, yearBuilt } = stored.record;
  const isAddressVisible = stored.addressDisplayed || view.ignoreDisplayRules;
  const { buildingName, parcelNumber, universalPropertyId, taxes } = property;
  return {
    unitsTotal: property.unitsTotal,
    building: isAddressVisible && buildingName ? { id: null, name: buildingName, yearBuilt } : null,
    parcelNumber: isAddressVisible ? parcelNumber : null,
    universalPropertyId: isAddressVisible ? universalPropertyId : null,
    taxes: isAddressVisible ? [...taxes] : [],
  };
}

/** Statuses of a listing that is on the market, or on its way onto or off it. */
export const CURRENT_STATUSES: readonly Listing['status'][] = [
  'ACTIVE',
  'ACTIVE_UNDER_CONTRACT',
  'COMING_SOON',
  'PENDING',
  'HOLD',
];

function presentPeriod(listing: Listing): Static<typeof PeriodSchema> {
  const { id, listingType, status, price, closePrice, listedAt, closedAt, offMarketAt, daysOnMarket } =
    listing;
  const { attribution, fetchedAt } = listing;
  return {
    id,
    listingType,
    status,
    price,
    closePrice,
    listedAt,
    closedAt,
    offMarketAt,
    daysOnMarket,
    attribution,
    fetchedAt,
  };
}

function historyOf(property: StoredProperty, visible: readonly Listing[]): Property['history'] {
  const ids = new Set(visible.map(({ id }) => id));
  return property.history.filter(({ listingId }) => ids.has(listingId)) as NonNullable<Property['history']>;
}

/** The last closing of this type, null if it has no price. A rental without a close price has its asking rent. */
function lastDeal(listings: readonly Listing[], type: Listing['listingType']): Property['lastSale'] {
  const [last] = listings
    .filter(({ listingType, status, closedAt }) => listingType === type && status === 'CLOSED' && closedAt)
    .sort((a, b) => (b.closedAt ?? '').localeCompare(a.closedAt ?? ''));
  const price = last?.closePrice ?? (type === 'rental' ? last?.price : null);
  return last?.closedAt && price ? { date: last.closedAt, price } : null;
}
