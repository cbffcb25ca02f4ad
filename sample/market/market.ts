// Market as a whole: its listings by key and by status, and the one clock of their changes.
import type { Land } from '../land/land.ts';
import { Random } from '../random.ts';
import { createGenesis } from './genesis.ts';
import type { Home } from './home.ts';
import type { Listing, Status } from './listing.ts';
import { type Offer, offer } from './offers.ts';
import type { Side, Stock } from './stock.ts';

export interface MarketOptions {
  readonly land: Land;
  readonly seed: string;
  /** Instant at which the market's history ends and its life begins, ms. */
  readonly epoch: number;
  /** How many listings it begins with. */
  readonly size: number;
}

export class Market {
  readonly land: Land;
  readonly size: number;
  readonly epoch: number;
  /** Chance for everything that happens after the epoch. */
  readonly random: Random;
  readonly #listings = new Map<string, Listing>();
  readonly #pools = new Map<Status, Listing[]>();
  readonly #places = new Map<Listing, { pool: Listing[]; index: number }>();
  readonly #hidden = new Set<string>();
  readonly #stock: Stock;
  #entered: number;
  #lastAt: number;
  #steps = 0;
  /** Listings on the market at the epoch: what the living market tends back to. */
  readonly usualSupply: number;

  constructor(options: MarketOptions) {
    const { listings, stock, lastAt } = createGenesis(
      options.land,
      options.seed,
      options.epoch,
      options.size,
    );
    this.land = options.land;
    this.size = options.size;
    this.epoch = options.epoch;
    this.random = Random.of(options.seed, 'life');
    this.#stock = stock;
    this.#entered = listings.length;
    this.#lastAt = Math.max(lastAt, options.epoch);
    for (const listing of listings) this.#insert(listing);
    this.usualSupply = this.pool('Active').length;
  }

  /** The last instant at which anything happened, ms: the market's present. */
  get lastAt(): number {
    return this.#lastAt;
  }

  get steps(): number {
    return this.#steps;
  }

  /** Number of listings kept, hidden ones included. */
  get count(): number {
    return this.#listings.size;
  }

  /** What a reader of the feed can see. */
  *visible(): Generator<Listing> {
    for (const listing of this.#listings.values()) if (!this.#hidden.has(listing.key)) yield listing;
  }

  /** What has vanished from the feed. */
  *hidden(): Generator<Listing> {
    for (const listing of this.#listings.values()) if (this.#hidden.has(listing.key)) yield listing;
  }

  find(key: string): Listing | undefined {
    return this.#hidden.has(key) ? undefined : this.#listings.get(key);
  }

  isKnown(key: string): boolean {
    return this.#listings.has(key);
  }

  /** Makes a listing vanish from the feed without a word; false when it is not there. */
  hide(key: string): boolean {
    if (this.find(key) === undefined) return false;
    this.#hidden.add(key);
    return true;
  }

  unhide(key: string): boolean {
    return this.#hidden.delete(key);
  }

  /** The same listing under another key from now on; that of its former key vanishes. False when it is not there, or the new key is known. */
  rekey(key: string, to: string, at: number): boolean {
    const listing = this.find(key);
    if (listing === undefined || this.isKnown(to)) return false;
    this.hide(key);
    this.#insert({ ...listing, key: to, modifiedAt: at });
    this.reach(at);
    return true;
  }

  pool(status: Status): readonly Listing[] {
    return this.#poolOf(status);
  }

  /** Tells the time of a change; no change is earlier than the one before. */
  reach(at: number): void {
    this.#lastAt = Math.max(this.#lastAt, at);
  }

  countStep(): void {
    this.#steps += 1;
  }

  buildHome(side: Side): Home {
    return this.#stock.build(side);
  }

  /** Enters a new draft. */
  addListing(home: Home, side: Side, at: number): Offer {
    const created = offer(home, side, at, this.#entered, this.random);
    this.#entered += 1;
    this.#insert(created.listing);
    return created;
  }

  /** Forgets a listing for good. */
  drop(listing: Listing): void {
    this.#unfile(listing);
    this.#listings.delete(listing.key);
    this.#hidden.delete(listing.key);
  }

  /** Must follow every change of a listing's status. */
  refile(listing: Listing): void {
    this.#unfile(listing);
    this.#file(listing);
  }

  #insert(listing: Listing): void {
    this.#listings.set(listing.key, listing);
    this.#file(listing);
  }

  #poolOf(status: Status): Listing[] {
    let pool = this.#pools.get(status);
    if (!pool) {
      pool = [];
      this.#pools.set(status, pool);
    }
    return pool;
  }

  #file(listing: Listing): void {
    const pool = this.#poolOf(listing.status);
    this.#places.set(listing, { pool, index: pool.length });
    pool.push(listing);
  }

  #unfile(listing: Listing): void {
    const place = this.#places.get(listing);
    if (!place) return;
    const { pool, index } = place;
    const last = pool.pop();
    if (last && last !== listing) {
      pool[index] = last;
      this.#places.set(last, { pool, index });
    }
    this.#places.delete(listing);
  }
}
