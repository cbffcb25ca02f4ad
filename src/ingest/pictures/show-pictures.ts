// Pictures of a stored listing that are served from here by now, as a change of it.

import type { Placement } from '../../areas/placement.ts';
import {
  type PictureLists,
  shownPictures,
  type WantedPicture,
} from '../../listings/pictures/own-pictures.ts';
import type { Transaction } from '../../postgres/client/database.ts';
import { lockListings } from '../listing-store.ts';
import { commitWrites } from '../listing-writer.ts';
import { storedDraft } from '../stored-draft.ts';
import { planWrite } from '../write-plan.ts';

/** Locks a listing before its pictures are read: whoever writes it does so, too. False where it is gone, or may not be shown any more. */
export async function lockShown(tx: Transaction, id: string): Promise<boolean> {
  const { listings } = await lockListings(tx, [id], []);
  const listing = listings.get(id);
  return listing !== undefined && listing.status !== 'DELETED';
}

/**
 * Makes the record of a listing, which the transaction has locked, show those of the wanted pictures that there are. Nobody is
 * notified: nothing happened to the home. `now` in milliseconds since the epoch.
 */
export async function showPictures(
  tx: Transaction,
  id: string,
  wanted: readonly WantedPicture[],
  isThere: (name: string) => boolean,
  { areas, now }: { readonly areas: Placement; readonly now: number },
): Promise<void> {
  const { listings } = await lockListings(tx, [id], []);
  const before = listings.get(id);
  if (before === undefined || before.status === 'DELETED') return;
  const shown = shownPictures(id, wanted, isThere);
  if (isSame(shown, before.record)) return;
  const write = planWrite(before.source, { ...storedDraft(before), ...shown }, before, areas, now);
  // The source's next draft is compared with its last one.
  if (write !== null)
    await commitWrites(
      tx,
      [{ ...write, digest: before.digest, events: [], corrections: null, media: null }],
      now,
      true,
    );
}

const isSame = (a: PictureLists, b: PictureLists): boolean =>
  JSON.stringify([a.photos, a.floorPlans]) === JSON.stringify([b.photos, b.floorPlans]);
