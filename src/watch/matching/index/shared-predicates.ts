// Conditions that no column of a watcher holds: texts by their words, others as predicates that watchers with equal ones share.

import { hash } from 'node:crypto';
import type { Condition } from '../../../search/query/condition.ts';
import { type RowTest, type TokenSet, textTerms } from '../../../search/query/condition-kinds.ts';
import { compileConditions, contextOf } from '../../../search/query/predicate.ts';
import type { SavedSearch } from '../../../search/query/saved-search.ts';
import { AFTER, BEFORE } from './change-sides.ts';
import type { ListingSide } from './index-keys.ts';
import { enlarged } from './posting-lists.ts';
import { TextConditions } from './text-conditions.ts';

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
  #before: ListingSide | null = null;
  #after: ListingSide | null = null;
  readonly #texts = new TextConditions();
  #change = 0;
  /** The change that each was last run for, and what it found: the sides that match, and those that were checked. */
  #checkedAt = new Uint32Array(64);
  #found = new Uint8Array(64);

  get size(): number {
    return this.#numberOf.size;
  }

  /** The number of these conditions of the search: negative for a text, 0 for none. */
  add(search: SavedSearch, conditions: readonly Condition[]): number {
    const [first, ...others] = conditions;
    if (first === undefined) return 0;
    const context = contextOf(search);
    const text =
      first.kind === 'text' && others.length === 0 ? this.#texts.add(textTerms(first, context)) : 0;
    if (text > 0) return -text;
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
    if (number < 0) this.#texts.remove(-number);
    const shared = this.#predicates[number];
    if (!shared || --shared.users > 0) return;
    this.#predicates[number] = null;
    this.#numberOf.delete(shared.key);
    this.#free.push(number);
  }

  /** Begins a change between these sides, and forgets what was found for the last one. */
  next(before: ListingSide | null, after: ListingSide): void {
    this.#change++;
    this.#before = before;
    this.#after = after;
    this.#texts.next(before?.words ?? null, after.words);
    if (this.#checkedAt.length < this.#predicates.length) {
      this.#checkedAt = enlarged(this.#checkedAt, 1.5 * this.#predicates.length);
      this.#found = new Uint8Array(this.#checkedAt.length);
    }
  }

  /** The sides that meet the conditions, of those given. */
  matchedSides(number: number, sides: number): number {
    if (number === 0) return sides;
    if (number < 0) return sides & this.#texts.matchedSides(-number);
    const isAfter = (sides & AFTER) !== 0 && this.#matches(number, AFTER, this.#after);
    const isBefore = (sides & BEFORE) !== 0 && this.#matches(number, BEFORE, this.#before);
    return (isAfter ? AFTER : 0) | (isBefore ? BEFORE : 0);
  }

  /** Many watchers share a predicate, so each is run once a side. */
  #matches(number: number, side: number, listing: ListingSide | null): boolean {
    if (listing === null) return false;
    if (this.#checkedAt[number] !== this.#change) {
      this.#checkedAt[number] = this.#change;
      this.#found[number] = 0;
    }
    const found = this.#found[number] ?? 0;
    if ((found & (side << 2)) !== 0) return (found & side) !== 0;
    const isMatch = this.#predicates[number]?.matches(listing.row, listing.words ?? NO_WORDS) ?? false;
    this.#found[number] = found | (side << 2) | (isMatch ? side : 0);
    return isMatch;
  }
}
