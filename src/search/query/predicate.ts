// Predicate of a saved search: whether one listing matches it, without a database.

import type { SearchRow } from '../../listings/search-row.ts';
import { kindOf, type TokenSet } from './condition-kinds.ts';
import type { SavedSearch } from './saved-search.ts';

/** Whether a listing matches. Throws if the search reads words and none are given. */
export interface RowPredicate {
  (row: SearchRow, words?: TokenSet): boolean;
  /** Whether it reads the words of listings. */
  readonly needsWords: boolean;
}

const NO_WORDS: TokenSet = new Set<string>();

/** Compiles a saved search; compile once and check many rows. */
export function compilePredicate(search: SavedSearch): RowPredicate {
  // No condition of a saved search depends on the time.
  const context = { areaNos: search.areaNos, words: search.words, startedAt: Number.NaN };
  const tests = search.conditions.map((condition) => kindOf(condition).compile(condition, context));
  const needsWords = search.conditions.some(({ kind }) => kind === 'text');
  const matches = (row: SearchRow, words?: TokenSet): boolean => {
    if (needsWords && words === undefined)
      throw new Error('The search reads the words of a listing; none are given');
    if (row.listing_type !== search.listingType || !(row.displayed || search.ignoreDisplayRules))
      return false;
    return tests.every((test) => test(row, words ?? NO_WORDS));
  };
  return Object.assign(matches, { needsWords });
}
