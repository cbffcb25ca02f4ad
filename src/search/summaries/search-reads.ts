// Reads of a search: pages, counts, facets, clusters and statistics, with a cache of them.

import type { AreaIdCache } from '../../areas/area-cache.ts';
import { findOrigin, type Origin } from '../../listings/provenance/data-source-store.ts';
import type { StoredListing } from '../../listings/store.ts';
import { abortableDatabase, type Database } from '../../postgres/client/database.ts';
import { FoundCache, type FoundCacheOptions } from '../legacy/found-cache.ts';
import { countExactly, countRoughly, countUpTo, findPage } from '../legacy/search-store.ts';
import type { Facet, SearchQuery } from '../query/parameters.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { whereSql } from '../sql/condition-sql.ts';
import type { NumberedRow } from '../sql/page-columns-sql.ts';
import { type ClusterPage, computeClusters } from './cluster-store.ts';
import { type Explained, explainSearch } from './explain-store.ts';
import { computeFacets, type FacetCounts } from './facet-store.ts';
import type { ShownFigure } from './metrics.ts';
import { computeStats } from './stats-store.ts';

export interface Counted {
  readonly count: number;
}

/** A listing on a page with the values it was sorted by. */
export interface SearchHit extends Pick<NumberedRow, 'values'> {
  readonly listing: StoredListing;
}

export interface HitPage {
  readonly hits: readonly SearchHit[];
  /** Whether more results follow in the direction of the page. */
  readonly more: boolean;
}

export interface SearchReads {
  page(search: ResolvedSearch): Promise<HitPage>;
  countExactly(search: ResolvedSearch): Promise<Counted>;
  /** `max` + 1 if there are more; rejects if PostgreSQL takes too long. */
  countUpTo(search: ResolvedSearch, max: number): Promise<Counted>;
  /** The planner's estimate. */
  countRoughly(search: ResolvedSearch): Promise<Counted>;
  /** Throws INVALID_CURSOR. */
  clusters(search: ResolvedSearch, query: SearchQuery): Promise<ClusterPage>;
  /** At most `max` values of each facet. */
  facets(search: ResolvedSearch, facets: readonly Facet[], max: number): Promise<FacetCounts>;
  /** Throws INVALID_PARAMETER. */
  stats(search: ResolvedSearch, ids: readonly string[]): Promise<Readonly<Record<string, ShownFigure>>>;
  explain(search: ResolvedSearch, query: SearchQuery): Promise<Explained>;
  /** The sources of all results. */
  origin(search: ResolvedSearch): Promise<Origin>;
}

export interface SearchReadOptions {
  readonly database: Database;
  /** The database for reads of all results, which may wait in a queue. */
  readonly queue: Database;
  readonly areas: Pick<AreaIdCache, 'idsOf'>;
}

const NEVER = new AbortController().signal;

/** Uncached reads. */
export function createSearchReads({ database, queue, areas }: SearchReadOptions): SearchReads {
  const queued = ({ signal }: ResolvedSearch): Database =>
    signal === undefined ? queue : abortableDatabase(queue, signal);
  return {
    async page({ plan, resolved }) {
      const { rows, more } = await findPage(database, plan, resolved);
      const ids = await areas.idsOf(rows.flatMap(({ listing }) => listing.areaNos));
      const hits = rows.map(({ listing, values }) => {
        const areaIds = listing.areaNos.flatMap((no) => ids.get(no) ?? []);
        return { listing: { ...listing, areaIds }, values };
      });
      return { hits, more };
    },
    countExactly: async (search) => ({
      count: await countExactly(queued(search), search.plan, search.resolved),
    }),
    // Quick, so it does not wait in the queue.
    countUpTo: async ({ plan, resolved, signal = NEVER }, most) => ({
      count: await countUpTo(database, plan, resolved, { most, signal }),
    }),
    countRoughly: async ({ plan, resolved }) => ({ count: await countRoughly(database, plan, resolved) }),
    clusters: (search, query) => computeClusters(queued(search), search, query),
    facets: (search, facets, max) => computeFacets(queued(search), search, facets, max),
    stats: (search, ids) => computeStats(queued(search), search, ids),
    explain: (search, query) => explainSearch(queued(search), search, query),
    origin: (search) => findOrigin(queued(search), [(sql) => whereSql(sql, search.plan, search.resolved)]),
  };
}

/** Rows of pages and clusters in the cache; a listing takes about 8 kB. */
const MAX_CACHED_ROWS = 5_000;
const MAX_CACHED_FIGURES = 5_000;

/** Caches reads until a listing is written, for a few seconds at most. Explanations are not cached. */
export function cacheSearchReads(
  reads: SearchReads,
  memory: Pick<FoundCacheOptions<object>, 'version' | 'monotonic'>,
): SearchReads {
  function cached<Args extends readonly unknown[], Value extends object>(
    read: (search: ResolvedSearch, ...args: Args) => Promise<Value>,
    options: Partial<FoundCacheOptions<Value>> = {},
    keyOf: (search: ResolvedSearch, ...args: Args) => unknown = (_, ...args) => args,
  ) {
    const cache = new FoundCache<Value>({ ...memory, most: MAX_CACHED_FIGURES, ...options });
    return (search: ResolvedSearch, ...args: Args): Promise<Value> =>
      cache.get(
        [queryKey(search), keyOf(search, ...args)],
        (signal) => read({ ...search, signal }, ...args),
        search.signal,
      );
  }

  return {
    page: cached(
      reads.page,
      { most: MAX_CACHED_ROWS, weigh: ({ hits }) => hits.length + 1, fromSecondOn: true },
      pageKey,
    ),
    countExactly: cached(reads.countExactly),
    countUpTo: cached(reads.countUpTo),
    countRoughly: cached(reads.countRoughly),
    clusters: cached(
      reads.clusters,
      { most: MAX_CACHED_ROWS, weigh: ({ clusters }) => clusters.length + 1 },
      ({ plan }, { zoom, cursor }) => [plan.limit, zoom, cursor],
    ),
    facets: cached(reads.facets),
    stats: cached(reads.stats, {}, ({ plan }, ids) => [plan.units, ids]),
    explain: reads.explain,
    origin: cached(reads.origin),
  };
}

/** Everything that decides which listings a search finds. Days on market depend on when the first page was read. */
function queryKey({ plan, resolved }: ResolvedSearch): unknown {
  const { listingType, conditions, ignoreDisplayRules, startedAt } = plan;
  const byDays = conditions.some((each) => each.kind === 'range' && each.column === 'daysOnMarket');
  const { areaNos, words } = resolved;
  return [listingType, conditions, ignoreDisplayRules, areaNos, [...words], byDays && startedAt];
}

/** What else decides which of them are on the page, and in which order. */
function pageKey({ plan: { order, centre, text, cursor, limit, startedAt } }: ResolvedSearch): unknown {
  return [order, centre, text, cursor, limit, order.some(({ key }) => key === 'daysOnMarket') && startedAt];
}
