// Listing type, property type and status of a record.

import type { ListingType, PropertyType, Status } from '../../../listings/vocabulary.ts';
import { spelled } from './enumerations.ts';

/** As the dictionary defines it: a lease is a rental, the rest is for sale. */
const rentals = spelled<true>({ 'Residential Lease': true, 'Commercial Lease': true });

export function listingTypeOf(propertyType: string | null): ListingType {
  return rentals(propertyType) === true ? 'rental' : 'sale';
}

/** Types that need no sub-type; residential records differ by theirs. */
const byType = spelled<PropertyType>({
  Land: 'LAND',
  Farm: 'LAND',
  'Manufactured In Park': 'MANUFACTURED',
  'Residential Income': 'MULTI_FAMILY',
  'Commercial Sale': 'COMMERCIAL',
  'Commercial Lease': 'COMMERCIAL',
  'Commercial Real Estate': 'COMMERCIAL',
  'Business Opportunity': 'COMMERCIAL',
});

const bySubType = spelled<PropertyType>({
  Apartment: 'APARTMENT',
  Cabin: 'SINGLE_FAMILY',
  'Co-Ownership': 'COOP',
  Condominium: 'CONDO',
  Duplex: 'MULTI_FAMILY',
  Farm: 'LAND',
  'Hotel/Motel': 'COMMERCIAL',
  Industrial: 'COMMERCIAL',
  Business: 'COMMERCIAL',
  Agriculture: 'LAND',
  'Manufactured Home': 'MANUFACTURED',
  'Manufactured On Land': 'MANUFACTURED',
  'Mixed Use': 'COMMERCIAL',
  'Mobile Home': 'MANUFACTURED',
  'Mobile Home Park': 'COMMERCIAL',
  'Multi Family': 'MULTI_FAMILY',
  Office: 'COMMERCIAL',
  'Own Your Own': 'COOP',
  Quadruplex: 'MULTI_FAMILY',
  Ranch: 'LAND',
  Retail: 'COMMERCIAL',
  'Single Family Residence': 'SINGLE_FAMILY',
  'Stock Cooperative': 'COOP',
  'Tenancy in Common': 'COOP',
  Townhouse: 'TOWNHOUSE',
  Triplex: 'MULTI_FAMILY',
  'Unimproved Land': 'LAND',
  Warehouse: 'COMMERCIAL',
});

/** A commercial type wins over a sub-type; else a known sub-type wins over the type. */
export function propertyTypeOf(type: string | null, subType: string | null): PropertyType {
  const wide = byType(type);
  if (wide === 'COMMERCIAL') return wide;
  return bySubType(subType) ?? wide ?? 'OTHER';
}

const statuses = spelled<Status>({
  Active: 'ACTIVE',
  'Active Under Contract': 'ACTIVE_UNDER_CONTRACT',
  'Coming Soon': 'COMING_SOON',
  Pending: 'PENDING',
  Hold: 'HOLD',
  Withdrawn: 'WITHDRAWN',
  Canceled: 'CANCELED',
  Expired: 'EXPIRED',
  Closed: 'CLOSED',
  Delete: 'DELETED',
  Incomplete: 'INCOMPLETE',
});

/** UNKNOWN for a local word that is none of the dictionary's eleven. */
export function statusOf(standardStatus: string | null): Status {
  return statuses(standardStatus) ?? 'UNKNOWN';
}
