// Cache of the placement that new drafts are placed by, loaded again when areas have changed.

import { Placement } from '../areas/placement.ts';
import { findPlacedAreas, lockAreaVersion } from '../areas/write-store.ts';
import type { Transaction } from '../postgres/client/database.ts';

export class PlacementCache {
  #cached: { readonly version: number; readonly placement: Placement } | null = null;

  /** The placement by the areas as they are; they do not change until the transaction ends. */
  async load(tx: Transaction): Promise<Placement> {
    const version = await lockAreaVersion(tx);
    if (this.#cached?.version !== version)
      this.#cached = { version, placement: new Placement(await findPlacedAreas(tx)) };
    return this.#cached.placement;
  }
}
