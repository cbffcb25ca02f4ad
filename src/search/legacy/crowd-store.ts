// SQL that samples the positions of active listings.

import type { Point } from '../../geometry/geometry.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';

/** Some active listings of one type. */
export interface SampledPlaces {
  readonly places: readonly Point[];
  /** How many there were, those without a place too. */
  readonly listings: number;
}

export interface PlaceSample extends Readonly<Record<ListingType, SampledPlaces>> {
  /** The share of all listings that were looked at, above 0. */
  readonly share: number;
}

interface Sampled {
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
    const sampled = await sql<Sampled[]>`
      select listing_type as type, location[0] as lng, location[1] as lat
      from listing_search tablesample system (${share * 100}::real)
      where status = 'ACTIVE' and displayed limit ${2 * rows}`;
    return { sale: ofType(sampled, 'sale'), rental: ofType(sampled, 'rental'), share };
  });
}

function ofType(sampled: readonly Sampled[], asked: ListingType): SampledPlaces {
  const listings = sampled.filter(({ type }) => type === asked);
  const places = listings.flatMap(({ lng, lat }) => (lng === null || lat === null ? [] : [{ lng, lat }]));
  return { places, listings: listings.length };
}
