// Search backend that asks PostgreSQL: one statement for each question, over the search rows.

import { abortableDatabase, type Database } from '../../postgres/client/database.ts';
import { type Condition, isShape } from '../query/condition.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import { findCells } from './cell-store.ts';
import { countAll, countEach } from './count-store.ts';
import { countFacets } from './facet-store.ts';
import { findPage } from './page-store.ts';
import { findPoints } from './point-store.ts';
import { EXPENSIVE_POINT, pointCost, requireAffordable } from './polygon-cost-store.ts';
import { findCurrenciesAmong, findSourcesAmong } from './provenance-store.ts';
import { summarize } from './summary-store.ts';

export interface SqlBackendOptions {
  readonly database: Database;
  /** The database for questions of a search about all results, which may wait in a queue. */
  readonly queue: (search: ResolvedSearch) => Database;
}

export function createSqlBackend({ database, queue }: SqlBackendOptions): SearchBackend {
  /** Asks what looks at many rows, unless that would be too many. */
  async function queued<T>(
    search: ResolvedSearch,
    ask: (database: Database) => Promise<T>,
    conditions: readonly Condition[] = search.plan.conditions,
  ): Promise<T> {
    // Whoever left is not waited for, nor kept in the queue.
    const from = within(queue(search), { signal: search.signal ?? search.context?.left?.() });
    await requireAffordable(from, { ...search, plan: { ...search.plan, conditions } });
    return ask(from);
  }

  return {
    page: (search) =>
      isExpensivePage(search)
        ? queued(search, (from) => findPage(from, search))
        : findPage(within(database, search), search),
    count: (search) => queued(search, (from) => countAll(from, search)),
    facets: (search, facets, limits) => queued(search, (from) => countFacets(from, search, facets, limits)),
    cells: (search, grid) => queued(search, (from) => findCells(from, search, grid)),
    points: (search, grid) => queued(search, (from) => findPoints(from, search, grid)),
    summaries: (search, measures) => queued(search, (from) => summarize(from, search, measures)),
    // Each condition is asked by itself, so that no other one spares it rows.
    countEach: (search, sets) =>
      queued(search, (from) => countEach(from, search, sets), [...new Set(sets.flat().filter(isShape))]),
    currencies: (search, among) => queued(search, (from) => findCurrenciesAmong(from, search, among)),
    sources: (search) => queued(search, (from) => findSourcesAmong(from, search)),
  };
}

/** Whether a page may take as long as a question about all results: ordinary pages never wait. */
const isExpensivePage = ({ plan, isWhole }: ResolvedSearch): boolean =>
  isWhole === true || pointCost(plan.conditions) >= EXPENSIVE_POINT;

const within = (database: Database, { signal }: Pick<ResolvedSearch, 'signal'>): Database =>
  signal === undefined ? database : abortableDatabase(database, signal);

/** Which of a few listings a search finds at the moment. */
export function matchingAmong(
  backend: Pick<SearchBackend, 'page'>,
): (search: ResolvedSearch, ids: readonly string[]) => Promise<ReadonlySet<string>> {
  return async (search, ids) => {
    const named: Condition = { kind: 'words', column: 'id', values: ids };
    const conditions = [...search.plan.conditions, named];
    const plan = { ...search.plan, conditions, cursor: null, limit: ids.length };
    const { hits } = await backend.page({ ...search, plan });
    return new Set(hits.map(({ listing }) => listing.id));
  };
}
