// Relocation: stored listings without coordinates of their own get the places that are known by now, as changes of them.

import type { Placement } from '../../areas/placement.ts';
import type { DraftLocation } from '../../listings/draft.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import { isSameLocation, loadPlaceFinder } from '../approximate-places.ts';
import { lockListings } from '../listing-store.ts';
import { commitWrites } from '../listing-writer.ts';
import { PlacementCache } from '../placement-cache.ts';
import { storedDraft } from '../stored-draft.ts';
import { type PreviousListing, planWrite } from '../write-plan.ts';
import { findUnlocated } from './relocation-store.ts';

/** Listings of one transaction. */
const BATCH = 500;

/** Gives the next listings after an id the places that are known now; gives the last id, null after the last listing. */
export async function relocateNext(
  tx: Transaction,
  after: string,
  areas: Placement,
  now: number,
): Promise<string | null> {
  const unlocated = await findUnlocated(tx, after, BATCH);
  const ids = unlocated.map(({ id }) => id);
  await relocate(tx, ids, areas, now, true);
  return ids.at(-1) ?? null;
}

/** All of them, after areas have changed; nobody is notified of it. */
export async function relocateAll(database: Database): Promise<void> {
  const placements = new PlacementCache();
  let after: string | null = '';
  while (after !== null) {
    const from: string = after;
    after = await database.transaction(
      async (tx) => relocateNext(tx, from, await placements.load(tx), database.clock.now()),
      { timeout: 0 },
    );
  }
}

/** Gives these listings the places that are known now; gives how many moved. */
export async function relocate(
  tx: Transaction,
  ids: readonly string[],
  areas: Placement,
  now: number,
  quiet: boolean,
): Promise<number> {
  if (ids.length === 0) return 0;
  const { listings } = await lockListings(tx, ids, []);
  const unlocated = ids.flatMap((id) => {
    const listing = listings.get(id);
    return listing === undefined || isStated(listing.record.location) ? [] : [listing];
  });
  const bare = unlocated.map((listing) => ({ ...storedDraft(listing), location: null }));
  const places = await loadPlaceFinder(tx, bare, areas);
  const writes = unlocated.flatMap((before, at) => {
    const draft = bare[at];
    const located = draft && places.locate(draft);
    if (located === undefined || isSameLocation(located.location, before.record.location)) return [];
    return planMove(before, located.location, areas, now) ?? [];
  });
  await commitWrites(tx, writes, now, quiet);
  return writes.length;
}

/** Whether the source of the listing states the place. */
const isStated = (location: DraftLocation | null): boolean =>
  location !== null && location.source === undefined;

/** Nothing happened to the home: it has no event, and the source's next draft is compared with its last one. */
function planMove(before: PreviousListing, location: DraftLocation | null, areas: Placement, now: number) {
  const write = planWrite(before.source, { ...storedDraft(before), location }, before, areas, now);
  return write && { ...write, digest: before.digest, events: [], corrections: null };
}
