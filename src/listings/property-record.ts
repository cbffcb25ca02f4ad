// Public property record: a place, described by its listings, with their history.

import { type Static, Type } from 'typebox';
import { instant } from './days-on-market.ts';
import { EVENTS } from './history.ts';
import { presentListing, type ReaderView } from './presenter.ts';
import {
  AddressSchema,
  AreaUnitSchema,
  type Listing,
  ListingSchema,
  LocationSchema,
  nullable,
} from './record.ts';
import type { StoredListing, StoredProperty } from './store.ts';
import { LISTING_TYPES, PROPERTY_TYPES, STATUSES } from './vocabulary.ts';

const oneOf = <T extends string>(values: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values] });
const text = nullable(Type.String());
const number = nullable(Type.Number());
const integer = nullable(Type.Integer());

const Period = Type.Object({
  id: Type.String(),
  listingType: oneOf(LISTING_TYPES),
  status: oneOf(STATUSES),
  price: number,
  closePrice: number,
  listedAt: nullable(Type.String({ format: 'date-time' })),
  closedAt: nullable(Type.String({ format: 'date' })),
  offMarketAt: nullable(Type.String({ format: 'date' })),
  daysOnMarket: integer,
});

export const HistoryLine = Type.Object({
  at: Type.String({ format: 'date-time' }),
  event: oneOf(EVENTS),
  listingId: Type.String(),
  listingType: oneOf(LISTING_TYPES),
  price: number,
  previousPrice: number,
  status: nullable(oneOf(STATUSES)),
  previousStatus: nullable(oneOf(STATUSES)),
  origin: Type.Unsafe<'upstream' | 'observed'>({
    type: 'string',
    enum: ['upstream', 'observed'],
    description: 'upstream: the source stated the time; observed: the service noticed the change then.',
  }),
});

const Deal = nullable(Type.Object({ date: Type.String({ format: 'date' }), price: Type.Number() }));

/** What became of asking the source for this answer. */
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
    source: Type.Unsafe<'live' | 'cached'>({ type: 'string', enum: ['live', 'cached'] }),
    fetchedAt: Type.String({ format: 'date-time' }),
    cacheAgeSeconds: Type.Integer(),
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
    features: Type.Array(Type.String()),
    taxes: Type.Array(Type.Object({ year: Type.Integer(), amount: number, assessedValue: number })),
    currentListing: nullable(ListingSchema),
    listings: nullable(Type.Array(Period, { description: 'Newest first; null unless included.' })),
    history: nullable(Type.Array(HistoryLine, { description: 'Newest first; null unless included.' })),
    lastSale: Deal,
    lastRent: Deal,
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
  const shown = property.listings.flatMap((stored) => {
    const listing = presentListing(stored, view);
    return listing ? [{ stored, listing }] : [];
  });
  const current = currentOf(shown.map((entry) => entry.listing));
  const newest = shown.find((entry) => entry.listing === current) ?? shown[0];
  if (!newest) return null;
  const { listing, stored } = newest;
  return {
    id: property.id,
    object: 'property',
    source: view.source,
    fetchedAt: listing.fetchedAt,
    cacheAgeSeconds: Math.max(0, Math.floor((view.now - (instant(listing.fetchedAt) ?? view.now)) / 1000)),
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
    currentListing: current,
    listings: options.include.includes('listings') ? shown.map((entry) => period(entry.listing)) : null,
    history: options.include.includes('history')
      ? historyOf(
          property,
          shown.map((entry) => entry.stored),
        )
      : null,
    lastSale: lastDeal(
      shown.map((entry) => entry.listing),
      'sale',
    ),
    lastRent: lastDeal(
      shown.map((entry) => entry.listing),
      'rental',
    ),
  };
}

/** What only the property shows; parcel numbers and exact taxes name the house, so they go with the address. */
function propertyFacts(stored: StoredListing, view: ReaderView) {
  const { property, yearBuilt } = stored.record;
  const named = stored.addressDisplayed || view.ignoreDisplayRules;
  return {
    unitsTotal: property.unitsTotal,
    building: named && property.buildingName ? { id: null, name: property.buildingName, yearBuilt } : null,
    parcelNumber: named ? property.parcelNumber : null,
    universalPropertyId: named ? property.universalPropertyId : null,
    taxes: named ? [...property.taxes] : [],
  };
}

export const CURRENT_STATUSES: readonly Listing['status'][] = [
  'ACTIVE',
  'ACTIVE_UNDER_CONTRACT',
  'COMING_SOON',
  'PENDING',
  'HOLD',
];

/** The newest listing that is on the market, or on its way on or off it; null when the property is simply lived in. */
function currentOf(listings: readonly Listing[]): Listing | null {
  return listings.find((listing) => CURRENT_STATUSES.includes(listing.status)) ?? null;
}

function period(listing: Listing): NonNullable<Property['listings']>[number] {
  const { id, listingType, status, price, closePrice, listedAt, closedAt, offMarketAt, daysOnMarket } =
    listing;
  return { id, listingType, status, price, closePrice, listedAt, closedAt, offMarketAt, daysOnMarket };
}

function historyOf(property: StoredProperty, shown: readonly StoredListing[]): Property['history'] {
  const visible = new Set(shown.map((stored) => stored.id));
  return property.history.filter((line) => visible.has(line.listingId)) as NonNullable<Property['history']>;
}

function lastDeal(listings: readonly Listing[], type: Listing['listingType']): Property['lastSale'] {
  const deals = listings
    .filter(
      (listing) => listing.listingType === type && listing.status === 'CLOSED' && listing.closedAt !== null,
    )
    .sort((a, b) => (b.closedAt ?? '').localeCompare(a.closedAt ?? ''));
  const [last] = deals;
  const price = last?.closePrice ?? (type === 'rental' ? last?.price : null);
  return last?.closedAt && price ? { date: last.closedAt, price } : null;
}
