// Listing type, property type and status of a record.

import type { ListingType, PropertyType, Status } from '../../../listings/vocabulary.ts';
import { fold, spelled } from './enumerations.ts';

/** Local words for a lease; the dictionary's own two are among them. */
const RENTAL = /lease|rental|^rent$|^rents$|forrent|^rlse|^clse|^rnt/;
/** Local words for what is sold, beside the dictionary's own, of which all but the leases are for sale. */
const SALE =
  /sale|^res$|^resi|^sfr?$|^sfam|singlefamily|multifamily|condo|townho|coop|cooperative|manufactured|mobile|^mob$|^land$|^lots?|^lnd|acreage|vacantland|^farm|ranch|^comm$|^comi?$|^commercial|^business|^inc$|^incp?$|income|industrial|development/;

/**
 * A lease is a rental and what the dictionary or a common local word names is for sale; so is a record that states no type.
 * Null for any other word: what it costs may be a price or a rent.
 */
export function listingTypeOf(propertyType: string | null): ListingType | null {
  if (propertyType === null) return 'sale';
  const word = fold(propertyType);
  if (RENTAL.test(word)) return 'rental';
  return byType(propertyType) !== undefined || SALE.test(word) ? 'sale' : null;
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
