// SQL that renews what PostgreSQL's planner knows about the tables of listings.

import type { Sql } from '../postgres/client/database.ts';

/** For tables that have just grown, so that searches need not wait for autovacuum to be planned and estimated well. */
export async function analyzeListings(sql: Sql): Promise<void> {
  await sql`analyze listing, listing_search, listing_text, search_word, area_listing, listing_event,
    market_listing, market_period, market_event, property, area, area_word`;
}
