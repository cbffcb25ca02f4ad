// RESO record of a listing as a reader sees it: the source's own fields, without those that display rules withhold.

import { type AddressMatcher, addressMatcher } from './masking/address-matcher.ts';
import { isVisible, type ReaderView } from './presenter.ts';
import type { StoredListing } from './store.ts';

/** Fields of the RESO Data Dictionary by name, as the source sent them. */
export type ResoRecord = Readonly<Record<string, unknown>>;

/** Fields that identify a home whose address is withheld, locate it, or link to a page about it. */
const MASKED_FIELDS: ReadonlySet<string> = new Set([
  'StreetNumber',
  'StreetNumberNumeric',
  'StreetDirPrefix',
  'StreetName',
  'StreetSuffix',
  'StreetSuffixModifier',
  'StreetDirSuffix',
  'UnitNumber',
  'UnparsedAddress',
  'CrossStreet',
  'Latitude',
  'Longitude',
  'ParcelNumber',
  'UniversalPropertyId',
  'BuildingName',
  'Directions',
  'StreetAdditionalInfo',
  'MapURL',
  'MapCoordinate',
  'TaxLegalDescription',
  'TaxLot',
  'TaxBlock',
  'TaxTract',
  'TaxMapNumber',
  'TaxParcelLetter',
  'AdditionalParcelsDescription',
  'TaxAnnualAmount',
  'TaxAssessedValue',
  'TaxYear',
  'ListingURL',
  'VirtualTourURLBranded',
  'VirtualTourURLUnbranded',
]);

/** The record as this reader may see it; null where there is none, or the listing is hidden. */
export function presentReso(
  record: ResoRecord | undefined,
  stored: StoredListing,
  view: ReaderView,
): ResoRecord | null {
  if (!record || !isVisible(stored, view)) return null;
  if (stored.addressDisplayed || view.ignoreDisplayRules) return record;
  const matcher = addressMatcher(stored.record.address);
  return Object.fromEntries(
    Object.entries(record)
      .filter(([field]) => !MASKED_FIELDS.has(field))
      .map(([field, value]) => [field, UNMASKED_FIELDS.has(field) ? value : maskValue(value, matcher)]),
  );
}

/** Names of places, which the listing shows too. */
const UNMASKED_FIELDS: ReadonlySet<string> = new Set([
  'City',
  'PostalCity',
  'CountyOrParish',
  'StateOrProvince',
  'PostalCode',
  'Country',
  'SubdivisionName',
  'MLSAreaMajor',
  'MLSAreaMinor',
]);

/** A value with the address masked in all of its texts; a link that contains it becomes null. */
function maskValue(value: unknown, matcher: AddressMatcher): unknown {
  if (typeof value === 'string')
    return /^https?:/i.test(value) && matcher.isIn(value) ? null : matcher.mask(value);
  if (Array.isArray(value)) return value.map((each) => maskValue(each, matcher));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, maskValue(each, matcher)]));
}
