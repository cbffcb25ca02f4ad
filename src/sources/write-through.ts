// Write-through of one listing that was read between two rounds of replication.

import type { Catalogue } from '../ingest/listing-writer.ts';
import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/clock.ts';
import type { ListingDraft } from '../listings/draft.ts';
import type { StoredListing } from '../listings/store.ts';
import type { Database } from '../postgres/client/database.ts';
import { sourceTimeout } from './source.ts';

export interface WriteThroughOptions {
  readonly catalogue: Pick<Catalogue, 'write' | 'listing'>;
  readonly database: Database;
  readonly clock: Clock;
  /** Resolves once searches in this process know what was written, or are late. */
  readonly untilSearched?: () => Promise<unknown>;
}

export interface WriteThrough {
  /** Writes a fresh draft, if it differs, and returns the listing as stored. */
  store(stored: StoredListing, draft: ListingDraft): Promise<StoredListing>;
  /** Marks a listing that the source no longer has as deleted. */
  remove(stored: StoredListing): Promise<void>;
}

/** Together with the deadline of a fetch this stays below the ten seconds that a stream may take. */
const DEADLINE = 1_500;

export function createWriteThrough(options: WriteThroughOptions): WriteThrough {
  const { catalogue, database, clock, untilSearched } = options;
  async function write(
    { source }: StoredListing,
    drafts: readonly ListingDraft[],
    deletedKeys: readonly string[] = [],
  ): Promise<void> {
    const { unchanged, removed } = await database.transaction(
      (tx) => catalogue.write(tx, source, drafts, clock.now(), deletedKeys),
      { timeout: DEADLINE, planned: 'once' },
    );
    if (drafts.length > unchanged || removed > 0) await untilSearched?.();
  }
  const bounded = <T>(work: () => Promise<T>) =>
    withDeadline({ clock, milliseconds: DEADLINE, onTimeout: sourceTimeout }, work);
  return {
    store: (stored, draft) =>
      bounded(async () => {
        await write(stored, [draft]);
        const fresh = await catalogue.listing(stored.id);
        if (fresh === null) throw new Error('The listing is gone after it was written');
        return fresh;
      }),
    remove: (stored) =>
      bounded(async () => {
        await write(stored, [], [stored.listingKey]);
      }),
  };
}
