// What matching reads besides the log: words, searches, backfills, and the parameters that a change is about.

import { LRUCache } from 'lru-cache';
import type { Reach } from '../../access/tiers/reach.ts';
import type { Database } from '../../postgres/client/database.ts';
import { compileMatchedOn, type ListingState, parametersOf } from '../../search/query/matched-on.ts';
import { openConditions } from '../../search/query/open-conditions.ts';
import type { SavedSearch } from '../../search/query/saved-search.ts';
import { findMatchesAt } from './backfill-store.ts';
import type { MatchingReads } from './batch-matcher.ts';
import { findSearches } from './definition-store.ts';
import { AFTER, BEFORE, rowBefore } from './index/change-sides.ts';
import { findWords } from './words-store.ts';

/** Compiled searches of the watchers that matched last. */
const MAX_COMPILED = 5_000;
/** Further listings that match a new watcher cause no events. */
const MAX_BACKFILL = 50_000;

/** What is open to the watchers of an owner. */
export type FindOwnerReach = (owner: string) => Reach;

type Retry = <T>(read: () => Promise<T>) => Promise<T>;

/** `retry`: a batch that is half matched cannot be matched again, so reads are repeated until they succeed. */
export function createMatchingReads(
  database: Database,
  retry: Retry,
  reachOf: FindOwnerReach,
): MatchingReads {
  const compiled = new LRUCache<string, ReturnType<typeof compileMatchedOn>>({ max: MAX_COMPILED });

  function matchedOnOf(no: number, search: SavedSearch): ReturnType<typeof compileMatchedOn> {
    const key = String(no);
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const made = compileMatchedOn(search);
    compiled.set(key, made);
    return made;
  }

  return {
    findWords: (changes) => retry(() => findWords(database, changes)),
    findSearches: (nos) => retry(() => database.read((sql) => findSearches(sql, nos))),
    matchedOn(no, search, change, sides, words) {
      const matchedOn = matchedOnOf(no, search);
      const state = (
        row: ListingState['row'],
        tokens: ReadonlySet<string> | null | undefined,
      ): ListingState => (tokens ? { row, words: tokens } : { row });
      const after = state(change.after.row, words?.after);
      const row = rowBefore(change);
      const before = row && state(row, words?.before);
      if (sides === AFTER) return matchedOn(before, after);
      // What it met, and no longer does.
      if (sides === BEFORE && before !== null) return matchedOn(after, before);
      return matchedOn(null, after);
    },
    async findBackfill({ target, eventsPerHour, owner }, sequence) {
      if (target.type !== 'search') return [];
      const limit = eventsPerHour === null ? MAX_BACKFILL : eventsPerHour + 1;
      const { search } = target;
      const open = { ...search, conditions: [...search.conditions, ...openConditions(reachOf(owner))] };
      const matches = await retry(() => findMatchesAt(database, open, sequence, limit));
      const matchedOn = parametersOf(target.search);
      return matches.map(({ listingId, summary }) => ({
        content: { sequence, at: 0, listingId, object: summary, previous: null, changedFields: [] },
        matchedOn,
      }));
    },
  };
}
