// Current matches of saved searches: a page of listings, newest first, and the exact number.

import type { Reach } from '../access/tiers/reach.ts';
import type { AreaIdCache } from '../areas/area-cache.ts';
import { queryDigest, readCursor } from '../http/input/cursor.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { readPage, type SearchPage } from '../search/http/pagination.ts';
import { resolveSaved } from '../search/http/resolve-query.ts';
import { openConditions } from '../search/query/open-conditions.ts';
import { parseSort, type SearchPlan, valueKindOf } from '../search/query/plan.ts';
import type { SavedSearch } from '../search/query/saved-search.ts';
import { type SearchSessions, withSession } from '../search/query/search-backend.ts';

export interface SavedMatchesOptions {
  readonly database: Database;
  readonly backend: SearchSessions;
  readonly areas: AreaIdCache;
  readonly clock: Clock;
}

/** Matches are read at the turn of an account: `caller`. */
export interface SavedMatches {
  /** How many listings match now. Throws OVERLOADED if counting takes too long. */
  count(search: SavedSearch, caller: string, reach: Reach): Promise<number>;
  /** A page of them with the total. Throws INVALID_CURSOR for a cursor of another search. */
  page(search: SavedSearch, caller: string, page: PageOptions): Promise<SearchPage>;
}

export interface PageOptions {
  /** What is open to the watcher's owner. */
  readonly reach: Reach;
  /** Fits the caller's tier. */
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export function createSavedMatches({ database, backend, areas, clock }: SavedMatchesOptions): SavedMatches {
  const named = (ids: readonly string[]) => areas.named(ids, false);
  const resolve = async (search: SavedSearch, page: PageOptions) => {
    const plan = planSaved(search, page, clock.now());
    return { plan, resolved: await resolveSaved({ database, named }, plan, search) };
  };
  // A watcher begins with what was written before it: a change in between would have no event.
  const contextOf = (caller: string) => ({ caller, fresh: true });
  return {
    async count(search, caller, reach) {
      const resolved = await resolve(search, { limit: 1, reach });
      return withSession(backend, contextOf(caller), (session) => session.count(resolved));
    },
    async page(search, caller, page) {
      const resolved = await resolve(search, page);
      return withSession(backend, contextOf(caller), (session) => readPage({ ...resolved, session, clock }));
    },
  };
}

/** The plan of a page; `now` in milliseconds. */
function planSaved(search: SavedSearch, { limit, cursor, reach }: PageOptions, now: number): SearchPlan {
  const { listingType, conditions, units, ignoreDisplayRules, currency } = search;
  const order = parseSort({});
  const digest = queryDigest([listingType, conditions, ignoreDisplayRules, search.areaNos, search.words]);
  const from = cursor === undefined ? null : readCursor(cursor, digest, order.map(valueKindOf));
  return {
    listingType,
    conditions: [...conditions, ...openConditions(reach)],
    units,
    ignoreDisplayRules,
    reach,
    currency,
    order,
    limit,
    digest,
    centre: null,
    text: conditions.find((condition) => condition.kind === 'text') ?? null,
    cursor: from,
    startedAt: from?.startedAt ?? now,
    count: 'exact',
    fields: null,
  };
}
