// Listing draft: one listing as a source states it, in the API's terms and units, before it is stored.

import { parseTime } from '../lib/clock.ts';
import type { DraftMedia } from './pictures/own-pictures.ts';
import type { RawRecord } from './raw-record.ts';
import type { Listing } from './record.ts';
import type { ListingType, PriceFrequency, PropertyType, Status } from './vocabulary.ts';

/** The source's parts of the address; the record adds `line1`, and `full` where the source gives none. */
export type DraftAddress = Readonly<Omit<Listing['address'], 'line1'>>;

/** An address of which nothing is known. */
export const NO_ADDRESS: DraftAddress = {
  full: null,
  unit: null,
  streetNumber: null,
  streetName: null,
  city: null,
  neighborhood: null,
  county: null,
  state: null,
  postalCode: null,
  country: null,
  crossStreet: null,
};
export type Photo = Readonly<Listing['photos'][number]>;
export type OpenHouse = Readonly<Listing['openHouses'][number]>;
export type Contact = Readonly<NonNullable<Listing['agent']>>;

/** Where a home is, in degrees of WGS 84. `source` is absent where the listing's source states the place itself. */
export interface DraftLocation {
  readonly lat: number;
  readonly lng: number;
  readonly precision: 'exact' | 'approximate';
  readonly source?: 'area' | 'gazetteer' | 'geocoder';
}

/** Whether a place follows from the name of a town, a postal code or a street alone: nothing may be measured from it. */
export const isGuessed = ({
  source,
  precision,
}: Partial<Pick<DraftLocation, 'source' | 'precision'>>): boolean =>
  source !== undefined && precision !== 'exact';

/** `rentControl` is absent if the source says nothing of it. */
export type RentalTerms = Readonly<Omit<PublicRentalTerms, 'rentControl'>> &
  Partial<Pick<PublicRentalTerms, 'rentControl'>>;
type PublicRentalTerms = NonNullable<Listing['rental']>;

export interface TaxYear {
  readonly year: number;
  readonly amount: number | null;
  readonly assessedValue: number | null;
}

/**
 * Money in major units of `currency`; areas in square feet; times RFC 3339 UTC with Z; dates YYYY-MM-DD, and so are times
 * known only to the day. Unknown values are null, never guessed; lists are empty, never null.
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
  readonly location: DraftLocation | null;
  readonly description: string | null;
  /** Null: the source did not send media; the stored ones stay. */
  readonly photos: readonly Photo[] | null;
  readonly photoCount: number | null;
  readonly virtualTourUrl: string | null;
  readonly floorPlans: readonly Photo[];
  /** Absent: pictures are shown from where the source has them, and those that are served from here stay. */
  readonly media?: DraftMedia;
  /** Null: the source did not send open houses; the stored ones stay. Times without Z are those of clocks at the place. */
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
  /** What the source sent, where that is kept. */
  readonly raw?: readonly RawRecord[];
  /** The source's display rules; false hides. */
  readonly display: { readonly listing: boolean; readonly address: boolean; readonly estimate: boolean };
}

/** Whether a draft is older than another reading of its listing: a live fetch may have overtaken a slow page. */
export function isOlder(
  draft: Pick<ListingDraft, 'upstreamModifiedAt'>,
  other: Pick<ListingDraft, 'upstreamModifiedAt'> | null,
): boolean {
  const [otherAt, at] = [parseTime(other?.upstreamModifiedAt ?? null), parseTime(draft.upstreamModifiedAt)];
  return otherAt !== null && at !== null && at < otherAt;
}

/**
 * Whether a draft comes after a newer reading of its listing, which stays. What is lost is no reading: a source that shows a listing again
 * may do so with the time of an earlier change.
 */
export function isLate(
  draft: Pick<ListingDraft, 'upstreamModifiedAt' | 'status'>,
  stored: Pick<ListingDraft, 'upstreamModifiedAt' | 'status'>,
): boolean {
  const isBack = stored.status === 'DELETED' && draft.status !== 'DELETED';
  return !isBack && isOlder(draft, stored);
}
