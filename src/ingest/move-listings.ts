// Moves of listings from one property to another, each as a change of its listing, with what follows from them.

import { appendChanges } from '../changes/change-store.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { invalidateFigures } from '../timeline/figure-invalidation-store.ts';
import { rebuildTimelines } from '../timeline/update-timelines.ts';
import { changedEarlierDays } from './earlier-days.ts';
import { listingChange, storedSnapshot } from './listing-change.ts';
import { findDaysOnMarket, notifyChanged, updateEarlierDays } from './listing-store.ts';
import type { AssignedProperty } from './property-assignment.ts';
import { updatePropertyOfListings } from './property-store.ts';
import { textRow } from './rows/search-row.ts';
import { writeTextRows } from './rows/search-row-store.ts';
import type { PreviousListing } from './write-plan.ts';

/** A locked listing, and where it belongs. */
export interface ListingMove {
  readonly listing: PreviousListing;
  readonly property: AssignedProperty;
}

/** Moves listings, which the transaction has locked, to properties that exist. Watchers are not notified: nothing happened to these homes. `now`: milliseconds. */
export async function moveListings(
  tx: Transaction,
  moves: readonly ListingMove[],
  now: number,
): Promise<void> {
  if (moves.length === 0) return;
  const updatedAt = new Date(now).toISOString();
  const moved = moves.map(({ listing, property }) => {
    const record = { ...listing.record, propertyId: property.propertyId };
    return { listing, snapshot: { ...storedSnapshot(listing), record, updatedAt } };
  });
  const changes = moved.map(({ listing, snapshot }) => listingChange(listing, snapshot));
  const position = await appendChanges(tx, changes, now, true);
  await updatePropertyOfListings(
    tx,
    moved.map(({ snapshot }) => snapshot),
    position,
    updatedAt,
  );
  await writeTextRows(
    tx,
    moved.map(({ snapshot }) => textRow(snapshot)),
  );
  const properties = [
    ...new Set(moves.flatMap(({ listing, property }) => [listing.propertyId, property.propertyId])),
  ];
  await updateEarlierDays(tx, changedEarlierDays(await findDaysOnMarket(tx, properties)));
  await invalidateFigures(tx, await rebuildTimelines(tx, properties));
  await notifyChanged(tx, properties);
}
