// Index of watchers: which of them a change of a listing concerns, and whether each matched before and matches after.

import type { ListingChange } from '../../../changes/change.ts';
import type { ChangeState } from '../../../listings/change-state.ts';
import { BOTH, type ChangedWords, type ListingPart, sidesOf } from './change-sides.ts';
import { ConditionTable, type SharedCondition } from './condition-table.ts';
import { chooseKeys, eachKey, type IndexKeys, listingKey, propertyKey } from './index-keys.ts';
import type { IndexedWatcher, WatcherTarget } from './indexed-watcher.ts';
import { SharedTable } from './shared-table.ts';

/** Called for a watcher that a change concerns. `sides`: BEFORE if it matched before, plus AFTER if it matches after. */
export type OnMatch<Detail> = (no: number, sides: number, detail: Detail) => void;

/** What a watcher requires of a listing that has one of its keys. Equal ones are shared. */
interface Requirements {
  readonly key: string;
  readonly conditions: readonly SharedCondition[];
  /** Whether the listing must have the key on the side of the change that is to match. */
  readonly requiresKey: boolean;
  /** Whether it wants to know every change of a listing that matches, besides those with which a match begins or ends. */
  readonly wantsChanges: boolean;
  /** The last change that they were compared with, and the sides that meet the conditions; null: equal sides. */
  comparedAt: number;
  sides: number | null;
}

/** The watchers of a key, by their slots: one, or several. */
interface KeyWatchers {
  readonly key: string;
  slots: number | number[];
}

/**
 * Watchers by their numbers, with what the caller keeps of each. A watcher is checked only against changes of listings that
 * have one of its keys before or after. Each has a slot, its index in the arrays.
 */
export class WatcherIndex<Detail> {
  readonly #conditions = new ConditionTable();
  readonly #requirements = new SharedTable<Requirements>();
  readonly #byKey = new Map<string, KeyWatchers>();
  /** First letters of keys. */
  readonly #letters = new Set<string>();
  /** What watchers with keys of words read, and whether one of them wants to know every change. */
  readonly #readWithWords = new Set<ListingPart>();
  #wantsWords = false;
  readonly #slotOf = new Map<number, number>();
  readonly #freeSlots: number[] = [];
  readonly #nos: number[] = [];
  readonly #details: (Detail | null)[] = [];
  readonly #keysOf: (KeyWatchers | readonly KeyWatchers[])[] = [];
  readonly #requirementsOf: Requirements[] = [];

  get size(): number {
    return this.#slotOf.size;
  }

