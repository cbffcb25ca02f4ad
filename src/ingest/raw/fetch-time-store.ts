// SQL of when listings came from their source, for writes that nothing came for.

import type { ListingDraft } from '../../listings/draft.ts';
import type { Transaction } from '../../postgres/client/database.ts';
import { listingId } from '../identity.ts';

/** Writes listings that were sent before; the time at which each was fetched stays. */
export async function keepingFetchTimes<T>(
  tx: Transaction,
  source: string,
  drafts: readonly ListingDraft[],
  write: () => Promise<T>,
): Promise<T> {
  const ids = drafts.map(({ listingKey }) => listingId(source, listingKey));
  const times = await tx<{ id: string; at: string }[]>`
    select id, fetched_at as at from listing where id = any(${ids}::text[])`;
  const result = await write();
  await tx`
    update listing set fetched_at = kept.at
    from unnest(${times.map(({ id }) => id)}::text[], ${times.map(({ at }) => at)}::timestamptz[]) as kept (id, at)
    where listing.id = kept.id and listing.fetched_at <> kept.at`;
  return result;
}
