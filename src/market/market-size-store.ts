// SQL that counts the market as a whole.

import type { Database } from '../postgres/client/database.ts';

/** Listings on the market that may be shown, and areas. */
export async function countMarket(
  database: Database,
): Promise<{ readonly sales: number; readonly rentals: number; readonly areas: number }> {
  const [row = { sales: 0, rentals: 0, areas: 0 }] = await database.read(
    (sql) => sql<{ sales: number; rentals: number; areas: number }[]>`
      select (count(*) filter (where listing_type = 'sale'))::integer as sales,
        (count(*) filter (where listing_type = 'rental'))::integer as rentals,
        (select count(*) from area)::integer as areas
      from listing_search where status = 'ACTIVE' and displayed`,
  );
  return row;
}
