// Index of watchers: which of them a change of a listing concerns, and whether each matched before and matches after.

import type { ListingChange } from '../../../changes/change.ts';
import type { ChangeState } from '../../../listings/change-state.ts';
import { BLOCK, BlockSummaries, compareSlots } from './block-summaries.ts';
import { type Comparison, comparisonOf, interestOf, isChangedBy } from './change-comparison.ts';
import { BOTH, type ChangedWords } from './change-sides.ts';
import {
  ALL_READS,
  COLUMNS,
  compareColumns,
  FLAG_HAS_KEYS,
  FLAG_KEY_IS_CONDITION,
  FLAG_READS_WORDS,
  FLAG_WANTS_CHANGES,
  FLAGS,
  REST,
  REST_READS_SHIFT,
  type RowValues,
  requirementsOf,
  shownListings,
} from './columns.ts';
import { chooseKeys, eachKey, listingKey, propertyKey } from './index-keys.ts';
import type { IndexedWatcher, WatcherTarget } from './indexed-watcher.ts';
import { enlarged, PostingLists } from './posting-lists.ts';
import { SharedPredicates } from './shared-predicates.ts';

/** A watcher that a change concerns. `sides`: BEFORE if it matched before, plus AFTER if it matches after. */
export type OnVerdict = (slot: number, sides: number) => void;

const MIN_SLOTS = 256;
/** Watchers are packed once this share of them was removed or added since. */
const MAX_UNPACKED = 0.25;
const MIN_UNPACKED = 1_000;

/**
 * Watchers by their numbers, with what the caller keeps of each. A watcher is checked only against changes of listings that
 * have one of its keys, before or after: first by its columns, last by predicates for what no column holds.
 */
export class WatcherIndex<Detail> {
  #lists = new PostingLists();
  #columns = new Int32Array(COLUMNS * MIN_SLOTS);
  /** The last change for which a watcher with several keys was checked. */
  #checkedAt = new Uint32Array(MIN_SLOTS);
  #slotOf = new Map<number, number>();
  #nos: number[] = [];
  #details: Detail[] = [];
  #predicates = new SharedPredicates();
  #summaries = new BlockSummaries(this.#lists, this.#columns);
  #removed = 0;
  /** Slots that were packed last. */
  #packed = 0;
  #checks = 0;
  /** What watchers with keys of words read. */
  #wordReads = 0;

  get size(): number {
    return this.#slotOf.size;
  }

  no(slot: number): number {
    return this.#nos[slot] ?? 0;
  }

  detail(slot: number): Detail {
    return this.#details[slot] as Detail;
  }