  /** Adds a watcher, or replaces the one with its number. One of a market figure is left out: no listing concerns it. */
  add(watcher: IndexedWatcher, detail: Detail): void {
    const { no, target } = watcher;
    this.remove(no);
    if (target.type === 'market') return;
    const slot = this.#freeSlots.pop() ?? this.#nos.length;
    const keys = keysOf(target);
    const requirements = this.#addRequirements(watcher, target, keys);
    this.#slotOf.set(no, slot);
    this.#nos[slot] = no;
    this.#details[slot] = detail;
    this.#requirementsOf[slot] = requirements;
    const added = keys.keys.map((key) => this.#addKey(key, slot));
    this.#keysOf[slot] = added.length === 1 && added[0] !== undefined ? added[0] : added;
  }

  remove(no: number): void {
    const slot = this.#slotOf.get(no);
    const requirements = this.#requirementsOf[slot ?? -1];
    if (slot === undefined || requirements === undefined) return;
    this.#slotOf.delete(no);
    this.#conditions.remove(requirements.conditions);
    this.#requirements.remove(requirements);
    for (const each of [this.#keysOf[slot] ?? []].flat()) this.#removeKey(each, slot);
    this.#details[slot] = null;
    this.#freeSlots.push(slot);
  }

  /**
   * Calls `onMatch` once for each watcher that the change concerns: its match begins or ends, or it matches on either side
   * and wants every change. False: nothing was called, since the words of the listing are needed.
   */
  match(change: ListingChange<ChangeState>, words: ChangedWords | null, onMatch: OnMatch<Detail>): boolean {
    const sides = sidesOf(change, words);
    if (words === null && this.#needsWords(sides.isChanged)) return false;
    this.#conditions.start(sides);
    const found = new Map<number, number>();
    const check = (slot: number, keyed: number): void => {
      const requirements = this.#requirementsOf[slot];
      const matched = requirements === undefined ? 0 : this.#matchedSides(requirements, keyed);
      if (matched !== 0) found.set(slot, matched);
    };
    eachKey(sides, this.#letters, (key, keyed) => {
      const slots = this.#byKey.get(key)?.slots;
      if (typeof slots === 'number') check(slots, keyed);
      else if (slots !== undefined) for (const slot of slots) check(slot, keyed);
    });
    if (this.#conditions.lacksWords) return false;
    for (const [slot, matched] of found)
      onMatch(this.#nos[slot] ?? 0, matched, this.#details[slot] as Detail);
    return true;
  }

  #addRequirements(
    { events, ignoreDisplayRules }: IndexedWatcher,
    target: ListingTarget,
    { keys, replaces }: IndexKeys,
  ): Requirements {
    const isSearch = target.type === 'search';
    const conditions = isSearch
      ? this.#conditions.addSearch(target.search, replaces)
      : [this.#conditions.addShown(ignoreDisplayRules)];
    const wantsChanges = !isSearch || events.some((type) => type.startsWith('listing.'));
    const requiresKey = !isSearch || replaces !== null;
    if (keys.some((key) => key.startsWith('w'))) {
      for (const { parts } of conditions) for (const part of parts) this.#readWithWords.add(part);
      this.#wantsWords ||= wantsChanges;
    }
    const key = `${requiresKey} ${wantsChanges} ${conditions.map(({ id }) => id).join()}`;
    return this.#requirements.add(key, () => ({
      key,
      conditions,
      requiresKey,
      wantsChanges,
      comparedAt: 0,
      sides: null,
    }));
  }

  /** The sides of the change that a watcher with a key on the sides `keyed` matches; 0: the change does not concern it. */
  #matchedSides(requirements: Requirements, keyed: number): number {
    const { conditions, wantsChanges, requiresKey } = requirements;
    if (requirements.comparedAt !== this.#conditions.changes) {
      requirements.comparedAt = this.#conditions.changes;
      const isAffected = wantsChanges || this.#conditions.isAffected(conditions);
      requirements.sides = isAffected ? this.#conditions.matchedSides(conditions) : null;
    }
    if (requirements.sides === null && keyed === BOTH) return 0;
    requirements.sides ??= this.#conditions.matchedSides(conditions);
    const matched = requirements.sides & (requiresKey ? keyed : BOTH);
    return matched === BOTH && !wantsChanges ? 0 : matched;
  }

  /** Whether watchers may be concerned that are found by words alone. */
  #needsWords(isChanged: (part: ListingPart) => boolean): boolean {
    return this.#wantsWords || this.#readWithWords.values().some(isChanged);
  }

  #addKey(key: string, slot: number): KeyWatchers {
    const known = this.#byKey.get(key);
    if (known === undefined) {
      const added = { key, slots: slot };
      this.#byKey.set(key, added);
      this.#letters.add(key.charAt(0));
      return added;
    }
    if (typeof known.slots === 'number') known.slots = [known.slots, slot];
    else known.slots.push(slot);
    return known;
  }

  #removeKey(watchers: KeyWatchers, slot: number): void {
    const { slots } = watchers;
    if (typeof slots !== 'number') {
      // The order of the watchers of a key does not matter.
      const last = slots.pop();
      if (last !== slot && last !== undefined) slots[slots.indexOf(slot)] = last;
    }
    if (typeof slots === 'number' || slots.length === 0) this.#byKey.delete(watchers.key);
  }
}

type ListingTarget = Exclude<WatcherTarget, { readonly type: 'market' }>;

function keysOf(target: ListingTarget): IndexKeys {
  if (target.type === 'search') return chooseKeys(target.search);
  const key = target.type === 'listing' ? listingKey(target.listingId) : propertyKey(target.propertyId);
  return { keys: [key], replaces: null };
}
