// What a database needs once its rows are restored, so that the service does no harm with a past that others have left behind.

import { countApart } from '../../access/limits/shared/phase-store.ts';
import { expireMirror } from '../../billing/mirror-store.ts';
import { skipSequences } from '../../changes/change-store.ts';
import { endEverythingIssued } from '../../oauth/token/forget-store.ts';
import type { Transaction } from '../../postgres/client/database.ts';

/**
 * Changes a database whose rows were just restored.
 * @param isFinal whether nothing was written after the backup: then tokens and sequences of the original go on
 */
export async function makeHarmless(tx: Transaction, isFinal: boolean): Promise<void> {
  await expireMirror(tx);
  await countApart(tx);
  if (isFinal) return;
  await endEverythingIssued(tx);
  await skipSequences(tx);
}
