// Fields that identify a listing and give its status and price.

import { DAY } from '../market/calendar.ts';
import type { HomeKind } from '../market/home.ts';
import type { Listing, Status } from '../market/listing.ts';
import region from '../names/region.json' with { type: 'json' };
import { choice, choices, date, decimal, type Field, fate, flag, text, timestamp, whole } from './field.ts';

const SALE_TYPES: Readonly<Record<HomeKind, string>> = {
  house: 'Residential',
  townhouse: 'Residential',
  condo: 'Residential',
  coop: 'Residential',
  apartment: 'Residential',
  cabin: 'Residential',
  manufactured: 'Manufactured In Park',
  duplex: 'Residential Income',
  triplex: 'Residential Income',
  quadruplex: 'Residential Income',
  multi: 'Residential Income',
  land: 'Land',
  office: 'Commercial Sale',
  retail: 'Commercial Sale',
  mixed: 'Commercial Sale',
};

const SUB_TYPES: Readonly<Record<HomeKind, string>> = {
  house: 'Single Family Residence',
  townhouse: 'Townhouse',
  condo: 'Condominium',
  coop: 'Stock Cooperative',
  apartment: 'Apartment',
  cabin: 'Cabin',
  manufactured: 'Manufactured Home',
  duplex: 'Duplex',
  triplex: 'Triplex',
  quadruplex: 'Quadruplex',
  multi: 'Multi Family',
  land: 'Unimproved Land',
  office: 'Office',
  retail: 'Retail',
  mixed: 'Mixed Use',
};

export function propertyType(listing: Listing): string {
  const forSale = SALE_TYPES[listing.home.kind];
  if (listing.side === 'sale') return forSale;
  return forSale === 'Commercial Sale' ? 'Commercial Lease' : 'Residential Lease';
}

/** What the members of this listing service call a status. */
export function localStatus(status: Status, side: Listing['side']): string {
  switch (status) {
    case 'Active Under Contract':
      return 'Active - Contingent';
    case 'Closed':
      return side === 'sale' ? 'Sold' : 'Leased';
    case 'Hold':
      return 'Temporarily Off Market';
    case 'Incomplete':
      return 'Draft';
    case 'Delete':
      return 'Deleted';
    default:
      return status;
  }
}

function daysOnMarket(listing: Listing, now: number): number | null {
  if (listing.onMarketAt === null) return null;
  return Math.max(0, Math.floor(((listing.offMarketAt ?? now) - listing.onMarketAt) / DAY));
}

/** Whether the seller has asked that the listing not be shown on the internet; null where nobody did. */
export function isShown(listing: Listing, question: number, refused: number): boolean | null {
  const luck = fate(listing.seed, question);
  if (luck < refused) return false;
  return luck > 0.985 ? null : true;
}

export const identityFields: readonly Field[] = [
  text('ListingKey', (listing) => listing.key),
  text('ListingId', (listing) => listing.id),
  text('OriginatingSystemName', () => region.originatingSystem),
  text('OriginatingSystemKey', (listing) => listing.key.slice(3)),
  text('SourceSystemName', () => region.sourceSystem),
  text('CopyrightNotice', () => 'Invented data. No listing, person or place in it is real.'),
  choices('FeedTypes', 'FeedTypes', () => ['IDX', 'VOW']),
  choice('StandardStatus', 'StandardStatus', (listing) => listing.status),
  choice('MlsStatus', 'MlsStatus', (listing) => localStatus(listing.status, listing.side)),
  choice('PropertyType', 'PropertyType', (listing) => propertyType(listing)),
  choice('PropertySubType', 'PropertySubType', (listing) => SUB_TYPES[listing.home.kind]),
  decimal('ListPrice', (listing) => listing.listPrice),
  decimal('OriginalListPrice', (listing) => listing.originalPrice),
  decimal('PreviousListPrice', (listing) => listing.previousPrice),
  decimal('ClosePrice', (listing) => (listing.status === 'Closed' ? listing.closePrice : null)),
  date('CloseDate', (listing) => listing.closedAt),
  date('ListingContractDate', (listing) => listing.contractAt),
  date('OnMarketDate', (listing) => listing.onMarketAt),
  date('OffMarketDate', (listing) => listing.offMarketAt),
  date('ExpirationDate', (listing) => listing.expiresAt),
  date('WithdrawnDate', (listing) => listing.withdrawnAt),
  date('CancellationDate', (listing) => listing.canceledAt),
  date('ContingentDate', (listing) => listing.contingentAt),
  date('PurchaseContractDate', (listing) =>
    listing.side === 'sale' ? (listing.contingentAt ?? listing.pendingAt) : null,
  ),
  date('BackOnMarketDate', (listing) => listing.backOnMarketAt),
  timestamp('OriginalEntryTimestamp', (listing) => listing.enteredAt),
  timestamp('OnMarketTimestamp', (listing) => listing.onMarketAt),
  timestamp('OffMarketTimestamp', (listing) => listing.offMarketAt),
  timestamp('BackOnMarketTimestamp', (listing) => listing.backOnMarketAt),
  timestamp('PendingTimestamp', (listing) => listing.pendingAt),
  timestamp('StatusChangeTimestamp', (listing) => listing.statusAt),
  timestamp('PriceChangeTimestamp', (listing) => listing.priceAt),
  choice('MajorChangeType', 'ChangeType', (listing) => listing.majorChange),
  timestamp('MajorChangeTimestamp', (listing) => listing.majorChangeAt),
  timestamp('PhotosChangeTimestamp', (listing) => listing.photosAt),
  timestamp('OpenHouseModificationTimestamp', (listing) => listing.openHousesAt),
  timestamp('ModificationTimestamp', (listing) => listing.modifiedAt),
  whole('DaysOnMarket', (listing, { now }) => daysOnMarket(listing, now)),
  whole('CumulativeDaysOnMarket', (listing, { now }) => daysOnMarket(listing, now)),
  whole('PhotosCount', (listing) => listing.photos),
  flag('InternetEntireListingDisplayYN', (listing) => isShown(listing, 1, 0.012)),
  flag('InternetAddressDisplayYN', (listing) => isShown(listing, 2, 0.02)),
  flag('InternetAutomatedValuationDisplayYN', (listing) => isShown(listing, 3, 0.03)),
  flag('InternetConsumerCommentYN', (listing) => isShown(listing, 4, 0.2)),
];
