// Listings that come back after they were deleted: what was erased of them is read again.

import type { ListingDraft } from '../../listings/draft.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Source } from '../source.ts';
import { findDeletedKeys } from './reconcile-store.ts';

export interface RestoredParts {
  readonly source: Pick<Source, 'id' | 'records' | 'forget'>;
  readonly database: Database;
}

/**
 * The drafts of a page, with photos also where they are the same as before the listing was deleted: those that were stored are erased.
 * Throws LiveError.
 */
export async function completeRestored(
  { source, database }: RestoredParts,
  drafts: readonly ListingDraft[],
): Promise<readonly ListingDraft[]> {
  const { records, forget } = source;
  const bare = drafts.filter(({ photos }) => photos === null).map(({ listingKey }) => listingKey);
  if (records === undefined || forget === undefined || bare.length === 0) return drafts;
  const restored = await database.read((sql) => findDeletedKeys(sql, source.id, bare));
  if (restored.length === 0) return drafts;
  forget(restored);
  const whole = new Map<string, ListingDraft>();
  for await (const page of records(restored))
    for (const draft of page.drafts) whole.set(draft.listingKey, draft);
  return drafts.map((draft) => whole.get(draft.listingKey) ?? draft);
}
