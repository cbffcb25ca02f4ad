// Closed vocabularies of listings: types, statuses and units, as the API writes them.

export const LISTING_TYPES = ['rental', 'sale'] as const;
export type ListingType = (typeof LISTING_TYPES)[number];

/** RESO StandardStatus in upper case, plus UNKNOWN for values that are not in the RESO dictionary. */
export const STATUSES = [
  'ACTIVE',
  'ACTIVE_UNDER_CONTRACT',
  'COMING_SOON',
  'PENDING',
  'HOLD',
  'WITHDRAWN',
  'CANCELED',
  'EXPIRED',
  'CLOSED',
  'DELETED',
  'INCOMPLETE',
  'UNKNOWN',
] as const;
export type Status = (typeof STATUSES)[number];

/** Statuses that no search ever answers with. */
export const HIDDEN_STATUSES: readonly Status[] = ['DELETED', 'INCOMPLETE'];

/** On the market: an offer can still be made. */
export function isOnMarket(status: Status): boolean {
  return status === 'ACTIVE' || status === 'ACTIVE_UNDER_CONTRACT';
}

export const PROPERTY_TYPES = [
  'CONDO',
  'COOP',
  'APARTMENT',
  'SINGLE_FAMILY',
  'TOWNHOUSE',
  'MULTI_FAMILY',
  'MANUFACTURED',
  'LAND',
  'COMMERCIAL',
  'OTHER',
] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

export const PRICE_FREQUENCIES = ['ONE_TIME', 'DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'ANNUALLY'] as const;
export type PriceFrequency = (typeof PRICE_FREQUENCIES)[number];

export const AREA_TYPES = [
  'country',
  'state',
  'metro',
  'county',
  'city',
  'borough',
  'neighborhood',
  'postal_code',
  'school_district',
  'custom',
] as const;
export type AreaType = (typeof AREA_TYPES)[number];

export type UnitSystem = 'imperial' | 'metric';

/** One square metre in square feet (international foot, exact to the digits given). */
export const SQUARE_FEET_PER_SQUARE_METRE = 10.763910416709722;
