// SQL of first loads in the log: which listings an entry stands for.

import type { Sql } from '../postgres/client/database.ts';
import type { LoadEntry } from './change.ts';

/** A listing that a first load created, and that has not changed since. */
export interface LoadedListing {
  readonly sequence: number;
  readonly listingId: string;
  readonly propertyId: string;
}

/** The listings of an entry after a sequence that have not changed since, in the order of their sequences. */
export async function findLoadedListings(
  sql: Sql,
  { batchId }: Pick<LoadEntry, 'batchId'>,
  after = 0,
  limit: number | null = null,
): Promise<LoadedListing[]> {
  return sql<LoadedListing[]>`
    select first_sequence + change_ordinal as sequence, listing.id as "listingId", property_id as "propertyId"
    from change_batch as batch join listing on change_batch_id = batch.id
    where batch.id = ${batchId} and change_ordinal >= greatest(load_ordinal, ${after} - first_sequence + 1)
      and change_ordinal < load_ordinal + load_listings
    order by change_ordinal limit ${limit}`;
}

/** Of these batches, those that came after a sequence. */
export async function findBatchesAfter(
  sql: Sql,
  batchIds: readonly number[],
  sequence: number,
): Promise<Set<number>> {
  if (batchIds.length === 0) return new Set();
  const rows = await sql<{ id: number }[]>`
    select id from change_batch where id = any(${[...batchIds]}::bigint[]) and first_sequence > ${sequence}`;
  return new Set(rows.map(({ id }) => id));
}
