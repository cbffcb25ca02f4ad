// Parameters by which a listing came to match a saved search.

import type { SearchRow } from '../../listings/search-row.ts';
import type { Condition } from './condition.ts';
import { kindOf, type TokenSet } from './condition-kinds.ts';
import { contextOf } from './predicate.ts';
import type { SavedSearch } from './saved-search.ts';

/** A listing with its words, if the search needs them. */
export interface ListingState {
  readonly row: SearchRow;
  readonly words?: TokenSet;
}

/** The filters of a saved search as its author wrote them. */
export const parametersOf = ({ names }: SavedSearch): string[] => [...new Set(Object.values(names))];

/**
 * Compiles what names the filters, as their author wrote them, that a listing meets after a change and did not before. All of
 * them for a listing that was not there (null).
 */
export function compileMatchedOn(
  search: SavedSearch,
): (before: ListingState | null, after: ListingState) => string[] {
  const tests = search.conditions.flatMap(boundsOf).map((condition) => {
    const { parameters, compile } = kindOf(condition);
    const names = parameters(condition).flatMap((name) => search.names[name] ?? []);
    return { names, test: compile(condition, contextOf(search)) };
  });
  const holds = (test: (typeof tests)[number]['test'], { row, words = NO_WORDS }: ListingState): boolean =>
    test(row, words);
  return (before, after) => {
    const met = tests.filter(({ test }) => holds(test, after) && !(before !== null && holds(test, before)));
    return [...new Set(met.flatMap(({ names }) => names))];
  };
}

const NO_WORDS: TokenSet = new Set<string>();

/** The lower and the upper bound of a range are different parameters. */
function boundsOf(condition: Condition): Condition[] {
  if (condition.kind !== 'range' || condition.min === undefined) return [condition];
  const { min, ...others } = condition;
  const upper = others.max === undefined && others.below === undefined ? [] : [others];
  return [{ ...others, min, max: undefined, below: undefined }, ...upper];
}
