// Check of `freehold doctor --compare`: random searches answered from memory and by PostgreSQL, both from one state of the listings.

import { EVERYTHING } from '../../access/tiers/reach.ts';
import { createAreaIdCache } from '../../areas/area-cache.ts';
import type { Config } from '../../config.ts';
import { findListings } from '../../listings/store.ts';
import type { Database } from '../../postgres/client/database.ts';
import { readSnapshot } from '../../postgres/client/snapshot.ts';
import { toJson } from '../../postgres/client/value-types.ts';
import { megabytes, memoryLimit, neededMemory } from '../../search/engine/lifecycle/engine-memory.ts';
import { GenerationWriter } from '../../search/engine/lifecycle/generation-writer.ts';
import { createEngineBackend } from '../../search/engine/questions/engine-backend.ts';
import { loadBase } from '../../search/engine/segments/build-base.ts';
import { resolveQuery } from '../../search/http/resolve-query.ts';
import type { SearchQuery } from '../../search/query/parameters.ts';
import { planSearch, type ResolvedSearch } from '../../search/query/plan.ts';
import type { SearchBackend } from '../../search/query/search-backend.ts';
import { createSqlBackend, matchingAmong } from '../../search/sql/sql-backend.ts';
import { openCommandDatabase } from '../database.ts';
import { count } from '../output.ts';
import { type Finding, fail, messageOf, ok, warn } from './doctor-checks.ts';
import { countOnMarket, type DrawnListing, drawListings } from './doctor-store.ts';
import { isSameAnswer } from './same-answer.ts';

const NAME = 'comparison';
const SEARCHES = 100;
/** Characters of each answer in a finding. */
const SHOWN = 500;

/** Never throws. */
export async function checkComparison(config: Config): Promise<Finding> {
  try {
    const opened = await openCommandDatabase(config);
    try {
      return await compareSearches(opened.database);
    } finally {
      await opened.close();
    }
  } catch (error) {
    return fail(NAME, messageOf(error), 'Check the database.');
  }
}

/** Loads the listings on the market and compares the answers to random searches of them. */
export async function compareSearches(database: Database, limit = memoryLimit()): Promise<Finding> {
  const listings = await database.read(countOnMarket);
  if (listings === 0) return ok(NAME, 'there is nothing on the market to search for');
  if (neededMemory(listings) > limit) {
    const memory = `${megabytes(neededMemory(listings))} of memory, of ${megabytes(limit)}`;
    return warn(
      NAME,
      `not made: ${count(listings)} listings need about ${memory}`,
      'Run it with more memory.',
    );
  }
  return readSnapshot(
    database,
    async (snapshot) => {
      const base = await loadBase(snapshot, () => {}, new AbortController().signal);
      const areas = createAreaIdCache(snapshot, snapshot.clock);
      const sql = createSqlBackend({ database: snapshot, queue: () => snapshot });
      const engine = createEngineBackend({
        generation: new GenerationWriter(base).generation,
        findListings: (ids) => snapshot.read((statements) => findListings(statements, ids)),
        findMatching: matchingAmong(sql),
        areaIds: (nos) => areas.idsOf(nos),
      });
      const drawn = await snapshot.read((statements) => drawListings(statements, SEARCHES));
      const searches = await Promise.all(
        Array.from({ length: SEARCHES }, async (_, at): Promise<ResolvedSearch> => {
          const listing = drawn[at % drawn.length] as DrawnListing;
          const plan = planSearch(listing.type, randomQuery(listing), 20, snapshot.clock.now(), EVERYTHING);
          const named = (ids: readonly string[]) => areas.named(ids, false);
          return { plan, resolved: await resolveQuery({ database: snapshot, named }, plan) };
        }),
      );
      return findDifference(engine, sql, searches);
    },
    { timeout: 0 },
  );
}

/** Compares all answers to each search. */
export async function findDifference(
  engine: SearchBackend,
  sql: SearchBackend,
  searches: readonly ResolvedSearch[],
): Promise<Finding> {
  for (const search of searches)
    for (const [name, query] of Object.entries(QUERIES)) {
      const [found, expected] = [await query(engine, search), await query(sql, search)];
      if (isSameAnswer(found, expected)) continue;
      const shown = (answer: unknown): string => toJson(answer).slice(0, SHOWN);
      return fail(
        NAME,
        `the ${name} of one search differs: memory has ${shown(found)}, PostgreSQL ${shown(expected)}, for ${toJson(search.plan.conditions)}`,
        'Report this output. Until it is corrected, set SEARCH_ENGINE=postgres.',
      );
    }
  return ok(NAME, `${searches.length} random searches have the same answers from memory and from PostgreSQL`);
}

type Query = (backend: SearchBackend, search: ResolvedSearch) => Promise<unknown>;

const QUERIES: Readonly<Record<string, Query>> = {
  async page(backend, search) {
    const { hits, more } = await backend.page(search);
    return { hits: hits.map(({ listing, values }) => [listing.id, values()]), more };
  },
  total: (backend, search) => backend.count(search),
  facets: (backend, search) =>
    backend.facets(search, ['city', 'bedrooms', 'propertyType', 'features', 'priceBucket'], {
      max: 20,
      priceStep: null,
    }),
  clusters: (backend, search) => backend.cells(search, { letters: 4, limit: 50, after: undefined }),
  statistics: (backend, search) => backend.summaries(search, ['price', 'perArea', 'age']),
  // Memory has what is on the market only, so the condition of statuses stays.
  explanation: (backend, search) =>
    backend.countEach(
      search,
      search.plan.conditions.map((only) =>
        search.plan.conditions.filter((each) => each === only || each.kind === 'statuses'),
      ),
    ),
  sources: (backend, search) => backend.sources(search),
};

const SORTS = ['price', '-price', 'listedAt', '-listedAt', '-bedrooms', 'livingArea'] as const;

/** Whether a search by words can find a name: signs alone are no words. */
const hasWord = (name: string): boolean => /[\p{L}\p{N}]/u.test(name);

/** Filters that find a listing, each with a chance of a third. */
function randomQuery({ price, bedrooms, city, lat, lng, status }: DrawnListing): SearchQuery {
  const maybe = (parameters: object): object => (Math.random() < 1 / 3 ? parameters : {});
  const around = (value: number, by: number): [number, number] => [
    value - Math.random() * by,
    value + Math.random() * by,
  ];
  const [south, north] = around(lat ?? 0, 0.5);
  const [west, east] = around(lng ?? 0, 0.5);
  const located = lat !== null && lng !== null && Math.abs(lat) < 89 && Math.abs(lng) < 179;
  return {
    status: [status],
    sort: [SORTS[Math.floor(Math.random() * SORTS.length)]],
    ...(price !== null && maybe({ minPrice: Math.floor(price * Math.random()) })),
    ...(price !== null && maybe({ maxPrice: Math.ceil(price * (1 + Math.random())) })),
    ...(bedrooms !== null && maybe({ bedrooms: [bedrooms] })),
    ...(city !== null && maybe(Math.random() < 0.5 || !hasWord(city) ? { city: [city] } : { q: city })),
    ...(located && maybe({ bbox: [west, south, east, north].join() })),
    ...(located && maybe({ lat, lng, radius: '20km' })),
    ...(located && maybe({ polygon: `${west},${south};${east},${south};${lng},${north}` })),
  } as SearchQuery;
}
