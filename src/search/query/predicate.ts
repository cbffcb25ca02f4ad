// Predicate of a saved search: whether one listing matches it, without a database.

import type { SearchRow } from '../../listings/search-row.ts';
import type { Condition } from './condition.ts';
import { kindOf, type PredicateContext, type RowTest, type TokenSet } from './condition-kinds.ts';
import type { SavedSearch } from './saved-search.ts';

/** Whether a listing matches. Throws if the search reads words and none are given. */
export interface RowPredicate {
  (row: SearchRow, words?: TokenSet): boolean;
  /** Whether it reads the words of listings. */
  readonly needsWords: boolean;
}

const NO_WORDS: TokenSet = new Set<string>();

/** No condition of a saved search depends on the time. */
export const contextOf = ({ areaNos, words }: SavedSearch): PredicateContext => ({
  areaNos,
  words,
  startedAt: Number.NaN,
});

/** Compiles conditions; what is returned does not keep them. */
export function compileConditions(conditions: readonly Condition[], context: PredicateContext): RowTest {
  const tests = conditions.map((condition) => kindOf(condition).compile(condition, context));
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return only;
  return (row, words) => tests.every((test) => test(row, words));
}

/** Compiles a saved search; compile once and check many rows. */
export function compilePredicate(search: SavedSearch): RowPredicate {
  const { listingType, ignoreDisplayRules } = search;
  const meetsConditions = compileConditions(search.conditions, contextOf(search));
  const needsWords = search.conditions.some(({ kind }) => kind === 'text');
  const matches = (row: SearchRow, words?: TokenSet): boolean => {
    if (needsWords && words === undefined)
      throw new Error('The search reads the words of a listing; none are given');
    if (row.listing_type !== listingType || !(row.displayed || ignoreDisplayRules)) return false;
    return meetsConditions(row, words ?? NO_WORDS);
  };
  return Object.assign(matches, { needsWords });
}
