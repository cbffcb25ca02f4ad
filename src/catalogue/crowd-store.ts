// Owns the SQL of a sample of the places of active listings.

import type { Database } from '../postgres/database.ts';
import type { ListingType } from './vocabulary.ts';

/** Places of some active listings of one type, in degrees: longitude and latitude in turns. */
export interface PlaceSample {
  readonly places: Readonly<Record<ListingType, Float64Array>>;
  /** How many of each type there were, those without a place too. */
  readonly shown: Readonly<Record<ListingType, number>>;
  /** The share of all listings that were looked at, above 0. */
  readonly share: number;
}

interface Placed {
  readonly type: ListingType;
  readonly lng: number | null;
  readonly lat: number | null;
}

/** Active listings that may be shown, out of about so many rows: whole blocks, which takes some milliseconds. */
export async function samplePlaces(database: Database, rows: number): Promise<PlaceSample> {
  return database.read(async (sql) => {
    const [table] = await sql<{ size: number }[]>`
      select reltuples::double precision as size from pg_class where oid = 'listing_search'::regclass`;
    // A table that was never analysed has a size below zero.
    const share = Math.min(1, rows / Math.max(1, table?.size ?? 1));
    const places = await sql<Placed[]>`
      select listing_type as type, location[0] as lng, location[1] as lat
      from listing_search tablesample system (${share * 100}::real)
      where status = 'ACTIVE' and displayed limit ${2 * rows}`;
    const [sales, rentals] = [ofType(places, 'sale'), ofType(places, 'rental')];
    return {
      places: { sale: pairsOf(sales), rental: pairsOf(rentals) },
      shown: { sale: sales.length, rental: rentals.length },
      share,
    };
  });
}

const ofType = (places: readonly Placed[], type: ListingType): Placed[] =>
  places.filter((place) => place.type === type);

const pairsOf = (places: readonly Placed[]): Float64Array =>
  Float64Array.from(places.flatMap(({ lng, lat }) => (lng === null || lat === null ? [] : [lng, lat])));
