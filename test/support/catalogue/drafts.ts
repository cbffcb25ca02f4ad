// Listings that tests write straight into the catalogue: a whole draft from the few facts that a test is about.

import type { DraftAddress, ListingDraft } from '../../../src/listings/draft.ts';

export const NO_ADDRESS: DraftAddress = {
  ...{ full: null, unit: null, streetNumber: null, streetName: null, city: null, neighborhood: null },
  ...{ county: null, state: null, postalCode: null, country: null, crossStreet: null },
};

/** An ACTIVE house for sale with nothing known but its key. */
export const PLAIN_DRAFT: Omit<ListingDraft, 'listingKey'> = {
  ...{ listingId: null, listingType: 'sale', status: 'ACTIVE', statusRaw: null, listPrice: null },
  ...{
    originalPrice: null,
    previousPrice: null,
    closePrice: null,
    currency: 'USD',
    priceFrequency: 'ONE_TIME',
  },
  ...{ associationFee: null, tax: null, rental: null, propertyType: 'SINGLE_FAMILY', propertySubType: null },
  ...{
    bedrooms: null,
    bathrooms: null,
    bathroomsFull: null,
    bathroomsHalf: null,
    rooms: null,
    livingArea: null,
  },
  ...{ lotSize: null, yearBuilt: null, stories: null, floor: null, parkingSpaces: null, garageSpaces: null },
  ...{ unitsTotal: null, features: [], newConstruction: null, waterfront: null, saleConditions: [] },
  ...{ address: NO_ADDRESS, location: null, description: null, photos: [], photoCount: null },
  ...{ virtualTourUrl: null, floorPlans: [], openHouses: [], agent: null, office: null, listedAt: null },
  ...{ onMarketDate: null, statusChangedAt: null, priceChangedAt: null, pendingAt: null, closedAt: null },
  ...{
    offMarketAt: null,
    expiresOn: null,
    daysOnMarketReported: null,
    upstreamModifiedAt: null,
    listingUrl: null,
  },
  ...{ sourceName: null, originatingSystem: null, attribution: null, copyright: null, permissions: [] },
  ...{ parcelNumber: null, universalPropertyId: null, buildingName: null, taxes: [] },
  display: { listing: true, address: true, estimate: true },
};

export function draft(listingKey: string, facts: Partial<ListingDraft> = {}): ListingDraft {
  return { ...PLAIN_DRAFT, listingKey, ...facts };
}
