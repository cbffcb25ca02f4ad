// Saved searches over a market of random listings: frozen as a watcher freezes them, with what they must match.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EVERYTHING } from '../../../src/access/tiers/reach.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { Problem } from '../../../src/lib/problem.ts';
import type { SearchRow } from '../../../src/listings/search-row.ts';
import type { SavedSearch } from '../../../src/search/query/saved-search.ts';
import { createFindCurrencies } from '../../../src/search/summaries/currency.ts';
import { type FrozenSearch, freezeSearch } from '../../../src/watch/freeze-search.ts';
import { createSavedMatches, type PageOptions } from '../../../src/watch/saved-matches.ts';
import { type Closing, testDatabase } from '../database/database.ts';
import { manualClock } from '../service/clock.ts';
import { factsArbitrary, NOW, writeAreas, writeMarket } from './random-market.ts';
import { searchParts } from './search-backend.ts';
import type { ListingType } from './search-client.ts';

/** A listing as conditions read it. */
interface IndexedListing {
  readonly row: SearchRow;
  readonly words: readonly string[];
}

/** Where a watcher has its query. */
export const pointer = '/target/query';

/** Who saves and reads them. */
export const ACCOUNT = 'sub:tests';

/** Opens a database with areas and that many random listings. */
export async function openSavedSearches(t: Closing, listings: number) {
  const { database } = await testDatabase(t);
  const clock = manualClock(NOW);
  const findCurrencies = createFindCurrencies(database, { version: () => 0, monotonic: () => 0 });
  const { backend, areas } = searchParts(database, clock);
  const saved = createSavedMatches({ database, clock, backend, areas });
  const matches = {
    count: (search: SavedSearch) => saved.count(search, ACCOUNT, EVERYTHING),
    page: (search: SavedSearch, page: PageOptions) => saved.page(search, ACCOUNT, page),
  };
  await writeAreas(database);
  const [sample = []] = fc.sample(
    fc.array(factsArbitrary, { minLength: listings, maxLength: listings, size: 'max' }),
    { seed: 15, numRuns: 1 },
  );
  const market = await writeMarket(database, createCatalogue(database), sample);
  const rows = await database.read(
    (sql) => sql<
      IndexedListing[]
    >`select row_to_json(listing_search) as row, tsvector_to_array(words) as words
      from listing_search join listing_text on id = listing_id`,
  );
  const indexed = new Map(rows.map((each) => [each.row.id, each]));

  const freeze = (
    listingType: ListingType,
    query: unknown,
    tier: 'free' | 'internal' = 'internal',
  ): Promise<FrozenSearch> =>
    freezeSearch(
      { database, findCurrencies, defaultCurrency: null, backend },
      { caller: { tier, account: ACCOUNT, reach: EVERYTHING }, listingType, query, pointer, now: NOW },
    );

  /** The problem that freezing ends with. */
  async function refusal(listingType: ListingType, query: unknown, tier?: 'free'): Promise<Problem> {
    const outcome = await freeze(listingType, query, tier).catch((error: unknown) => error);
    assert.ok(outcome instanceof Problem, JSON.stringify(query));
    return outcome;
  }

  return { database, matches, market, indexed, freeze, refusal };
}
