// Address and location of a home.

import type { DraftAddress, ListingDraft } from '../../../listings/draft.ts';
import type { FieldReader } from './decode.ts';

const STREET_PARTS = [
  'StreetDirPrefix',
  'StreetName',
  'StreetSuffix',
  'StreetSuffixModifier',
  'StreetDirSuffix',
];

function streetName(record: FieldReader): string | null {
  if (record.text('StreetName') === null) return null;
  return STREET_PARTS.flatMap((field) => record.text(field) ?? []).join(' ');
}

function streetNumber(record: FieldReader): string | null {
  return record.text('StreetNumber') ?? record.integer('StreetNumberNumeric')?.toString() ?? null;
}

/** The neighborhood is the finest name the source has for the place: subdivision, then its areas. */
export function address(record: FieldReader): DraftAddress {
  return {
    full: record.text('UnparsedAddress'),
    unit: record.text('UnitNumber'),
    streetNumber: streetNumber(record),
    streetName: streetName(record),
    city: record.text('City') ?? record.text('PostalCity'),
    neighborhood:
      record.text('SubdivisionName') ?? record.text('MLSAreaMinor') ?? record.text('MLSAreaMajor'),
    county: record.text('CountyOrParish'),
    state: record.text('StateOrProvince'),
    postalCode: record.text('PostalCode'),
    country: record.text('Country'),
    crossStreet: record.text('CrossStreet'),
  };
}

/** Null without both degrees, out of range, or at 0,0, which is how servers write that a place is unknown. */
export function location(record: FieldReader): ListingDraft['location'] {
  const lat = record.number('Latitude');
  const lng = record.number('Longitude');
  if (lat === null || lng === null || (lat === 0 && lng === 0)) return null;
  if (Math.abs(lat) > 90) return record.unreadable('Latitude');
  if (Math.abs(lng) > 180) return record.unreadable('Longitude');
  return { lat, lng, precision: 'exact' };
}
