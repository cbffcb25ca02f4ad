// Owns what a search reads of many listings at once, and how that is remembered.

import type { AreaIdCache } from '../../areas/area-id-cache.ts';
import { findOrigin, type Origin } from '../../listings/provenance/data-sources.ts';
import type { StoredListing } from '../../listings/stored-listing.ts';
import type { Database } from '../../postgres/client/database.ts';
import { untilAborted } from '../../postgres/client/leaving.ts';
import { FoundCache, type FoundCacheOptions } from '../legacy/found-cache.ts';
import { type CountBounds, countExactly, countRoughly, countUpTo, findPage } from '../legacy/search-store.ts';
import type { Facet } from '../query/answer-parameters.ts';
import type { ResolvedQuery } from '../query/resolved-query.ts';
import type { SearchPlan } from '../query/search.ts';
import type { SearchQuery } from '../query/search-parameters.ts';
import { whereSql } from '../sql/condition-sql.ts';
import type { NumberedRow } from '../sql/page-columns-sql.ts';
import { type ClusterPage, clustersOf } from './clusters.ts';
import { type FacetCounts, facetsOf } from './facets.ts';
import type { ShownFigure } from './metric-figures.ts';
import { statsOf } from './search-stats.ts';

/** How many results there are. */
export interface Counted {
  readonly count: number;
}

/** A listing on a page with the values it was sorted by. */
export interface FoundListing extends Pick<NumberedRow, 'values'> {
  readonly listing: StoredListing;
}

export interface FoundPage {
  readonly found: readonly FoundListing[];
  /** Whether the walk goes on beyond them. */
  readonly more: boolean;
}

