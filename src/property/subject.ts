// Owns which of a property's listings it is told from, and the facts by which it is compared with others. Pure.

import { coarseDegrees } from '../listings/masking/coarse-location.ts';
import { isShown, type View } from '../listings/present.ts';
import { CURRENT } from '../listings/property.ts';
import type { StoredListing, StoredProperty } from '../listings/stored-listing.ts';
import type { HomeFacts } from './similarity.ts';

type Reader = Pick<View, 'ignoreDisplayRules'>;

/** The listings of a property that this reader may know of, newest first. */
export function shownListings({ listings }: StoredProperty, reader: Reader): StoredListing[] {
  return listings.filter((listing) => isShown(listing, reader));
}

/** The listing that the property is told from: the one on the market, else the newest; null where none is shown. */
export function subjectOf(property: StoredProperty, reader: Reader): StoredListing | null {
  const shown = shownListings(property, reader);
  return shown.find(({ status }) => CURRENT.includes(status)) ?? shown[0] ?? null;
}

/**
 * What a home is compared by; null where its place is not known. A withheld address counts where it is shown to be,
 * whoever reads: else the distances to homes around it would give it away.
 */
export function factsOf({ record, addressDisplayed }: StoredListing): HomeFacts | null {
  const { location } = record;
  if (location === null) return null;
  const { lat, lng } = location;
  return {
    propertyType: record.propertyType,
    location: addressDisplayed ? { lat, lng } : { lat: coarseDegrees(lat), lng: coarseDegrees(lng) },
    livingArea: record.livingArea,
    bedrooms: record.bedrooms,
    bathrooms: record.bathrooms,
    lotSize: record.lotSize,
    yearBuilt: record.yearBuilt,
    waterfront: record.waterfront,
  };
}

/** Whether the sources of a property let its worth be estimated by machine: no listing it is told from forbids it. */
export function allowsEstimate(property: StoredProperty, subject: StoredListing): boolean {
  return property.listings.every(
    (listing) =>
      listing.record.property.estimateDisplayed ||
      (listing.id !== subject.id && !CURRENT.includes(listing.status)),
  );
}
