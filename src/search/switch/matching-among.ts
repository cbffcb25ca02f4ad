// Matches among a few listings: which of them a search finds at the moment.

import type { Condition } from '../query/condition.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';

export type MatchingAmong = (search: ResolvedSearch, ids: readonly string[]) => Promise<ReadonlySet<string>>;

/** Asks a backend for the listings with these ids alone. */
export function matchingAmong(backend: Pick<SearchBackend, 'page'>): MatchingAmong {
  return async (search, ids) => {
    const named: Condition = { kind: 'words', column: 'id', values: ids };
    const conditions = [...search.plan.conditions, named];
    const plan = { ...search.plan, conditions, cursor: null, limit: ids.length };
    const { hits } = await backend.page({ ...search, plan });
    return new Set(hits.map(({ listing }) => listing.id));
  };
}
