// Owns what a reader sees of a listing's RESO record: the fields as the source gave them, but for what display rules withhold.

import type { StoredListing } from './catalogue.ts';
import { presentListing, type View } from './present.ts';

/** Fields of the RESO Data Dictionary by name, as the source gave them. */
export type ResoRecord = Readonly<Record<string, unknown>>;

/** Where the address is withheld: what names the street or the house, leads to a page about it, or says where it stands. */
const WITHHELD: ReadonlySet<string> = new Set([
  ...['StreetNumber', 'StreetNumberNumeric', 'StreetDirPrefix', 'StreetName', 'StreetSuffix'],
  ...['StreetSuffixModifier', 'StreetDirSuffix', 'UnitNumber', 'UnparsedAddress', 'CrossStreet'],
  ...['Latitude', 'Longitude', 'ParcelNumber', 'UniversalPropertyId', 'BuildingName'],
  ...['TaxAnnualAmount', 'TaxAssessedValue', 'TaxYear'],
  ...['ListingURL', 'VirtualTourURLBranded', 'VirtualTourURLUnbranded'],
]);

/** The record as this reader may see it; null where there is none, or the listing is hidden. */
export function presentReso(
  record: ResoRecord | undefined,
  stored: StoredListing,
  view: View,
): ResoRecord | null {
  const shown = presentListing(stored, view);
  if (!record || !shown) return null;
  if (stored.addressDisplayed || view.ignoreDisplayRules) return record;
  const kept = Object.entries(record).filter(([field]) => !WITHHELD.has(field) && field !== 'PublicRemarks');
  const remarks = record.PublicRemarks === undefined ? [] : [['PublicRemarks', shown.description] as const];
  return Object.fromEntries([...kept, ...remarks]);
}
