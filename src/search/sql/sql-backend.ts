// Search backend that asks PostgreSQL: one statement for each question, over the search rows.

import type { AreaIdCache } from '../../areas/area-cache.ts';
import { abortableDatabase, type Database } from '../../postgres/client/database.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { HitPage, SearchBackend } from '../query/search-backend.ts';
import { findCells } from './cell-store.ts';
import { countAll, countEach } from './count-store.ts';
import { countFacets } from './facet-store.ts';
import { findPage } from './page-store.ts';
import { findCurrenciesAmong, findSourcesAmong } from './provenance-store.ts';
import { summarize } from './summary-store.ts';

export interface SqlBackendOptions {
  readonly database: Database;
  /** The database for questions about all results, which may wait in a queue. */
  readonly queue: Database;
  readonly areas: Pick<AreaIdCache, 'idsOf'>;
}

export function createSqlBackend({ database, queue, areas }: SqlBackendOptions): SearchBackend {
  const queued = (search: ResolvedSearch): Database => within(queue, search);
  return {
    page: async (search) => {
      const { rows, more } = await findPage(within(database, search), search);
      const ids = await areas.idsOf(rows.flatMap(({ listing }) => listing.areaNos));
      const hits = rows.map(({ listing, values }): HitPage['hits'][number] => {
        const areaIds = listing.areaNos.flatMap((no) => ids.get(no) ?? []);
        return { listing: { ...listing, areaIds }, values };
      });
      return { hits, more, total: null };
    },
    count: (search) => countAll(queued(search), search),
    facets: (search, facets, max) => countFacets(queued(search), search, facets, max),
    cells: (search, grid) => findCells(queued(search), search, grid),
    summaries: (search, measures) => summarize(queued(search), search, measures),
    countEach: (search, sets) => countEach(queued(search), search, sets),
    currencies: (search, among) => findCurrenciesAmong(queued(search), search, among),
    sources: (search) => findSourcesAmong(queued(search), search),
  };
}

const within = (database: Database, { signal }: ResolvedSearch): Database =>
  signal === undefined ? database : abortableDatabase(database, signal);
