// Listings that are stored of a source, in the words of its history.

import type { Database } from '../../../../src/postgres/client/database.ts';
import { type ListingState, stateOf } from './source-history.ts';

/** Those that the source still has, by key. */
export async function readStored(
  database: Database,
  source: string,
): Promise<ReadonlyMap<string, ListingState>> {
  const rows = await database.read(
    (sql) => sql<{ key: string; status: string; price: number; photos: number }[]>`
      select listing_key as key, listing.status, (record ->> 'price')::float8 as price,
        (record ->> 'photoCount')::int as photos
      from listing
      where source = ${source} and listing.status <> 'DELETED' order by listing_key`,
  );
  return new Map(rows.map(({ key, status, price, photos }) => [key, stateOf(status, price, photos)]));
}
