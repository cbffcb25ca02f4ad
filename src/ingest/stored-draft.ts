// Drafts of listings as they are stored. Pure.

import type { ListingDraft } from '../listings/draft.ts';
import { dateTexts } from '../listings/stored-record.ts';
import type { Status } from '../listings/vocabulary.ts';
import type { PreviousListing } from './write-plan.ts';

/** The draft that gives a stored listing the status of an end. */
export function endingDraft(listing: PreviousListing, at: number, status: Status): ListingDraft {
  return { ...storedDraft(listing), status, statusChangedAt: new Date(at).toISOString() };
}

/** The draft of which a listing, as it is stored, could have been made. */
export function storedDraft({ record, displayed, addressDisplayed }: PreviousListing): ListingDraft {
  const { property, provider, monthlyCosts } = record;
  return {
    ...record,
    ...dateTexts(record),
    ...property,
    listPrice: record.price,
    associationFee: monthlyCosts?.associationFee ?? null,
    tax: monthlyCosts?.tax ?? null,
    previousPrice: null,
    listingKey: provider.listingKey,
    listingId: provider.listingId,
    sourceName: provider.name,
    originatingSystem: provider.originatingSystem,
    attribution: provider.attribution,
    copyright: provider.copyright,
    permissions: provider.permissions,
    display: { listing: displayed, address: addressDisplayed, estimate: property.estimateDisplayed },
  };
}
