// Plain loop over all watchers, which says what the index of watchers must find.

import assert from 'node:assert/strict';
import type { ListingChange } from '../../../src/changes/change.ts';
import type { ChangeState } from '../../../src/listings/change-state.ts';
import type { SearchRow } from '../../../src/listings/search-row.ts';
import { HIDDEN_STATUSES } from '../../../src/listings/vocabulary.ts';
import { compilePredicate, type RowPredicate } from '../../../src/search/query/predicate.ts';
import type { SavedSearch } from '../../../src/search/query/saved-search.ts';
import {
  AFTER,
  BEFORE,
  type ChangedWords,
  rowBefore,
} from '../../../src/watch/matching/index/change-sides.ts';
import type { IndexedWatcher } from '../../../src/watch/matching/index/indexed-watcher.ts';
import type { WatcherIndex } from '../../../src/watch/matching/index/watcher-index.ts';

/** A change, and the words of the listing around it. */
export interface WatchedStep {
  readonly change: ListingChange<ChangeState>;
  readonly words: ChangedWords;
}

const predicates = new WeakMap<SavedSearch, RowPredicate>();

function predicateOf(search: SavedSearch): RowPredicate {
  const predicate = predicates.get(search) ?? compilePredicate(search);
  predicates.set(search, predicate);
  return predicate;
}

/** What a plain loop over all watchers says of one of them. */
function expectedSides(watcher: IndexedWatcher, { change, words }: WatchedStep): number {
  const { target, ignoreDisplayRules } = watcher;
  const sideOf = (row: SearchRow | null, tokens: IndexedWords, propertyId: string, side: number): number => {
    if (row === null) return 0;
    if (target.type === 'search') return predicateOf(target.search)(row, tokens ?? new Set()) ? side : 0;
    const isShown = !HIDDEN_STATUSES.includes(row.status) && (row.displayed || ignoreDisplayRules);
    const isTarget =
      target.type === 'listing'
        ? target.listingId === change.listingId
        : target.type === 'property' && target.propertyId === propertyId;
    return isShown && isTarget ? side : 0;
  };
  const property = change.before?.listing?.propertyId ?? change.propertyId;
  const sides =
    sideOf(change.after.row, words.after, change.propertyId, AFTER) |
    sideOf(rowBefore(change), words.before, property, BEFORE);
  const wantsAll = target.type !== 'search' || watcher.events.includes('listing.updated');
  return sides === (BEFORE | AFTER) && !wantsAll ? 0 : sides;
}
type IndexedWords = ReadonlySet<string> | null;

/** Holds what the index says of a change against the loop. Returns how many watchers it concerns. */
function compareWithLoop(
  index: WatcherIndex<string>,
  watchers: ReadonlyMap<number, IndexedWatcher>,
  step: WatchedStep,
): number {
  const found = new Map<number, number>();
  const collect = (no: number, sides: number, detail: string): void => {
    assert.ok(!found.has(no), 'a watcher is called once');
    assert.equal(detail, `detail of ${no}`);
    found.set(no, sides);
  };
  if (!index.match(step.change, null, collect)) {
    assert.equal(found.size, 0);
    assert.ok(index.match(step.change, step.words, collect));
  }
  const expected = new Map(
    [...watchers]
      .map(([no, watcher]) => [no, expectedSides(watcher, step)] as const)
      .filter(([, sides]) => sides !== 0),
  );
  assert.deepEqual(
    new Map([...found].sort(([a], [b]) => a - b)),
    new Map([...expected].sort(([a], [b]) => a - b)),
  );
  return expected.size;
}

/** What happens to an index of watchers. */
export type IndexOperation =
  | { readonly kind: 'add'; readonly watcher: IndexedWatcher }
  | { readonly kind: 'remove'; readonly no: number }
  | { readonly kind: 'change'; readonly step: WatchedStep };

/** Does the same to an index and to a list of watchers, and compares them at each change; gives the number of results. */
export function runOperations(
  index: WatcherIndex<string>,
  watchers: Map<number, IndexedWatcher>,
  operations: readonly IndexOperation[],
): number {
  let results = 0;
  for (const each of operations) {
    if (each.kind === 'add') {
      index.add(each.watcher, `detail of ${each.watcher.no}`);
      watchers.set(each.watcher.no, each.watcher);
    }
    if (each.kind === 'change') results += compareWithLoop(index, watchers, each.step);
    if (each.kind !== 'remove') continue;
    index.remove(each.no);
    watchers.delete(each.no);
  }
  return results;
}
