// Market of few homes whose prices and statuses change at random, and watchers of them whose events are counted.

import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import type { SavedSearch } from '../../../src/search/query/saved-search.ts';
import { logWatchers } from '../../../src/watch/watcher-log.ts';
import { insertWatcher } from '../../../src/watch/watcher-store.ts';
import { draft } from '../catalogue/drafts.ts';
import type { Random } from '../check/random.ts';

const LISTINGS = 40;

export interface PricedMarket {
  /** Writes a change of some listings: other prices and statuses, some of them hidden. */
  change(count?: number): Promise<void>;
  createWatchers(count: number): Promise<void>;
}

export function createPricedMarket(database: Database, random: Random): PricedMarket {
  const catalogue = createCatalogue(database);
  let ids: string[] = [];
  const price = () => 100_000 * (1 + random.below(10));
  return {
    async change(count = 5) {
      const drafts = Array.from({ length: count }, () =>
        draft(`home-${random.below(LISTINGS)}`, {
          listPrice: price(),
          bedrooms: random.below(5),
          status: random.chance(0.8) ? 'ACTIVE' : 'PENDING',
          display: { listing: random.chance(0.9), address: true, estimate: true },
        }),
      );
      const { ids: written } = await database.transaction((tx) =>
        catalogue.write(tx, 'test', drafts, systemClock.now()),
      );
      ids = [...new Set([...ids, ...written.values()])];
    },
    async createWatchers(count) {
      await database.transaction(async (tx) => {
        for (let at = 0; at < count; at++) {
          const isListing = ids.length > 0 && random.chance(0.3);
          const target = isListing
            ? { search: null, target: { type: 'listing' as const, listingId: random.pick(ids) } }
            : searchTarget(price());
          const created = await insertWatcher(
            tx,
            {
              ...target,
              id: `wat_${random.below(1e9).toString(36)}${at}x`,
              owner: 'sub:1',
              allowance: 'sub:1',
              subscription: '1',
              grant: null,
              name: null,
              interpretation: null,
              cadence: 'instant',
              // Above what is ever reached: events are counted, so that those written twice show.
              eventsPerHour: 1_000_000,
              requestedCadence: null,
              timeZone: 'UTC',
              ignoreDisplayRules: false,
              backfill: false,
              expiresAt: null,
              metadata: {},
              events: isListing
                ? ['listing.updated', 'listing.price_decreased', 'listing.deleted']
                : ['search.match_added', 'search.match_removed'],
              initialMatchCount: 0,
            },
            new Date(systemClock.now()),
          );
          await logWatchers(tx, 'created', [created], systemClock.now());
        }
      });
    },
  };
}

function searchTarget(max: number) {
  const search: SavedSearch = {
    listingType: 'sale',
    ignoreDisplayRules: false,
    areaNos: [],
    words: {},
    units: 'imperial',
    currency: 'USD',
    names: { maxPrice: 'maxPrice' },
    conditions: [
      { kind: 'statuses', statuses: ['ACTIVE'] },
      { kind: 'range', column: 'price', max },
    ],
  };
  return {
    search,
    target: { type: 'search' as const, listingType: 'sale' as const, query: { maxPrice: max } },
  };
}

/** Events as the hourly limits count them: an event that is written twice is there once, but counts twice. */
export async function countedEvents(database: Database): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`select coalesce(sum(events), 0)::int as count from watch_hour`,
  );
  return row?.count ?? 0;
}
