// Listing draft: one listing as a source states it, in the API's terms and units, before it is stored.

import type { ListingType, PriceFrequency, PropertyType, Status } from './vocabulary.ts';

/** Street parts may be null; `line1` and `full` are composed by the catalogue where the source gives none. */
export interface DraftAddress {
  readonly full: string | null;
  readonly unit: string | null;
  readonly streetNumber: string | null;
  readonly streetName: string | null;
  readonly city: string | null;
  readonly neighborhood: string | null;
  readonly county: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
  readonly crossStreet: string | null;
}

export interface Photo {
  readonly id: string;
  readonly url: string;
  readonly thumbnailUrl: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly caption: string | null;
  readonly category: string | null;
  readonly order: number;
}

export interface OpenHouse {
  readonly id: string;
  readonly startsAt: string;
  readonly endsAt: string | null;
  readonly type: string | null;
  readonly status: string | null;
  readonly remarks: string | null;
  readonly livestreamUrl: string | null;
  readonly appointmentRequired: boolean | null;
}

export interface Contact {
  readonly id: string | null;
  readonly name: string | null;
  readonly phone: string | null;
  readonly email: string | null;
}

export interface RentalTerms {
  readonly availableFrom: string | null;
  readonly leaseTerm: readonly string[];
  readonly leaseTermMonths: number | null;
  readonly furnished: string | null;
  readonly pets: readonly string[];
  readonly petsAllowed: boolean | null;
  readonly utilitiesIncluded: readonly string[];
  readonly moveInCosts: readonly { readonly type: string; readonly amount: number | null }[];
  readonly noFee: boolean | null;
  readonly monthsFree: number | null;
  readonly netEffectivePrice: number | null;
  /** Absent where nothing is said of it. */
  readonly rentControl?: boolean | null;
}

export interface TaxYear {
  readonly year: number;
  readonly amount: number | null;
  readonly assessedValue: number | null;
}

/**
 * Money in major units of `currency`; areas in square feet; times RFC 3339 UTC with Z; dates YYYY-MM-DD, as are times of
 * which the source told the day alone.
 * Unknown is null, never a guess; lists are empty, never null.
 */
export interface ListingDraft {
  readonly listingKey: string;
  readonly listingId: string | null;
  readonly listingType: ListingType;
  readonly status: Status;
  readonly statusRaw: string | null;
  readonly listPrice: number | null;
  readonly originalPrice: number | null;
  readonly previousPrice: number | null;
  readonly closePrice: number | null;
  readonly currency: string;
  readonly priceFrequency: PriceFrequency;
  /** Per month. */
  readonly associationFee: number | null;
  /** Per month. */
  readonly tax: number | null;
  readonly rental: RentalTerms | null;
  readonly propertyType: PropertyType;
  readonly propertySubType: string | null;
  readonly bedrooms: number | null;
  readonly bathrooms: number | null;
  readonly bathroomsFull: number | null;
  readonly bathroomsHalf: number | null;
  readonly rooms: number | null;
  readonly livingArea: number | null;
  readonly lotSize: number | null;
  readonly yearBuilt: number | null;
  readonly stories: number | null;
  readonly floor: number | null;
  readonly parkingSpaces: number | null;
  readonly garageSpaces: number | null;
  readonly unitsTotal: number | null;
  /** Lower-case slugs, sorted, without repeats. */
  readonly features: readonly string[];
  readonly newConstruction: boolean | null;
  readonly waterfront: boolean | null;
  readonly saleConditions: readonly string[];
  readonly address: DraftAddress;
  readonly location: {
    readonly lat: number;
    readonly lng: number;
    readonly precision: 'exact' | 'approximate';
  } | null;
  readonly description: string | null;
  /** Null: this answer did not carry media, keep what is known. */
  readonly photos: readonly Photo[] | null;
  readonly photoCount: number | null;
  readonly virtualTourUrl: string | null;
  readonly floorPlans: readonly Photo[];
  /** Null: this answer did not carry open houses, keep what is known. */
  readonly openHouses: readonly OpenHouse[] | null;
  readonly agent: Contact | null;
  readonly office: Contact | null;
  readonly listedAt: string | null;
  readonly onMarketDate: string | null;
  readonly statusChangedAt: string | null;
  readonly priceChangedAt: string | null;
  readonly pendingAt: string | null;
  readonly closedAt: string | null;
  readonly offMarketAt: string | null;
  readonly expiresOn: string | null;
  readonly daysOnMarketReported: number | null;
  readonly upstreamModifiedAt: string | null;
  readonly listingUrl: string | null;
  readonly sourceName: string | null;
  readonly originatingSystem: string | null;
  readonly attribution: string | null;
  readonly copyright: string | null;
  readonly permissions: readonly string[];
  readonly parcelNumber: string | null;
  readonly universalPropertyId: string | null;
  readonly buildingName: string | null;
  readonly taxes: readonly TaxYear[];
  /** The record in RESO's own fields, where the source speaks RESO. */
  readonly reso?: Readonly<Record<string, unknown>>;
  /** What the source lets be shown; false hides. */
  readonly display: { readonly listing: boolean; readonly address: boolean; readonly estimate: boolean };
}