export interface Finder {
  page(plan: SearchPlan, meanings: ResolvedQuery): Promise<FoundPage>;
  countExactly(plan: SearchPlan, meanings: ResolvedQuery, signal?: AbortSignal): Promise<Counted>;
  /** One more than the bound where there are more; rejects where PostgreSQL does not get there in time. */
  countUpTo(plan: SearchPlan, meanings: ResolvedQuery, bounds: CountBounds): Promise<Counted>;
  /** The planner's guess. */
  countRoughly(plan: SearchPlan, meanings: ResolvedQuery): Promise<Counted>;
  /** Throws INVALID_CURSOR. */
  clusters(
    plan: SearchPlan,
    meanings: ResolvedQuery,
    query: SearchQuery,
    signal?: AbortSignal,
  ): Promise<ClusterPage>;
  facets(
    plan: SearchPlan,
    meanings: ResolvedQuery,
    facets: readonly Facet[],
    most: number,
    signal?: AbortSignal,
  ): Promise<FacetCounts>;
  /** Throws INVALID_PARAMETER. */
  stats(
    plan: SearchPlan,
    meanings: ResolvedQuery,
    ids: readonly string[],
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, ShownFigure>>>;
  /** The sources of all results. */
  origin(plan: SearchPlan, meanings: ResolvedQuery, signal?: AbortSignal): Promise<Origin>;
}

export interface FinderOptions {
  readonly database: Database;
  /** The database for what looks at all results; its reads may have to wait in a queue. */
  readonly heavy: Database;
  readonly areas: Pick<AreaIdCache, 'idsOf'>;
}

/** Asks the database each time. */
export function createFinder({ database, heavy, areas }: FinderOptions): Finder {
  const until = (signal: AbortSignal | undefined): Database =>
    signal === undefined ? heavy : untilAborted(heavy, signal);
  return {
    async page(plan, meanings) {
      const { rows, ...rest } = await findPage(database, plan, meanings);
      const ids = await areas.idsOf(rows.flatMap(({ listing }) => listing.areaNos));
      return { found: rows.map((row) => withAreaIds(row, ids)), ...rest };
    },
    countExactly: async (plan, meanings, signal) => ({
      count: await countExactly(until(signal), plan, meanings),
    }),
    // Quick, so it waits for nobody.
    countUpTo: async (plan, meanings, bounds) => ({
      count: await countUpTo(database, plan, meanings, bounds),
    }),
    countRoughly: async (plan, meanings) => ({ count: await countRoughly(database, plan, meanings) }),
    clusters: (plan, meanings, query, signal) => clustersOf(until(signal), plan, meanings, query),
    facets: (plan, meanings, facets, most, signal) => facetsOf(until(signal), plan, meanings, facets, most),
    stats: (plan, meanings, ids, signal) => statsOf(until(signal), plan, meanings, ids),
    origin: (plan, meanings, signal) => findOrigin(until(signal), [(sql) => whereSql(sql, plan, meanings)]),
  };
}

/** The finder for one answer: what it reads of all results ends as the signal aborts, unless others wait for it too. */
export function finderUntil(finder: Finder, signal: AbortSignal): Finder {
  return {
    ...finder,
    countExactly: (plan, meanings) => finder.countExactly(plan, meanings, signal),
    clusters: (plan, meanings, query) => finder.clusters(plan, meanings, query, signal),
    facets: (plan, meanings, facets, most) => finder.facets(plan, meanings, facets, most, signal),
    stats: (plan, meanings, ids) => finder.stats(plan, meanings, ids, signal),
    origin: (plan, meanings) => finder.origin(plan, meanings, signal),
  };
}

function withAreaIds({ listing, values }: NumberedRow, ids: ReadonlyMap<number, string>): FoundListing {
  const areaIds = listing.areaNos.flatMap((no) => ids.get(no) ?? []);
  return { listing: { ...listing, areaIds }, values };
}

/** Rows of pages and cells of clusters that are held; a listing takes some eight kilobytes. */
const MOST_ROWS = 5_000;
const MOST_FIGURES = 5_000;

/** Remembers what the finder found for as long as no listing is written, and a few seconds at most. */
export function rememberingFinder(
  finder: Finder,
  memory: Pick<FoundCacheOptions<object>, 'version' | 'monotonic'>,
): Finder {
  const pages = new FoundCache<FoundPage>({
    ...{ ...memory, most: MOST_ROWS },
    weigh: ({ found }) => found.length + 1,
    fromSecondOn: true,
  });
  const clusters = new FoundCache<ClusterPage>({
    ...{ ...memory, most: MOST_ROWS },
    weigh: (page) => page.clusters.length + 1,
  });
  const [exact, bounded, rough] = [few<Counted>(), few<Counted>(), few<Counted>()];
  const facetCounts = few<FacetCounts>();
  const origins = few<Origin>();
  const figures = few<Readonly<Record<string, ShownFigure>>>();

  function few<Value extends object>(): FoundCache<Value> {
    return new FoundCache<Value>({ ...memory, most: MOST_FIGURES });
  }

  return {
    page: (plan, meanings) => pages.get(pageQuestion(plan, meanings), () => finder.page(plan, meanings)),
    countExactly: (plan, meanings, signal) =>
      exact.get(question(plan, meanings), (left) => finder.countExactly(plan, meanings, left), signal),
    countUpTo: (plan, meanings, bounds) =>
      bounded.get(
        [question(plan, meanings), bounds.most],
        (signal) => finder.countUpTo(plan, meanings, { ...bounds, signal }),
        bounds.signal,
      ),
    countRoughly: (plan, meanings) =>
      rough.get(question(plan, meanings), () => finder.countRoughly(plan, meanings)),
    clusters: (plan, meanings, query, signal) =>
      clusters.get(
        [question(plan, meanings), plan.limit, query.zoom, query.cursor],
        (left) => finder.clusters(plan, meanings, query, left),
        signal,
      ),
    facets: (plan, meanings, facets, most, signal) =>
      facetCounts.get(
        [question(plan, meanings), facets, most],
        (left) => finder.facets(plan, meanings, facets, most, left),
        signal,
      ),
    stats: (plan, meanings, ids, signal) =>
      figures.get(
        [question(plan, meanings), plan.units, ids],
        (left) => finder.stats(plan, meanings, ids, left),
        signal,
      ),
    origin: (plan, meanings, signal) =>
      origins.get(question(plan, meanings), (left) => finder.origin(plan, meanings, left), signal),
  };
}

/** All that decides which listings a plan finds. */
function question(plan: SearchPlan, { areaNos, words }: ResolvedQuery): unknown {
  const { listingType, conditions, ignoreDisplayRules } = plan;
  const byDays = conditions.some((each) => each.kind === 'range' && each.column === 'daysOnMarket');
  return [listingType, conditions, ignoreDisplayRules, areaNos, [...words], byDays && plan.startedAt];
}

/**
 * That, and which of them are on the page and in which order. Days on market are counted from the moment of asking, so
 * that what depends on them is the same only for those who walk on from one moment.
 */
function pageQuestion(plan: SearchPlan, meanings: ResolvedQuery): unknown {
  const { order, centre, text, cursor, limit, startedAt } = plan;
  const byDays = order.some(({ key }) => key === 'daysOnMarket');
  return [question(plan, meanings), order, centre, text, cursor, limit, byDays && startedAt];
}
