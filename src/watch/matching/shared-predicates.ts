// Predicates for the conditions that no column of a watcher holds, shared by watchers whose conditions are equal.

import { hash } from 'node:crypto';
import type { SearchRow } from '../../listings/search-row.ts';
import type { Condition } from '../../search/query/condition.ts';
import type { RowTest, TokenSet } from '../../search/query/condition-kinds.ts';
import { compileConditions, contextOf } from '../../search/query/predicate.ts';
import type { SavedSearch } from '../../search/query/saved-search.ts';
import { enlarged } from './posting-lists.ts';

interface SharedPredicate {
  readonly key: string;
  readonly matches: RowTest;
  users: number;
}

const NO_WORDS: TokenSet = new Set<string>();

export class SharedPredicates {
  /** Number 0 is no predicate. */
  readonly #predicates: (SharedPredicate | null)[] = [null];
  readonly #numberOf = new Map<string, number>();
  readonly #free: number[] = [];
  #change = 0;
  /** The change that each was last run for, and what it found: the sides that match, and those that were checked. */
  #checkedAt = new Uint32Array(64);
  #found = new Uint8Array(64);

  get size(): number {
    return this.#numberOf.size;
  }

  /** The number of the predicate for these conditions of the search; 0 for none. */
  add(search: SavedSearch, conditions: readonly Condition[]): number {
    if (conditions.length === 0) return 0;
    const context = contextOf(search);
    // The hash takes less memory than a polygon.
    const key = hash('sha256', JSON.stringify([conditions, context]), 'base64');
    const known = this.#numberOf.get(key);
    const shared = known === undefined ? null : this.#predicates[known];
    if (known !== undefined && shared) {
      shared.users++;
      return known;
    }
    const number = this.#free.pop() ?? this.#predicates.length;
    this.#predicates[number] = { key, matches: compileConditions(conditions, context), users: 1 };
    this.#numberOf.set(key, number);
    return number;
  }

  remove(number: number): void {
    const shared = this.#predicates[number];
    if (!shared || --shared.users > 0) return;
    this.#predicates[number] = null;
    this.#numberOf.delete(shared.key);
    this.#free.push(number);
  }

  /** Forgets what was found for the rows of the last change. */
  next(): void {
    this.#change++;
    if (this.#checkedAt.length < this.#predicates.length) {
      this.#checkedAt = enlarged(this.#checkedAt, 1.5 * this.#predicates.length);
      this.#found = new Uint8Array(this.#checkedAt.length);
    }
  }

  /** Whether a row of the change matches; many watchers share a predicate, so each is run once a side. */
  matches(number: number, side: number, row: SearchRow, words: TokenSet | null): boolean {
    if (this.#checkedAt[number] !== this.#change) {
      this.#checkedAt[number] = this.#change;
      this.#found[number] = 0;
    }
    const found = this.#found[number] ?? 0;
    if ((found & (side << 2)) !== 0) return (found & side) !== 0;
    const isMatch = this.#predicates[number]?.matches(row, words ?? NO_WORDS) ?? false;
    this.#found[number] = found | (side << 2) | (isMatch ? side : 0);
    return isMatch;
  }
}
