// What stays of a listing that its source no longer shows: facts of the home and of its offer, without texts, people and pictures. Pure.

import type { ListingDraft } from '../../listings/draft.ts';

/** The draft without what may be stored only as long as the source shows the listing. */
export function erasedDraft({ reso: _, raw: __, ...draft }: ListingDraft): ListingDraft {
  return {
    ...draft,
    description: null,
    photos: [],
    photoCount: null,
    virtualTourUrl: null,
    floorPlans: [],
    openHouses: [],
    agent: null,
    office: null,
    // Whom to call, and a page about the home.
    attribution: null,
    listingUrl: null,
  };
}
