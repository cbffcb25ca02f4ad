// Reads of a search: its pages and total, and the figures of all results as the API shows them.

import type { Clock } from '../../lib/clock.ts';
import { findStalest } from '../../listings/provenance/confirmation-store.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Facet, SearchQuery } from '../query/parameters.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import { type ClusterPage, computeClusters } from './clusters.ts';
import { type Explained, explainSearch } from './explain.ts';
import { computeFacets, type FacetCounts } from './facets.ts';
import type { ShownFigure } from './metrics.ts';
import { computeStats } from './stats.ts';
import { type FoundTotal, findTotal } from './total.ts';

export interface SearchReads extends Pick<SearchBackend, 'page' | 'countsAlong'> {
  /** What `count` of the plan asks for, if it is found in time. */
  total(search: ResolvedSearch): Promise<FoundTotal>;
  /** Throws INVALID_CURSOR. */
  clusters(search: ResolvedSearch, query: SearchQuery): Promise<ClusterPage>;
  /** At most `max` values of each facet. */
  facets(search: ResolvedSearch, facets: readonly Facet[], max: number): Promise<FacetCounts>;
  /** Throws INVALID_PARAMETER. */
  stats(search: ResolvedSearch, ids: readonly string[]): Promise<Readonly<Record<string, ShownFigure>>>;
  explain(search: ResolvedSearch, query: SearchQuery): Promise<Explained>;
  /** When the stalest source of the results last sent data, RFC 3339; null without results. */
  dataAsOf(search: ResolvedSearch): Promise<string | null>;
}

export interface SearchReadOptions {
  readonly backend: SearchBackend;
  readonly database: Database;
  readonly clock: Clock;
}

export function createSearchReads({ backend, database, clock }: SearchReadOptions): SearchReads {
  return {
    page: backend.page,
    ...(backend.countsAlong && { countsAlong: backend.countsAlong }),
    total: (search) => findTotal(backend, clock, search),
    clusters: (search, query) => computeClusters(backend, search, query),
    facets: (search, facets, max) => computeFacets(backend, search, facets, max),
    stats: (search, ids) => computeStats(backend, search, ids),
    explain: (search, query) => explainSearch(backend, search, query),
    dataAsOf: async (search) => findStalest(database, await backend.sources(search)),
  };
}
