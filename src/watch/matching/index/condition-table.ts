// Conditions of watchers: each is compiled once for all watchers that have it, and checked once for each change.

import { hash } from 'node:crypto';
import { HIDDEN_STATUSES } from '../../../listings/vocabulary.ts';
import type { Condition } from '../../../search/query/condition.ts';
import { kindOf, type RowTest, type TokenSet } from '../../../search/query/condition-kinds.ts';
import { compileConditions, contextOf } from '../../../search/query/predicate.ts';
import type { SavedSearch } from '../../../search/query/saved-search.ts';
import { AFTER, BEFORE, BOTH, type ChangeSides, type ListingPart, type ListingSide } from './change-sides.ts';
import { SharedTable } from './shared-table.ts';

export interface SharedCondition {
  readonly key: string;
  readonly id: number;
  readonly test: RowTest;
  /** What the test reads. */
  readonly parts: readonly ListingPart[];
  /** The last change that it was compared with. */
  comparedAt: number;
  /** Whether that changes what the test reads. */
  isAffected: boolean;
  /** The sides of that change that meet the condition; null: not checked yet. */
  sides: number | null;
}

const NO_WORDS: TokenSet = new Set();

export class ConditionTable {
  readonly #conditions = new SharedTable<SharedCondition>();
  #ids = 0;
  #change: ChangeSides | null = null;
  #changes = 0;
  #lacksWords = false;

  /** The conditions of a search, but for one that its key replaces, and that it may show the listing: the cheap ones first. */
  addSearch(search: SavedSearch, replaced: Condition | null): SharedCondition[] {
    const { listingType, ignoreDisplayRules } = search;
    const base = this.#add(
      `${listingType} ${ignoreDisplayRules}`,
      ['listing_type', 'displayed'],
      () => (row) => row.listing_type === listingType && (row.displayed || ignoreDisplayRules),
    );
    // Most listings fail at a cheap condition.
    const others = search.conditions
      .filter((condition) => condition !== replaced)
      .toSorted((a, b) => costOf(a) - costOf(b));
    return [base, ...others.map((condition) => this.#addCondition(condition, search))];
  }

  /** The condition that the listing may be shown. */
  addShown(ignoreDisplayRules: boolean): SharedCondition {
    return this.#add(
      `shown ${ignoreDisplayRules}`,
      ['status', 'displayed'],
      () =>
        ({ status, displayed }) =>
          !HIDDEN_STATUSES.includes(status) && (displayed || ignoreDisplayRules),
    );
  }

  remove(conditions: readonly SharedCondition[]): void {
    for (const condition of conditions) this.#conditions.remove(condition);
  }

  /** Starts the comparison with a change. */
  start(change: ChangeSides): void {
    this.#change = change;
    this.#changes++;
    this.#lacksWords = false;
  }

  /** The number of the change since the first. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether a condition was checked that needs the words of the listing, which were not given. */
  get lacksWords(): boolean {
    return this.#lacksWords;
  }

  /** Whether the change affects what any of these conditions reads. */
  isAffected(conditions: readonly SharedCondition[]): boolean {
    return conditions.some((condition) => this.#compared(condition).isAffected);
  }

  /** The sides of the change that meet all of these conditions. */
  matchedSides(conditions: readonly SharedCondition[]): number {
    let matched = BOTH;
    for (const each of conditions) {
      const condition = this.#compared(each);
      condition.sides ??= this.#check(condition);
      matched &= condition.sides;
      if (matched === 0) return 0;
    }
    return matched;
  }

  #addCondition(condition: Condition, search: SavedSearch): SharedCondition {
    const columns = kindOf(condition).columns(condition);
    const parts: ListingPart[] = condition.kind === 'text' ? [...columns, 'words'] : [...columns];
    return this.#add(keyOf(condition, search), parts, () =>
      compileConditions([condition], contextOf(search)),
    );
  }

  #add(key: string, parts: readonly ListingPart[], compile: () => RowTest): SharedCondition {
    return this.#conditions.add(key, () => ({
      key,
      id: this.#ids++,
      test: compile(),
      parts,
      comparedAt: 0,
      isAffected: false,
      sides: null,
    }));
  }

  #compared(condition: SharedCondition): SharedCondition {
    if (condition.comparedAt === this.#changes) return condition;
    condition.comparedAt = this.#changes;
    condition.isAffected = condition.parts.some((part) => this.#change?.isChanged(part));
    condition.sides = null;
    return condition;
  }

  #check({ test, parts, isAffected }: SharedCondition): number {
    if (this.#change === null) return 0;
    const { after, before } = this.#change;
    if (after.words === null && parts.includes('words')) {
      this.#lacksWords = true;
      return 0;
    }
    const meets = (side: ListingSide) => test(side.row, side.words ?? NO_WORDS);
    const meetsAfter = meets(after);
    const metBefore = before !== null && (isAffected ? meets(before) : meetsAfter);
    return (meetsAfter ? AFTER : 0) | (metBefore ? BEFORE : 0);
  }
}

/** Shapes and texts are checked last. */
const costOf = (condition: Condition): number => ('boxes' in condition || condition.kind === 'text' ? 1 : 0);

/** Equal for conditions that mean the same. A hash takes less memory than a polygon. */
function keyOf(condition: Condition, { areaNos, words }: SavedSearch): string {
  const meaning = condition.kind === 'text' ? words : null;
  const text = JSON.stringify([condition, condition.kind === 'areas' ? areaNos : meaning]);
  return text.length < 100 ? text : hash('sha256', text, 'base64');
}
