// Review of deleted listings: earlier releases kept them whole, now nothing is stored of their texts, people and pictures.

import type { Placement } from '../../areas/placement.ts';
import type { Transaction } from '../../postgres/client/database.ts';
import { lockListings } from '../listing-store.ts';
import { commitWrites } from '../listing-writer.ts';
import { noteLost } from '../removal/erasure-store.ts';
import { storedDraft } from '../stored-draft.ts';
import { planWrite } from '../write-plan.ts';
import { findDeleted } from './lost-listing-store.ts';

/** Listings of one transaction. */
const BATCH = 500;

/** Erases the next deleted listings after an id, about which nobody is notified; gives the last id, null after the last listing. */
export async function eraseNext(
  tx: Transaction,
  after: string,
  areas: Placement,
  now: number,
): Promise<string | null> {
  const ids = await findDeleted(tx, after, BATCH);
  if (ids.length === 0) return null;
  const { listings } = await lockListings(tx, ids, []);
  // One of them may have come back meanwhile.
  const deleted = [...listings.values()].filter(({ status }) => status === 'DELETED');
  const writes = deleted.flatMap((before) => {
    const write = planWrite(before.source, storedDraft(before), before, areas, now);
    return write === null ? [] : [{ ...write, events: [], corrections: null }];
  });
  await commitWrites(tx, writes, now, true);
  await noteLost(
    tx,
    deleted.map(({ id }) => id),
    new Date(now),
  );
  return ids.at(-1) ?? null;
}
