// SQL of words: those of listings before and after changes that are past.

import type { ListingChange } from '../../changes/change.ts';
import type { ChangeState } from '../../listings/change-state.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { ChangedWords } from './index/change-sides.ts';

/**
 * The words of the listings of these changes, by the sequences of the changes. A later change of a listing that altered its
 * words has kept the words before; without one, they are what they are now.
 */
export async function findWords(
  database: Database,
  changes: readonly ListingChange<ChangeState>[],
): Promise<Map<number, ChangedWords>> {
  const ids = changes.map(({ listingId }) => listingId);
  // First what is now: whatever changes between the two reads is then found by the second.
  const current = await database.read(
    (sql) => sql<{ id: string; words: string[] }[]>`
      select listing_id as id, tsvector_to_array(words) as words from listing_text where listing_id = any(${ids}::text[])`,
  );
  const later = await database.read(
    (sql) => sql<{ sequence: number; words: string[] }[]>`
      select wanted.sequence, tsvector_to_array(next.words_before) as words
      from unnest(${ids}::text[], ${changes.map(({ sequence }) => sequence)}::bigint[]) as wanted (id, sequence)
      cross join lateral (
        select words_before from change join change_batch as batch on batch.id = batch_id
        where listing_id = wanted.id and words_before is not null and first_sequence + ordinal > wanted.sequence
        order by first_sequence, ordinal limit 1) as next`,
  );
  const wordsNow = new Map(current.map(({ id, words }) => [id, new Set(words)]));
  const wordsThen = new Map(later.map(({ sequence, words }) => [sequence, new Set(words)]));
  const words = new Map<number, ChangedWords>();
  for (const { sequence, listingId, before, wordsBefore } of changes) {
    const after = wordsThen.get(sequence) ?? wordsNow.get(listingId) ?? new Set<string>();
    const was = wordsBefore === null ? after : new Set(wordsBefore);
    words.set(sequence, { before: before === null ? null : was, after });
  }
  return words;
}
