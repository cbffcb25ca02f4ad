// Review of stored properties: listings that are no longer judged to be of one home are given properties of their own.

import type { Transaction } from '../../postgres/client/database.ts';
import { propertyId, propertyIdentities } from '../identity.ts';
import { lockListings } from '../listing-store.ts';
import { moveListings } from '../move-listings.ts';
import { PropertyAssignment } from '../property-assignment.ts';
import { findProperties, findRenamed, lockProperties, type ReviewedProperty } from '../property-store.ts';
import { presentProperty } from '../write-plan.ts';

/** Properties of one transaction. */
const BATCH = 500;

/**
 * Reviews the next properties after an id. Each keeps its first listing, whatever made them one; the others stay where their
 * evidence is the same. Gives the last id, null after the last one.
 */
export async function reviewProperties(tx: Transaction, after: string, now: number): Promise<string | null> {
  const properties = await findProperties(tx, after, BATCH);
  const last = properties.at(-1);
  if (last === undefined) return null;
  const doubtful = properties.filter(isDoubtful);
  if (doubtful.length > 0) await reassign(tx, doubtful, now);
  return last.id;
}

/** Whether its listings may belong elsewhere: its identity is no longer theirs, or there are several. */
const isDoubtful = ({ identity, listings }: ReviewedProperty): boolean =>
  listings.length > 1 || listings.some(({ home }) => propertyIdentities(home)[0] !== identity);

async function reassign(
  tx: Transaction,
  properties: readonly ReviewedProperty[],
  now: number,
): Promise<void> {
  const listings = properties.flatMap((property) => property.listings);
  const identities = listings.flatMap(({ home }) => propertyIdentities(home));
  const renamed = await findRenamed(tx, identities);
  const possible = identities.map((identity) => renamed.get(identity) ?? propertyId(identity));
  const ids = listings.map(({ id }) => id);
  const locked = await lockListings(tx, ids, possible);
  const assignment = new PropertyAssignment(renamed, locked.first);
  const assigned = ids.flatMap((id) => {
    const listing = locked.listings.get(id);
    // Its source may have removed it from here in the meantime.
    if (listing === undefined || listing.status === 'DELETED') return [];
    const present = presentProperty(listing);
    return [{ listing, property: assignment.assign(id, present.home, present) }];
  });
  const moves = assigned.filter(({ listing, property }) => listing.propertyId !== property.propertyId);
  const changed = assigned.filter((each) => each.property.renamed || moves.includes(each));
  if (changed.length === 0) return;
  await lockProperties(
    tx,
    changed.map(({ property }) => property),
    now,
  );
  await moveListings(tx, moves, now);
}
