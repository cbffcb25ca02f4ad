// Reads of a search: pages, counts, facets, clusters and statistics, and a cache of them.

import type { AreaIdCache } from '../../areas/area-cache.ts';
import { findOrigin, type Origin } from '../../listings/provenance/data-source-store.ts';
import type { StoredListing } from '../../listings/store.ts';
import { abortableDatabase, type Database } from '../../postgres/client/database.ts';
import { FoundCache, type FoundCacheOptions } from '../legacy/found-cache.ts';
import { type CountBounds, countExactly, countRoughly, countUpTo, findPage } from '../legacy/search-store.ts';
import type { Facet, SearchQuery } from '../query/parameters.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { whereSql } from '../sql/condition-sql.ts';
import type { NumberedRow } from '../sql/page-columns-sql.ts';
import { type ClusterPage, computeClusters } from './cluster-store.ts';
import { computeFacets, type FacetCounts } from './facet-store.ts';
import type { ShownFigure } from './metric-values.ts';
import { computeStats } from './stats-store.ts';

/** How many results there are. */
export interface Counted {
  readonly count: number;
}

/** A listing on a page with the values it was sorted by. */
export interface SearchHit extends Pick<NumberedRow, 'values'> {
  readonly listing: StoredListing;
}

export interface HitPage {
  readonly hits: readonly SearchHit[];
  /** Whether the walk goes on beyond them. */
  readonly more: boolean;
}

