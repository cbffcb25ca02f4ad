// Owns what a search reads of many listings at once, and how that is remembered.

import type { Database } from '../postgres/database.ts';
import type { Facet } from './answer-parameters.ts';
import type { AreaRegister } from './area-register.ts';
import { type ClusterPage, clustersOf } from './clusters.ts';
import { type Facets, facetsOf } from './facets.ts';
import { FoundCache, type FoundCacheOptions } from './found-cache.ts';
import type { ShownFigure } from './metric-figures.ts';
import type { NumberedRow } from './page-columns-sql.ts';
import type { WrittenListing } from './present-text.ts';
import type { SearchPlan } from './search.ts';
import type { SearchQuery } from './search-parameters.ts';
import { statsOf } from './search-stats.ts';
import { countExactly, countRoughly, findPage } from './search-store.ts';
import type { Meanings } from './text-sql.ts';

/** How many results there are. */
export interface Counted {
  readonly count: number;
}

/** A listing on a page with the values it was sorted by. */
export interface FoundListing extends Pick<NumberedRow, 'values'> {
  readonly listing: WrittenListing;
}

export interface FoundPage {
  readonly found: readonly FoundListing[];
  /** Whether the walk goes on beyond them. */
  readonly more: boolean;
  /** How many listings there are on all pages, where that was counted along. */
  readonly total: number | null;
}

export interface Finder {
  page(plan: SearchPlan, meanings: Meanings): Promise<FoundPage>;
  countExactly(plan: SearchPlan, meanings: Meanings): Promise<Counted>;
  /** The planner's guess. */
  countRoughly(plan: SearchPlan, meanings: Meanings): Promise<Counted>;
  /** Throws INVALID_CURSOR. */
  clusters(plan: SearchPlan, meanings: Meanings, query: SearchQuery): Promise<ClusterPage>;
  facets(plan: SearchPlan, meanings: Meanings, facets: readonly Facet[], most: number): Promise<Facets>;
  /** Throws INVALID_PARAMETER. */
  stats(
    plan: SearchPlan,
    meanings: Meanings,
    ids: readonly string[],
  ): Promise<Readonly<Record<string, ShownFigure>>>;
}

/** Asks the database each time. */
export function createFinder(database: Database, areas: Pick<AreaRegister, 'idsOf'>): Finder {
  return {
    async page(plan, meanings) {
      const { rows, ...rest } = await findPage(database, plan, meanings);
      const ids = await areas.idsOf(rows.flatMap(({ listing }) => listing.areaNos));
      return { found: rows.map((row) => withAreaIds(row, ids)), ...rest };
    },
    countExactly: async (plan, meanings) => ({ count: await countExactly(database, plan, meanings) }),
    countRoughly: async (plan, meanings) => ({ count: await countRoughly(database, plan, meanings) }),
    clusters: (plan, meanings, query) => clustersOf(database, plan, meanings, query),
    facets: (plan, meanings, facets, most) => facetsOf(database, plan, meanings, facets, most),
    stats: (plan, meanings, ids) => statsOf(database, plan, meanings, ids),
  };
}

function withAreaIds({ listing, values }: NumberedRow, ids: ReadonlyMap<number, string>): FoundListing {
  const areaIds = listing.areaNos.flatMap((no) => ids.get(no) ?? []);
  return { listing: { ...listing, areaIds }, values };
}

/** Rows of pages and cells of clusters that are held; a listing takes some four kilobytes. */
const MOST_ROWS = 10_000;
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
  const [exact, rough] = [few<Counted>(), few<Counted>()];
  const facetCounts = few<Facets>();
  const figures = few<Readonly<Record<string, ShownFigure>>>();

  function few<Value extends object>(): FoundCache<Value> {
    return new FoundCache<Value>({ ...memory, most: MOST_FIGURES });
  }

  return {
    page: (plan, meanings) => pages.get(pageQuestion(plan, meanings), () => finder.page(plan, meanings)),
    countExactly: (plan, meanings) =>
      exact.get(question(plan, meanings), () => finder.countExactly(plan, meanings)),
    countRoughly: (plan, meanings) =>
      rough.get(question(plan, meanings), () => finder.countRoughly(plan, meanings)),
    clusters: (plan, meanings, query) =>
      clusters.get([question(plan, meanings), plan.limit, query.zoom, query.cursor], () =>
        finder.clusters(plan, meanings, query),
      ),
    facets: (plan, meanings, facets, most) =>
      facetCounts.get([question(plan, meanings), facets, most], () =>
        finder.facets(plan, meanings, facets, most),
      ),
    stats: (plan, meanings, ids) =>
      figures.get([question(plan, meanings), plan.units, ids], () => finder.stats(plan, meanings, ids)),
  };
}

/** All that decides which listings a plan finds. */
function question(plan: SearchPlan, { areaNos, words }: Meanings): unknown {
  const { listingType, conditions, ignoreDisplayRules } = plan;
  const byDays = conditions.some((each) => each.kind === 'range' && each.column === 'daysOnMarket');
  return [listingType, conditions, ignoreDisplayRules, areaNos, [...words], byDays && plan.startedAt];
}

/**
 * That, and which of them are on the page and in which order. Days on market are counted from the moment of asking, so
 * that what depends on them is the same only for those who walk on from one moment.
 */
function pageQuestion(plan: SearchPlan, meanings: Meanings): unknown {
  const { order, centre, text, cursor, limit, startedAt, count } = plan;
  const byDays = order.some(({ key }) => key === 'daysOnMarket');
  const counted = count !== 'none';
  return [question(plan, meanings), order, centre, text, cursor, limit, byDays && startedAt, counted];
}
