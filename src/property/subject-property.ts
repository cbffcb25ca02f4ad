// Subject property: what a reader may see of it, and the facts that other homes are compared with. Pure.

import { Problem } from '../lib/problem.ts';
import { isGuessed } from '../listings/draft.ts';
import { coarseLocation, isVisible, type ReaderView } from '../listings/presenter.ts';
import { CURRENT_STATUSES } from '../listings/property-record.ts';
import type { StoredListing, StoredProperty } from '../listings/store.ts';
import type { HomeFacts } from './similarity.ts';

/** What a reader may see of a property. */
export interface VisibleProperty {
  readonly property: StoredProperty;
  /** Listings that the reader may see, newest first; never empty. */
  readonly listings: readonly StoredListing[];
  /** The listing that the property is described by: the one on the market, else the newest. */
  readonly subject: StoredListing;
  readonly view: ReaderView;
}

export function propertyNotFound(): Problem {
  return new Problem('PROPERTY_NOT_FOUND', 'There is no property or listing with this id.');
}

/** What this reader may see of a property. Throws PROPERTY_NOT_FOUND if that is nothing. */
export function visibleProperty(property: StoredProperty | null, view: ReaderView): VisibleProperty {
  const listings = property?.listings.filter((listing) => isVisible(listing, view)) ?? [];
  const subject = listings.find(({ status }) => CURRENT_STATUSES.includes(status)) ?? listings[0];
  if (!property || !subject) throw propertyNotFound();
  return { property, listings, subject, view };
}

/**
 * The facts of a home; null if its place is unknown, or only that of its town, postal code or street: that of hundreds of homes. A withheld address has its coarse location for every reader, or the
 * distances to other homes would reveal it.
 */
export function homeFacts({ record, addressDisplayed }: StoredListing): HomeFacts | null {
  const { location } = record;
  if (location === null || isGuessed(location)) return null;
  const { lat, lng } = location;
  return {
    propertyType: record.propertyType,
    location: addressDisplayed ? { lat, lng } : coarseLocation(location),
    livingArea: record.livingArea,
    bedrooms: record.bedrooms,
    bathrooms: record.bathrooms,
    lotSize: record.lotSize,
    yearBuilt: record.yearBuilt,
    waterfront: record.waterfront,
  };
}

/** Whether the sources of a property allow automated estimates: no listing that describes it forbids them. */
export function allowsEstimate({ property, subject }: VisibleProperty): boolean {
  return property.listings.every(
    (listing) =>
      listing.record.property.estimateDisplayed ||
      (listing.id !== subject.id && !CURRENT_STATUSES.includes(listing.status)),
  );
}
