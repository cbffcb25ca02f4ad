// Index of watchers: which of them a change of a listing concerns, and whether each matched before and matches after.

import type { ListingChange } from '../../changes/change.ts';
import type { ChangeState } from '../../listings/change-state.ts';
import type { SearchRow } from '../../listings/search-row.ts';
import {
  ALL_READS,
  COLUMNS,
  changesOnlyPrice,
  compareColumns,
  comparePrice,
  FLAGS,
  HAS_KEYS,
  IS_KEYED,
  READS,
  READS_WORDS,
  REST,
  REST_READS_SHIFT,
  type RowValues,
  readsOfColumns,
  requirementsOf,
  rowValues,
  shownListings,
  WANTS_CHANGES,
} from './columns.ts';
import { fileSearch, listingKey, propertyKey, rowKeys } from './filing.ts';
import { enlarged, PostingLists } from './posting-lists.ts';
import { SharedPredicates } from './shared-predicates.ts';
import type { WatcherDefinition, WatcherTarget } from './watcher-definition.ts';

export const BEFORE = 1;
export const AFTER = 2;

/** The words of a listing around a change; null: there was no listing. */
export interface ChangedWords {
  readonly before: ReadonlySet<string> | null;
  readonly after: ReadonlySet<string>;
}

/** A watcher that a change concerns. `sides`: BEFORE if it matched before, plus AFTER if it matches after. */
export type OnVerdict = (slot: number, sides: number) => void;

interface Side {
  readonly row: SearchRow;
  readonly values: RowValues;
  readonly words: ReadonlySet<string> | null;
}

