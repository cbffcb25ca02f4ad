// Write-through of one listing that was read between two rounds of replication.

import type { Catalogue } from '../ingest/listing-writer.ts';
import type { Clock } from '../lib/clock.ts';
import type { ListingDraft } from '../listings/draft.ts';
import { findListing, type StoredListing } from '../listings/store.ts';
import type { Database } from '../postgres/client/database.ts';

export interface WriteThroughOptions {
  readonly catalogue: Pick<Catalogue, 'write'>;
  readonly database: Database;
  readonly clock: Clock;
  /** Resolves once searches in this process know what was written, or are late: it has a limit of its own. */
  readonly untilSearched?: () => Promise<unknown>;
}

/** A listing by its key, which need not be stored yet. */
export type ListingOfSource = Pick<StoredListing, 'id' | 'source' | 'listingKey'> &
  Partial<Pick<StoredListing, 'record'>>;

export interface WriteThrough {
  /** Writes a fresh draft, if it differs, and returns the listing as stored. `spare`: milliseconds that its fetch did not need. */
  store(listing: ListingOfSource, draft: ListingDraft, spare?: number): Promise<StoredListing>;
  /** Marks a listing that the source no longer has as deleted. */
  remove(listing: ListingOfSource): Promise<void>;
}

/** Together with the deadline of a fetch and the wait for searches this stays below the ten seconds that a stream may take. */
const DEADLINE = 1_500;
/** Milliseconds that a fetch leaves for writing, at most: a database that is merely busy is done by then. */
const MAX_SPARE = 3_000;

export function createWriteThrough(options: WriteThroughOptions): WriteThrough {
  const { catalogue, database, clock, untilSearched } = options;
  /** The listing as stored then. Searches are waited for once the time for writing no longer counts: what is stored has not failed. */
  async function write(
    { id, source }: ListingOfSource,
    drafts: readonly ListingDraft[],
    {
      deletedKeys = [],
      spare = 0,
    }: { readonly deletedKeys?: readonly string[]; readonly spare?: number } = {},
  ): Promise<StoredListing | null> {
    const { isChanged, fresh } = await database.transaction(
      async (tx) => {
        const { unchanged, removed } = await catalogue.write(tx, source, drafts, clock.now(), deletedKeys);
        return { isChanged: drafts.length > unchanged || removed > 0, fresh: await findListing(tx, id) };
      },
      { timeout: DEADLINE + Math.min(spare, MAX_SPARE), planned: 'once', repeatable: true },
    );
    if (isChanged) await untilSearched?.();
    return fresh;
  }
  return {
    async store(listing, draft, spare = 0) {
      const fresh = await write(listing, [draft], { spare });
      if (fresh === null) throw new Error('The listing is gone after it was written');
      return fresh;
    },
    async remove(listing) {
      await write(listing, [], { deletedKeys: [listing.listingKey] });
    },
  };
}
