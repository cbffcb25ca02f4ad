// Notes of which subscription an owner uses its watchers with: a customer replaces a key by a new subscription.

import { LRUCache } from 'lru-cache';
import type { Principal } from '../access/tiers/tiers.ts';
import { MINUTE } from '../lib/clock.ts';
import { updateOwner } from './owner-store.ts';
import type { WatcherOptions } from './resolve-target.ts';
import { ownerUseOf } from './watcher-owner.ts';

/** Milliseconds until the same use is noted again. */
const LIFETIME = 5 * MINUTE;
const MAX_NOTED = 10_000;

/** Writes each use at most once in a while. */
export class OwnerNotes {
  readonly #options: Pick<WatcherOptions, 'database' | 'clock' | 'report'>;
  /** When the use was noted, in monotonic milliseconds. */
  readonly #noted = new LRUCache<string, number>({ max: MAX_NOTED });

  constructor(options: Pick<WatcherOptions, 'database' | 'clock' | 'report'>) {
    this.#options = options;
  }

  /** Never throws: a note that fails is made by a later request. */
  async note(caller: Principal): Promise<void> {
    const { database, clock, report } = this.#options;
    const use = ownerUseOf(caller);
    const key = `${use.owner} ${use.subscription} ${use.plan}`;
    const noted = this.#noted.get(key);
    if (noted !== undefined && clock.monotonic() < noted + LIFETIME) return;
    this.#noted.set(key, clock.monotonic());
    await database
      .transaction((tx) => updateOwner(tx, use))
      .catch((error: unknown) => {
        this.#noted.delete(key);
        report(error);
      });
  }
}