const MIN_SLOTS = 256;
/** Removed watchers are swept out once they are this share of all. */
const MAX_REMOVED = 0.25;
const MIN_REMOVED = 1_000;

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
  #removed = 0;
  #checks = 0;
  /** What watchers that are filed by words read. */
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

  /** Adds a watcher, or replaces the one with its number. */
  add({ no, target, events, ignoreDisplayRules }: WatcherDefinition, detail: Detail): void {
    this.remove(no);
    const slot = this.#nos.length;
    if ((slot + 1) * COLUMNS > this.#columns.length) this.#grow();
    this.#slotOf.set(no, slot);
    this.#nos.push(no);
    this.#details.push(detail);
    const { keys, requirements } = file(target, ignoreDisplayRules);
    for (const key of keys) this.#lists.add(key, slot);
    let flags = requirements.columns[FLAGS] ?? 0;
    if (events.some((type) => type.startsWith('listing.'))) flags |= WANTS_CHANGES;
    if (keys.length > 1) flags |= HAS_KEYS;
    if (keys.some((key) => key.startsWith('w'))) this.#wordReads |= flags & (ALL_READS | WANTS_CHANGES);
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
    if (this.#removed > MIN_REMOVED && this.#removed > MAX_REMOVED * this.#nos.length) this.pack();
  }

  /**
   * Calls `onVerdict` once for each watcher that the change concerns: its match begins or ends, or it matches on either side
   * and wants every change. False: nothing was called, since the words of the listing are needed.
   */
  match(change: ListingChange<ChangeState>, words: ChangedWords | null, onVerdict: OnVerdict): boolean {
    const { after } = change;
    const interest = WANTS_CHANGES | readsOfChange(change);
    if (words === null && (this.#wordReads & interest) !== 0) return false;
    const now: Side = { row: after.row, values: rowValues(after.row), words: words?.after ?? null };
    const rowThen = rowBefore(change);
    const then: Side | null = rowThen && {
      row: rowThen,
      values: rowValues(rowThen),
      words: words?.before ?? null,
    };
    const found: number[] = [];
    this.#checks++;
    this.#predicates.next();
    for (const [key, sides] of keysOf(change, now, then)) {
      const list = this.#lists.find(key);
      if (list >= 0 && !this.#check(list, sides, interest, now, then, found)) return false;
    }
    for (const each of found) onVerdict(each >>> 2, each & (BEFORE | AFTER));
    return true;
  }

  /** Checks the watchers of a list; false if one needs words that are not there. */
  #check(
    list: number,
    keyed: number,
    interest: number,
    now: Side,
    then: Side | null,
    found: number[],
  ): boolean {
    const { pool } = this.#lists;
    const columns = this.#columns;
    const start = this.#lists.start(list);
    const end = start + this.#lists.length(list);
    const [valuesNow, valuesThen] = [now.values, then?.values ?? now.values];
    // Where only the price differs, so does the match only where the price is within the bounds on one side alone.
    const comparesPrices = then !== null && changesOnlyPrice(interest);
    // Sides of those whose only key is this one, and of the others.
    const sidesOf = [then === null ? AFTER : BEFORE | AFTER, then === null ? keyed & AFTER : keyed];
    const [others = 0, those = 0] = sidesOf;
    for (let at = start; at < end; at++) {
      const slot = pool[at] ?? 0;
      const place = slot * COLUMNS;
      const flags = columns[place + FLAGS] ?? 0;
      if ((flags & interest) === 0) continue;
      const wants = ((flags >>> REST_READS_SHIFT) | (flags & WANTS_CHANGES)) & interest;
      if (comparesPrices && wants === 0) {
        const differs = comparePrice(columns, place, valuesThen) ^ comparePrice(columns, place, valuesNow);
        if (differs >= 0) continue;
      }
      const matchedThen = then === null ? 1 : compareColumns(columns, place, valuesThen) >>> 31;
      const matchesNow = compareColumns(columns, place, valuesNow) >>> 31;
      const sides =
        (BEFORE | AFTER) & ~(matchedThen | (matchesNow << 1)) & ((flags & IS_KEYED) !== 0 ? those : others);
      // Most match on neither side or on both, whatever else they require.
      const differs = (sides ^ (sides >>> 1)) & 1;
      if (sides === 0 || (differs | wants) === 0) continue;
      if ((flags & HAS_KEYS) !== 0 && this.#wasChecked(slot)) continue;
      const verdict = this.#checkPredicate(columns[place + REST] ?? 0, sides, flags, now, then);
      if (verdict < 0) return false;
      const isSame = verdict === 0 || verdict === (BEFORE | AFTER);
      if (!isSame || (verdict !== 0 && (flags & WANTS_CHANGES) !== 0)) found.push((slot << 2) | verdict);
    }
    return true;
  }

  /** The sides that the conditions without columns leave; negative: they need words that are not there. */
  #checkPredicate(rest: number, sides: number, flags: number, now: Side, then: Side | null): number {
    if (rest === 0) return sides;
    if ((flags & READS_WORDS) !== 0 && now.words === null) return -1;
    const isNow = (sides & AFTER) !== 0 && this.#predicates.matches(rest, AFTER, now.row, now.words);
    const wasThen =
      (sides & BEFORE) !== 0 && then !== null && this.#predicates.matches(rest, BEFORE, then.row, then.words);
    return (isNow ? AFTER : 0) | (wasThen ? BEFORE : 0);
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

  /** Sweeps removed watchers out, and lays those with the same key side by side: large lists are then read in order. */
  pack(): void {
    const slots = this.#lists.order(
      this.#nos.length,
      (slot) => (this.#columns[slot * COLUMNS + FLAGS] ?? 0) !== 0,
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
    this.#removed = 0;
  }
}

function file(target: WatcherTarget, ignoresDisplay: boolean) {
  switch (target.type) {
    case 'listing':
      return { keys: [listingKey(target.listingId)], requirements: shownListings(ignoresDisplay) };
    case 'property':
      return { keys: [propertyKey(target.propertyId)], requirements: shownListings(ignoresDisplay) };
    case 'search': {
      const { keys, replaces } = fileSearch(target.search);
      const requirements = requirementsOf(target.search, replaces);
      if (replaces !== null) requirements.columns[FLAGS] = (requirements.columns[FLAGS] ?? 0) | IS_KEYED;
      return { keys, requirements };
    }
  }
}

/** The keys of the listing on both sides of a change, each with the sides that have it. */
function keysOf({ listingId, propertyId, before }: ListingChange<ChangeState>, now: Side, then: Side | null) {
  const sides = new Map<string, number>();
  const add = (keys: readonly string[], side: number): void => {
    for (const key of keys) sides.set(key, (sides.get(key) ?? 0) | side);
  };
  add([...rowKeys(now.row, now.words), listingKey(listingId), propertyKey(propertyId)], AFTER);
  if (then === null) return sides;
  const property = before?.listing?.propertyId ?? propertyId;
  add([...rowKeys(then.row, then.words), listingKey(listingId), propertyKey(String(property))], BEFORE);
  return sides;
}

function readsOfChange({ before, changed }: ListingChange<ChangeState>): number {
  if (before === null) return ALL_READS;
  return readsOfColumns(Object.keys(before.row ?? {})) | (changed.includes('words') ? READS.words : 0);
}

/** The row before a change; null: there was none. */
export const rowBefore = ({ before, after }: ListingChange<ChangeState>): SearchRow | null =>
  before === null ? null : { ...after.row, ...before.row };