export interface SearchReads {
  page(plan: SearchPlan, resolved: ResolvedQuery): Promise<HitPage>;
  countExactly(plan: SearchPlan, resolved: ResolvedQuery, signal?: AbortSignal): Promise<Counted>;
  /** One more than the bound where there are more; rejects where PostgreSQL does not get there in time. */
  countUpTo(plan: SearchPlan, resolved: ResolvedQuery, bounds: CountBounds): Promise<Counted>;
  /** The planner's guess. */
  countRoughly(plan: SearchPlan, resolved: ResolvedQuery): Promise<Counted>;
  /** Throws INVALID_CURSOR. */
  clusters(
    plan: SearchPlan,
    resolved: ResolvedQuery,
    query: SearchQuery,
    signal?: AbortSignal,
  ): Promise<ClusterPage>;
  facets(
    plan: SearchPlan,
    resolved: ResolvedQuery,
    facets: readonly Facet[],
    most: number,
    signal?: AbortSignal,
  ): Promise<FacetCounts>;
  /** Throws INVALID_PARAMETER. */
  stats(
    plan: SearchPlan,
    resolved: ResolvedQuery,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, ShownFigure>>>;
  /** The sources of all results. */
  origin(plan: SearchPlan, resolved: ResolvedQuery, signal?: AbortSignal): Promise<Origin>;
}

export interface FinderOptions {
  readonly database: Database;
  /** The database for what looks at all results; its reads may have to wait in a queue. */
  readonly queue: Database;
  readonly areas: Pick<AreaIdCache, 'idsOf'>;
}

/** Asks the database each time. */
export function createSearchReads({ database, queue, areas }: FinderOptions): SearchReads {
  const until = (signal: AbortSignal | undefined): Database =>
    signal === undefined ? queue : abortableDatabase(queue, signal);
  return {
    async page(plan, resolved) {
      const { rows, ...rest } = await findPage(database, plan, resolved);
      const ids = await areas.idsOf(rows.flatMap(({ listing }) => listing.areaNos));
      return { hits: rows.map((row) => withAreaIds(row, ids)), ...rest };
    },
    countExactly: async (plan, resolved, signal) => ({
      count: await countExactly(until(signal), plan, resolved),
    }),
    // Quick, so it waits for nobody.
    countUpTo: async (plan, resolved, bounds) => ({
      count: await countUpTo(database, plan, resolved, bounds),
    }),
    countRoughly: async (plan, resolved) => ({ count: await countRoughly(database, plan, resolved) }),
    clusters: (plan, resolved, query, signal) => computeClusters(until(signal), plan, resolved, query),
    facets: (plan, resolved, facets, most, signal) =>
      computeFacets(until(signal), plan, resolved, facets, most),
    stats: (plan, resolved, ids, signal) => computeStats(until(signal), plan, resolved, ids),
    origin: (plan, resolved, signal) => findOrigin(until(signal), [(sql) => whereSql(sql, plan, resolved)]),
  };
}

/** The finder for one answer: what it reads of all results ends as the signal aborts, unless others wait for it too. */
export function abortableSearchReads(finder: SearchReads, signal: AbortSignal): SearchReads {
  return {
    ...finder,
    countExactly: (plan, resolved) => finder.countExactly(plan, resolved, signal),
    clusters: (plan, resolved, query) => finder.clusters(plan, resolved, query, signal),
    facets: (plan, resolved, facets, most) => finder.facets(plan, resolved, facets, most, signal),
    stats: (plan, resolved, ids) => finder.stats(plan, resolved, ids, signal),
    origin: (plan, resolved) => finder.origin(plan, resolved, signal),
  };
}

function withAreaIds({ listing, values }: NumberedRow, ids: ReadonlyMap<number, string>): SearchHit {
  const areaIds = listing.areaNos.flatMap((no) => ids.get(no) ?? []);
  return { listing: { ...listing, areaIds }, values };
}

/** Rows of pages and cells of clusters that are held; a listing takes some eight kilobytes. */
const MAX_CACHED_ROWS = 5_000;
const MAX_CACHED_FIGURES = 5_000;

/** Caches what a search read for as long as no listing is written, and a few seconds at most. */
export function cacheSearchReads(
  finder: SearchReads,
  memory: Pick<FoundCacheOptions<object>, 'version' | 'monotonic'>,
): SearchReads {
  const pages = new FoundCache<HitPage>({
    ...{ ...memory, most: MAX_CACHED_ROWS },
    weigh: ({ hits }) => hits.length + 1,
    fromSecondOn: true,
  });
  const clusters = new FoundCache<ClusterPage>({
    ...{ ...memory, most: MAX_CACHED_ROWS },
    weigh: (page) => page.clusters.length + 1,
  });
  const [exact, bounded, rough] = [few<Counted>(), few<Counted>(), few<Counted>()];
  const facetCounts = few<FacetCounts>();
  const origins = few<Origin>();
  const figures = few<Readonly<Record<string, ShownFigure>>>();

  function few<Value extends object>(): FoundCache<Value> {
    return new FoundCache<Value>({ ...memory, most: MAX_CACHED_FIGURES });
  }

  return {
    page: (plan, resolved) => pages.get(pageKey(plan, resolved), () => finder.page(plan, resolved)),
    countExactly: (plan, resolved, signal) =>
      exact.get(queryKey(plan, resolved), (left) => finder.countExactly(plan, resolved, left), signal),
    countUpTo: (plan, resolved, bounds) =>
      bounded.get(
        [queryKey(plan, resolved), bounds.most],
        (signal) => finder.countUpTo(plan, resolved, { ...bounds, signal }),
        bounds.signal,
      ),
    countRoughly: (plan, resolved) =>
      rough.get(queryKey(plan, resolved), () => finder.countRoughly(plan, resolved)),
    clusters: (plan, resolved, query, signal) =>
      clusters.get(
        [queryKey(plan, resolved), plan.limit, query.zoom, query.cursor],
        (left) => finder.clusters(plan, resolved, query, left),
        signal,
      ),
    facets: (plan, resolved, facets, most, signal) =>
      facetCounts.get(
        [queryKey(plan, resolved), facets, most],
        (left) => finder.facets(plan, resolved, facets, most, left),
        signal,
      ),
    stats: (plan, resolved, ids, signal) =>
      figures.get(
        [queryKey(plan, resolved), plan.units, ids],
        (left) => finder.stats(plan, resolved, ids, left),
        signal,
      ),
    origin: (plan, resolved, signal) =>
      origins.get(queryKey(plan, resolved), (left) => finder.origin(plan, resolved, left), signal),
  };
}

/** All that decides which listings a plan finds. */
function queryKey(plan: SearchPlan, { areaNos, words }: ResolvedQuery): unknown {
  const { listingType, conditions, ignoreDisplayRules } = plan;
  const byDays = conditions.some((each) => each.kind === 'range' && each.column === 'daysOnMarket');
  return [listingType, conditions, ignoreDisplayRules, areaNos, [...words], byDays && plan.startedAt];
}

/**
 * That, and which of them are on the page and in which order. Days on market are counted from the moment of asking, so
 * that what depends on them is the same only for those who walk on from one moment.
 */
function pageKey(plan: SearchPlan, resolved: ResolvedQuery): unknown {
  const { order, centre, text, cursor, limit, startedAt } = plan;
  const byDays = order.some(({ key }) => key === 'daysOnMarket');
  return [queryKey(plan, resolved), order, centre, text, cursor, limit, byDays && startedAt];
}
