// Losses among writes: listings that their source no longer shows, of which what it sent goes at once.

import type { Transaction } from '../../postgres/client/database.ts';
import { deleteRawRecords } from '../raw/raw-record-store.ts';
import type { ListingWrite } from '../write-plan.ts';
import { noteLost } from './erasure-store.ts';

/**
 * Deletes what sources sent of listings that these writes make DELETED, and notes that the log has to be erased. `observedAt` in
 * milliseconds since the epoch.
 */
export async function noteLosses(
  tx: Transaction,
  writes: readonly ListingWrite[],
  observedAt: number,
): Promise<void> {
  const lost = writes.filter(
    ({ before, record }) => record.status === 'DELETED' && before?.status !== 'DELETED',
  );
  if (lost.length === 0) return;
  for (const [source, own] of Map.groupBy(lost, (write) => write.source))
    await deleteRawRecords(
      tx,
      source,
      own.map(({ draft }) => draft.listingKey),
    );
  await noteLost(
    tx,
    lost.map(({ id }) => id),
    new Date(observedAt),
  );
}
