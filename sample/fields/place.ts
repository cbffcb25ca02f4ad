// Fields that say where a listing is.

import { type Neighborhood, postalCode } from '../land/land.ts';
import type { Listing } from '../market/listing.ts';
import cities from '../names/cities.json' with { type: 'json' };
import region from '../names/region.json' with { type: 'json' };
import { choice, decimal, type Field, type FieldContext, fate, flag, text, whole } from './field.ts';

function neighborhoodOf(listing: Listing, context: FieldContext): Neighborhood {
  const place = context.neighborhoods[listing.home.address.neighborhood];
  if (!place) throw new Error(`Listing ${listing.key} has no position`);
  return place;
}

const cityOf = (listing: Listing, context: FieldContext) => cities[neighborhoodOf(listing, context).city];
export const cityName = (listing: Listing, context: FieldContext): string =>
  cityOf(listing, context)?.name ?? '';
export const neighborhoodName = (listing: Listing, context: FieldContext): string =>
  neighborhoodOf(listing, context).name;

/** Number, street and unit. */
export function streetLine(listing: Listing): string {
  const { address, unit } = listing.home;
  const street = `${address.streetNumber} ${address.streetName} ${address.streetSuffix}`;
  return unit === null ? street : `${street} #${unit}`;
}

const unparsed = (listing: Listing, context: FieldContext): string =>
  `${streetLine(listing)}, ${cityName(listing, context)}, ${region.state.code} ${postalCode(listing.home.address.postal)}`;

/** Real feeds lack coordinates where nobody could place the address. */
const isPlaced = (listing: Listing): boolean => fate(listing.home.seed, 5) > 0.014;

/** County, neighbourhood and running number: one for each home, the same in all its listings. */
export function parcelNumber(listing: Listing, context: FieldContext): string {
  const county = region.counties.find((candidate) => candidate.name === cityOf(listing, context)?.county);
  const place = String(listing.home.address.neighborhood + 1).padStart(3, '0');
  const number = String(listing.home.index).padStart(6, '0');
  return `${county?.fips.slice(2) ?? '000'}-${place}-${number}`;
}

export const placeFields: readonly Field[] = [
  text('UnparsedAddress', unparsed),
  text('StreetNumber', (listing) => String(listing.home.address.streetNumber)),
  whole('StreetNumberNumeric', (listing) => listing.home.address.streetNumber),
  text('StreetName', (listing) => listing.home.address.streetName),
  choice('StreetSuffix', 'StreetSuffix', (listing) => listing.home.address.streetSuffix),
  text('UnitNumber', (listing) => listing.home.unit),
  choice('City', 'City', cityName),
  choice('PostalCity', 'PostalCity', cityName),
  choice('CountyOrParish', 'CountyOrParish', (listing, context) => cityOf(listing, context)?.county ?? null),
  choice('StateOrProvince', 'StateOrProvince', () => region.state.code),
  text('PostalCode', (listing) => postalCode(listing.home.address.postal)),
  choice('Country', 'Country', () => region.country),
  text('SubdivisionName', (listing, context) =>
    fate(listing.home.seed, 6) < 0.1 ? null : neighborhoodName(listing, context),
  ),
  choice(
    'MLSAreaMajor',
    'MLSAreaMajor',
    (listing, context) => `${cityOf(listing, context)?.county ?? ''} / ${cityName(listing, context)}`,
  ),
  decimal('Latitude', (listing) => (isPlaced(listing) ? listing.home.address.latitude : null)),
  decimal('Longitude', (listing) => (isPlaced(listing) ? listing.home.address.longitude : null)),
  text('ParcelNumber', (listing, context) =>
    fate(listing.home.seed, 7) < 0.02 ? null : parcelNumber(listing, context),
  ),
  flag('WaterfrontYN', (listing) =>
    listing.home.waterfront ? true : fate(listing.home.seed, 8) < 0.3 ? null : false,
  ),
];
