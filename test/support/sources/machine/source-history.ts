// History of a source, as a plain map: what its server showed of each listing, state after state. The oracle of replicas.

import type { Listing } from '../../../../sample/market/listing.ts';
import type { Market } from '../../../../sample/market/market.ts';

/** What is compared of a listing: its status, its amount and the number of its photos. */
export type ListingState = `${string} ${number} ${number}`;

/** A listing that is not shown. */
export const GONE = 'gone';

/** Amounts and photos of a listing, as its source or its replica has them. */
interface Facts {
  readonly price: number;
  readonly closePrice: number | null;
  readonly photos: number;
}

/**
 * The amount of what is closed is the price paid: a list price that becomes the same at the closing is no change of the asking price,
 * which a replica that missed one before then keeps.
 */
export function stateOf(status: string, { price, closePrice, photos }: Facts): ListingState {
  const name = status.toUpperCase().replaceAll(' ', '_');
  return `${name} ${name === 'CLOSED' ? (closePrice ?? price) : price} ${photos}`;
}

/** What the server shows of a listing. */
const shownOf = ({ status, listPrice: price, closePrice, photos }: Listing): ListingState | typeof GONE =>
  status === 'Delete' ? GONE : stateOf(status, { price, closePrice, photos });

export class SourceHistory {
  readonly #market: Market;
  readonly #states = new Map<string, (ListingState | typeof GONE)[]>();
  /** How often each listing was modified, came or went since the beginning. */
  readonly #changes = new Map<string, number>();
  readonly #modified = new Map<string, number>();
  /** Changes of each listing, of those to come too, that renamed values may cause. */
  #renaming = 0;

  constructor(market: Market) {
    this.#market = market;
    this.note();
    this.#changes.clear();
  }

  /** Notes what the server shows from now on. */
  note(): void {
    const shown = new Map([...this.#market.visible()].map((listing) => [listing.key, listing]));
    for (const key of new Set([...this.#states.keys(), ...shown.keys()])) {
      const listing = shown.get(key);
      const state = listing === undefined ? GONE : shownOf(listing);
      const states = this.#states.get(key) ?? [];
      const isMoved = listing !== undefined && this.#modified.get(key) !== listing.modifiedAt;
      if (listing !== undefined) this.#modified.set(key, listing.modifiedAt);
      if (state !== states.at(-1)) states.push(state);
      else if (!isMoved) continue;
      this.#states.set(key, states);
      this.#changes.set(key, (this.#changes.get(key) ?? 0) + 1);
    }
  }

  /** Values were renamed: each listing may be told with a value that is not known yet, and again once it is. */
  noteRenamed(): void {
    this.#renaming += 2;
  }

  /** Values are spelled in the other way: of one that was renamed that may be its former name, until lookups are read. */
  noteRespelled(): void {
    if (this.#renaming > 0) this.#renaming += 1;
  }

  /** Of all listings that there are or were. */
  get keys(): readonly string[] {
    return [...this.#states.keys()];
  }

  keyAt(which: number): string {
    return this.keys[which % this.keys.length] ?? '';
  }

  /** What the server shows now, by key. */
  get shown(): ReadonlyMap<string, ListingState> {
    const now = [...this.#states].flatMap(([key, states]) => {
      const state = states.at(-1) ?? GONE;
      return state === GONE ? [] : [[key, state] as const];
    });
    return new Map(now.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** All that a listing was, in its order. */
  statesOf(key: string): readonly (ListingState | typeof GONE)[] {
    return this.#states.get(key) ?? [];
  }

  /** How often a listing was modified, came or went since the beginning, or had values that were renamed. */
  changesOf(key: string): number {
    return (this.#changes.get(key) ?? 0) + this.#renaming;
  }
}
