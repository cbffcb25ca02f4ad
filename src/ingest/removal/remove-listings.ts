// Removal of the listings of a source: they leave the database with their history, and the log says so.

import { countChanges } from '../../areas/counts.ts';
import { lockAreaVersion } from '../../areas/write-store.ts';
import { appendChanges, type NewChange } from '../../changes/change-store.ts';
import type { ChangeState } from '../../listings/change-state.ts';
import type { Transaction } from '../../postgres/client/database.ts';
import type { FigureChange } from '../../timeline/figure-changes.ts';
import { invalidateFigures } from '../../timeline/figure-invalidation-store.ts';
import { rebuildTimelines } from '../../timeline/update-timelines.ts';
import { changedEarlierDays } from '../earlier-days.ts';
import { listingChange, storedSnapshot } from '../listing-change.ts';
import {
  addAreaCounts,
  findDaysOnMarket,
  lockListings,
  notifyRemoved,
  updateEarlierDays,
} from '../listing-store.ts';
import type { PreviousListing } from '../write-plan.ts';
import { noteLost } from './erasure-store.ts';
import { deleteEmptyProperties, deleteListings, findIdsOfSource, lockProperties } from './removal-store.ts';

/**
 * Removes up to `limit` listings of a source with all that is stored of them; returns how many were removed. The log lists
 * each as `removed`, quietly: watchers hear nothing, and what stored events show of it goes.
 * @param at milliseconds
 */
export async function removeListings(
  tx: Transaction,
  source: string,
  limit: number,
  at: number,
): Promise<number> {
  await lockAreaVersion(tx);
  return removeThese(tx, await findIdsOfSource(tx, source, limit), at);
}

/** The same of these listings, if they are there. The transaction has locked the version of the areas. */
export async function removeThese(tx: Transaction, ids: readonly string[], at: number): Promise<number> {
  if (ids.length === 0) return 0;
  const locked = await lockListings(tx, ids, []);
  const listings = [...locked.listings.values()];
  const properties = [...new Set(listings.map(({ propertyId }) => propertyId))];
  const changes = listings.flatMap((listing) =>
    listing.status === 'DELETED' ? [] : [removalOf(listing, at)],
  );
  // A batch without changes would take the sequence of the next one.
  if (changes.length > 0) await appendChanges(tx, changes, at, true);
  await lockProperties(tx, properties);
  await noteLost(tx, ids, new Date(at));
  await deleteListings(tx, ids);
  await updateEarlierDays(tx, changedEarlierDays(await findDaysOnMarket(tx, properties)));
  const figures = await rebuildTimelines(tx, properties, ids);
  await deleteEmptyProperties(tx, properties);
  await invalidateFigures(tx, withPreviousScopes(figures, listings));
  const counted = listings.map((before) => ({ before, after: { ...before, status: 'DELETED' as const } }));
  await addAreaCounts(tx, countChanges(counted));
  await notifyRemoved(tx);
  return listings.length;
}

/** The last change of a listing. Its words are kept with it, for watchers whose matching has yet to come to earlier changes. */
function removalOf(before: PreviousListing, at: number): NewChange<ChangeState> {
  const after = {
    ...storedSnapshot(before),
    record: { ...before.record, status: 'DELETED' as const },
    updatedAt: new Date(at).toISOString(),
  };
  return { ...listingChange(before, after), changed: ['status', 'words'] };
}

/** Removed listings have no areas any more: figures change in those that they had. */
function withPreviousScopes(
  figures: readonly FigureChange[],
  removed: readonly PreviousListing[],
): FigureChange[] {
  const byId = new Map(removed.map((listing) => [listing.id, listing]));
  return figures.map((figure) => {
    const listing = byId.get(figure.listingId);
    if (listing === undefined) return figure;
    return { ...figure, previousAreaNos: listing.areaNos, previousType: listing.listingType };
  });
}
