// Listings as rows of a vendor: when each last changed, which have left and are flagged, and which are published late.
import type { Listing } from '../market/listing.ts';
import type { Clock, World } from '../world.ts';

/** Milliseconds that a flagged record is still served. */
const FLAGGED = 7 * 86_400_000;

export class VendorRows {
  readonly #world: World;
  readonly #clock: Clock;
  readonly #flags: boolean;
  /** When a listing was changed without a change of it. */
  readonly #touched = new Map<string, number>();
  readonly #flaggedAt = new Map<string, number>();

  /** `flags`: what left is served with a flag for a week, else not at all. */
  constructor(world: World, clock: Clock, flags: boolean) {
    this.#world = world;
    this.#clock = clock;
    this.#flags = flags;
  }

  touch(): number {
    const { market } = this.#world;
    const at = Math.max(this.#clock(), market.lastAt + 1);
    const listings = [...market.visible()];
    for (const { key } of listings) this.#touched.set(key, at);
    market.reach(at);
    return listings.length;
  }

  /** Milliseconds since the epoch. */
  stampOf({ key, modifiedAt }: Listing): number {
    return this.#flaggedAt.get(key) ?? Math.max(modifiedAt, this.#touched.get(key) ?? 0);
  }

  isFlagged({ key }: Listing): boolean {
    return this.#flaggedAt.has(key);
  }

  /** `late`: seconds by which a change is published late. */
  served(late: number): Listing[] {
    const { market } = this.#world;
    const now = this.#clock();
    const shown = [...market.visible()];
    for (const { key } of shown) this.#flaggedAt.delete(key);
    if (this.#flags)
      for (const listing of market.hidden()) if (now - this.#flag(listing) < FLAGGED) shown.push(listing);
    return late === 0 ? shown : shown.filter((listing) => this.stampOf(listing) <= now - late * 1_000);
  }

  #flag({ key }: Listing): number {
    const { market } = this.#world;
    const at = this.#flaggedAt.get(key) ?? Math.max(this.#clock(), market.lastAt + 1);
    this.#flaggedAt.set(key, at);
    market.reach(at);
    return at;
  }
}
