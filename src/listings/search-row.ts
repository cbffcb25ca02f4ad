// Search row: the columns of listing_search as JSON.

import type { ListingType, PropertyType, Status } from './vocabulary.ts';

/**
 * One listing as searches and watchers read it; names as in SQL. Times are RFC 3339, areas square feet, prices of rentals per
 * month, words in lower case (except ids and property types), places as keys (text/place-key.ts).
 */
export interface SearchRow {
  readonly id: string;
  readonly listing_type: ListingType;
  readonly status: Status;
  /** Number of its licence. */
  readonly licence: string;
  /** False where the source forbids display of the listing. */
  readonly displayed: boolean;
  readonly property_type: PropertyType;
  readonly property_sub_type: string | null;

  /** ISO 4217. */
  readonly currency: string;
  readonly price: number | null;
  readonly has_price: boolean;
  readonly close_price: number | null;
  readonly price_per_area: number | null;
  readonly price_direction: 'decrease' | 'increase' | null;
  readonly price_change_percent: number | null;
  readonly association_fee: number | null;
  readonly tax: number | null;
  readonly monthly_cost: number | null;

  readonly bedrooms: number | null;
  readonly bathrooms: number | null;
  readonly living_area: number | null;
  readonly lot_size: number | null;
  readonly year_built: number | null;
  readonly stories: number | null;
  readonly floor: number | null;
  readonly parking_spaces: number | null;
  readonly garage_spaces: number | null;

  /** A date. */
  readonly available_from: string | null;
  readonly lease_term_months: number | null;
  readonly furnished: string | null;
  readonly pets: readonly string[];
  readonly utilities: readonly string[];
  readonly no_fee: boolean | null;
  readonly rent_control: boolean | null;
  readonly move_in_cost: number | null;
  readonly months_free: number | null;
  readonly net_effective_price: number | null;

  readonly listed_at: string | null;
  readonly updated_at: string;
  readonly closed_at: string | null;
  readonly price_changed_at: string | null;
  readonly days_on_market_start: string | null;
  readonly days_on_market_end: string | null;
  /** A multirange of times: `{[from,to],[from,to]}`. */
  readonly open_houses: string | null;

  /** `(lng,lat)`; coarse where the address is withheld. */
  readonly location: string | null;
  /** Approximate where the address is withheld; null without a location. */
  readonly precision: 'exact' | 'approximate' | null;
  /** Whether the location follows from the name of a town, a postal code or a street: distances to it say nothing. */
  readonly guessed: boolean;
  readonly area_nos: readonly number[];
  readonly city: string | null;
  readonly neighborhood: string | null;
  readonly county: string | null;
  readonly state: string | null;
  readonly postal_code: string | null;
  readonly country: string | null;
  /** The words of the address, each followed by a blank; null where it is withheld. */
  readonly address_key: string | null;

  readonly has_photos: boolean;
  readonly has_virtual_tour: boolean;
  readonly new_construction: boolean | null;
  readonly waterfront: boolean | null;
  readonly features: readonly string[];
  readonly sale_conditions: readonly string[];

  readonly provider_id: string;
  readonly mls_number: string | null;
  readonly agent_id: string | null;
  readonly office_id: string | null;
}
