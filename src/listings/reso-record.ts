// RESO record of a listing as a reader sees it: the fields as the source gave them, without what display rules withhold.

import { type AddressMatcher, addressMatcher } from './masking/address-matcher.ts';
import { presentListing, type ReaderView } from './presenter.ts';
import type { StoredListing } from './store.ts';

/** Fields of the RESO Data Dictionary by name, as the source gave them. */
export type ResoRecord = Readonly<Record<string, unknown>>;

/** Where the address is withheld: what names the street or the house, leads to a page about it, or says where it stands. */
const WITHHELD: ReadonlySet<string> = new Set([
  ...['StreetNumber', 'StreetNumberNumeric', 'StreetDirPrefix', 'StreetName', 'StreetSuffix'],
  ...['StreetSuffixModifier', 'StreetDirSuffix', 'UnitNumber', 'UnparsedAddress', 'CrossStreet'],
  ...['Latitude', 'Longitude', 'ParcelNumber', 'UniversalPropertyId', 'BuildingName'],
  ...['Directions', 'StreetAdditionalInfo', 'MapURL', 'MapCoordinate', 'TaxLegalDescription', 'TaxLot'],
  ...['TaxBlock', 'TaxTract', 'TaxMapNumber', 'TaxParcelLetter', 'AdditionalParcelsDescription'],
  ...['TaxAnnualAmount', 'TaxAssessedValue', 'TaxYear'],
  ...['ListingURL', 'VirtualTourURLBranded', 'VirtualTourURLUnbranded'],
]);

/** The record as this reader may see it; null where there is none, or the listing is hidden. */
export function presentReso(
  record: ResoRecord | undefined,
  stored: StoredListing,
  view: ReaderView,
): ResoRecord | null {
  const shown = presentListing(stored, view);
  if (!record || !shown) return null;
  if (stored.addressDisplayed || view.ignoreDisplayRules) return record;
  const matcher = addressMatcher(stored.record.address);
  return Object.fromEntries(
    Object.entries(record)
      .filter(([field]) => !WITHHELD.has(field))
      .map(([field, value]) => [field, OPEN.has(field) ? value : silent(value, matcher)]),
  );
}

/** Names of places that the listing shows as they are. */
const OPEN: ReadonlySet<string> = new Set([
  ...['City', 'PostalCity', 'CountyOrParish', 'StateOrProvince', 'PostalCode', 'Country'],
  ...['SubdivisionName', 'MLSAreaMajor', 'MLSAreaMinor'],
]);

/** A value with the address taken out of all texts in it; a link that spells it leads nowhere without it. */
function silent(value: unknown, matcher: AddressMatcher): unknown {
  if (typeof value === 'string')
    return /^https?:/i.test(value) && matcher.isIn(value) ? null : matcher.mask(value);
  if (Array.isArray(value)) return value.map((each) => silent(each, matcher));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, silent(each, matcher)]));
}