  /** The numbers of all watchers. */
  nos(): number[] {
    return [...this.#slotOf.keys()];
  }

  /** Adds a watcher, or replaces the one with its number. One of a market figure is left out: no listing concerns it. */
  add({ no, target, events, ignoreDisplayRules }: IndexedWatcher, detail: Detail): void {
    this.remove(no);
    if (target.type === 'market') return;
    const slot = this.#nos.length;
    if ((slot + 1) * COLUMNS > this.#columns.length) this.#grow();
    this.#slotOf.set(no, slot);
    this.#nos.push(no);
    this.#details.push(detail);
    const { keys, requirements } = keysAndRequirements(target, ignoreDisplayRules);
    for (const key of keys) this.#lists.add(key, slot);
    let flags = requirements.columns[FLAGS] ?? 0;
    if (events.some((type) => type.startsWith('listing.'))) flags |= FLAG_WANTS_CHANGES;
    if (keys.length > 1) flags |= FLAG_HAS_KEYS;
    if (keys.some((key) => key.startsWith('w'))) this.#wordReads |= flags & (ALL_READS | FLAG_WANTS_CHANGES);
    this.#columns.set(requirements.columns, slot * COLUMNS);
    this.#columns[slot * COLUMNS + FLAGS] = flags;
    if (target.type === 'search')
      this.#columns[slot * COLUMNS + REST] = this.#predicates.add(target.search, requirements.rest);
  }

  remove(no: number): void {
    const slot = this.#slotOf.get(no);
    if (slot === undefined) return;
    this.#slotOf.delete(no);
    this.#predicates.remove(this.#columns[slot * COLUMNS + REST] ?? 0);
    // Without flags it is checked no more.
    this.#columns.fill(0, slot * COLUMNS, (slot + 1) * COLUMNS);
    this.#removed++;
    if (this.#isMuch(this.#removed)) this.pack();
  }

  /**
   * Calls `onVerdict` once for each watcher that the change concerns: its match begins or ends, or it matches on either side
   * and wants every change. False: nothing was called, since the words of the listing are needed.
   */
  match(change: ListingChange<ChangeState>, words: ChangedWords | null, onVerdict: OnVerdict): boolean {
    const interest = interestOf(change);
    if (words === null && (this.#wordReads & interest) !== 0) return false;
    if (this.#isMuch(this.#nos.length - this.#packed)) this.pack();
    const comparison = comparisonOf(change, words, interest);
    const found: number[] = [];
    this.#checks++;
    this.#predicates.next(comparison.before, comparison.after);
    let isDecided = true;
    eachKey(comparison, isChangedBy(change), this.#lists, (key, sides) => {
      const list = this.#lists.find(key);
      if (list >= 0) isDecided &&= this.#checkList(list, sides, comparison, found);
    });
    if (isDecided) for (const each of found) onVerdict(each >>> 2, each & BOTH);
    return isDecided;
  }

  /** Checks the watchers of a list: by blocks, and one by one after them. False if one needs words that are not there. */
  #checkList(list: number, keyed: number, comparison: Comparison, found: number[]): boolean {
    const start = this.#lists.start(list);
    const end = start + this.#lists.length(list);
    const { first, count } = this.#summaries.blocks(list);
    const blocksEnd = start + count * BLOCK;
    for (let block = 0; block < count; block++) {
      const at = start + block * BLOCK;
      if (!this.#concernsBlock(first + block, keyed, comparison)) continue;
      if (!this.#checkSlots(at, at + BLOCK, keyed, comparison, found)) return false;
    }
    return this.#checkSlots(blocksEnd, end, keyed, comparison, found);
  }

  /** Whether the match of a watcher of the block may differ, or it wants to know of the change all the same. */
  #concernsBlock(block: number, keyed: number, { interest, after, before }: Comparison): boolean {
    const { columns } = this.#summaries;
    const place = 2 * COLUMNS * block;
    const flags = columns[place + FLAGS] ?? 0;
    if ((flags & interest) === 0) return false;
    const sides = matchedSides(columns, place, keyed, after.values, before?.values ?? null);
    if (sides !== BOTH || (wantsOf(flags) & interest) !== 0) return sides !== 0;
    return matchedSides(columns, place + COLUMNS, keyed, after.values, before?.values ?? null) !== BOTH;
  }

  #checkSlots(start: number, end: number, keyed: number, comparison: Comparison, found: number[]): boolean {
    const { pool } = this.#lists;
    const columns = this.#columns;
    const { interest, after, before } = comparison;
    const [valuesAfter, valuesBefore] = [after.values, before?.values ?? null];
    for (let at = start; at < end; at++) {
      const slot = pool[at] ?? 0;
      const place = slot * COLUMNS;
      const flags = columns[place + FLAGS] ?? 0;
      if ((flags & interest) === 0) continue;
      const sides = matchedSides(columns, place, keyed, valuesAfter, valuesBefore);
      // Most match on neither side or on both, whatever else they require.
      if (sides === 0 || (sides === BOTH && (wantsOf(flags) & interest) === 0)) continue;
      if ((flags & FLAG_HAS_KEYS) !== 0 && this.#wasChecked(slot)) continue;
      const rest = columns[place + REST] ?? 0;
      if (rest !== 0 && (flags & FLAG_READS_WORDS) !== 0 && after.words === null) return false;
      const verdict = this.#predicates.matchedSides(rest, sides);
      const isSame = verdict === 0 || verdict === BOTH;
      if (!isSame || (verdict !== 0 && (flags & FLAG_WANTS_CHANGES) !== 0)) found.push((slot << 2) | verdict);
    }
    return true;
  }

  #isMuch(count: number): boolean {
    return count > MIN_UNPACKED && count > MAX_UNPACKED * this.#nos.length;
  }

  #wasChecked(slot: number): boolean {
    if (this.#checkedAt[slot] === this.#checks >>> 0) return true;
    this.#checkedAt[slot] = this.#checks;
    return false;
  }

  #grow(): void {
    const slots = Math.ceil(1.5 * this.#checkedAt.length);
    const columns = new Int32Array(slots * COLUMNS);
    columns.set(this.#columns);
    this.#columns = columns;
    this.#checkedAt = enlarged(this.#checkedAt, slots);
  }

  /** Sweeps removed watchers out, sorts those with the same key by what they require, and summarises them by blocks. */
  pack(): void {
    const slots = this.#lists.sort(
      this.#nos.length,
      (slot) => (this.#columns[slot * COLUMNS + FLAGS] ?? 0) !== 0,
      (a, b) => compareSlots(this.#columns, a, b),
    );
    const [columns, nos, details] = [this.#columns, this.#nos, this.#details];
    this.#columns = new Int32Array(Math.max(MIN_SLOTS, slots.length) * COLUMNS);
    this.#checkedAt = new Uint32Array(Math.max(MIN_SLOTS, slots.length));
    const newSlot = new Int32Array(nos.length).fill(-1);
    for (const [to, from] of slots.entries()) {
      newSlot[from] = to;
      this.#columns.set(columns.subarray(from * COLUMNS, (from + 1) * COLUMNS), to * COLUMNS);
    }
    this.#nos = Array.from(slots, (slot) => nos[slot] ?? 0);
    this.#details = Array.from(slots, (slot) => details[slot] as Detail);
    this.#slotOf = new Map(this.#nos.map((no, slot) => [no, slot]));
    this.#lists = this.#lists.renumbered(newSlot);
    this.#summaries = new BlockSummaries(this.#lists, this.#columns);
    this.#packed = this.#nos.length;
    this.#removed = 0;
  }
}

function keysAndRequirements(
  target: Exclude<WatcherTarget, { readonly type: 'market' }>,
  ignoresDisplay: boolean,
) {
  switch (target.type) {
    case 'listing':
      return { keys: [listingKey(target.listingId)], requirements: shownListings(ignoresDisplay) };
    case 'property':
      return { keys: [propertyKey(target.propertyId)], requirements: shownListings(ignoresDisplay) };
    case 'search': {
      const { keys, replaces } = chooseKeys(target.search);
      const requirements = requirementsOf(target.search, replaces);
      if (replaces !== null)
        requirements.columns[FLAGS] = (requirements.columns[FLAGS] ?? 0) | FLAG_KEY_IS_CONDITION;
      return { keys, requirements };
    }
  }
}

/** The sides that columns match, of those that `keyed` leaves: the sides that have the key. */
function matchedSides(
  columns: Int32Array,
  place: number,
  keyed: number,
  after: RowValues,
  before: RowValues | null,
): number {
  const matchesAfter = 1 + (compareColumns(columns, place, after) >> 31);
  const matchedBefore = before === null ? 0 : 1 + (compareColumns(columns, place, before) >> 31);
  const isKeyed = ((columns[place + FLAGS] ?? 0) & FLAG_KEY_IS_CONDITION) !== 0;
  return ((matchesAfter << 1) | matchedBefore) & (isKeyed ? keyed : BOTH);
}

/** What a watcher reads that its columns do not decide, or that it wants to know all the same. */
const wantsOf = (flags: number): number => (flags >>> REST_READS_SHIFT) | (flags & FLAG_WANTS_CHANGES);
