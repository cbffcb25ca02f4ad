// Owns the catalogue's face to the rest of the service: what sources write into it and what other features read.

import type { Transaction } from '../postgres/database.ts';
import type { ListingDraft } from './draft.ts';
import type { Status } from './vocabulary.ts';

/** What one batch of drafts did; ids by listing key, in the order of the drafts. */
export interface Applied {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly ids: ReadonlyMap<string, string>;
}

/** A listing as kept: the public record without what depends on the reader or the moment (see present.ts). */
export interface StoredListing {
  readonly id: string;
  readonly source: string;
  readonly listingKey: string;
  readonly propertyId: string;
  readonly version: number;
  readonly fetchedAt: string;
  readonly status: Status;
  /** False: only Internal callers who ask for it may see it. */
  readonly displayed: boolean;
  /** The record as JSON; only present.ts looks inside. */
  readonly record: unknown;
}

export interface Catalogue {
  /**
   * Writes drafts with their history in the given transaction; nothing is written for a draft that says nothing new
   * but its time of confirmation. `observedAt` is milliseconds since the epoch.
   */
  apply(
    transaction: Transaction,
    source: string,
    drafts: readonly ListingDraft[],
    observedAt: number,
  ): Promise<Applied>;
  /** Marks listings as gone upstream (status DELETED, history DELISTED); returns how many were still there. */
  remove(
    transaction: Transaction,
    source: string,
    listingKeys: readonly string[],
    observedAt: number,
  ): Promise<number>;
  /** The listing with this id, whatever its status. */
  listing(id: string): Promise<StoredListing | null>;
}
