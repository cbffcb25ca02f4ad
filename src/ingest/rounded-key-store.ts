// SQL of listings that an earlier release stored under a rounded key, and what a batch says of them.

import type { ListingDraft } from '../listings/draft.ts';
import type { Transaction } from '../postgres/client/database.ts';

const LONG_NUMBER = /^-?\d{16,21}$/;

const isLarge = (key: string): boolean => LONG_NUMBER.test(key) && !Number.isSafeInteger(Number(key));

/**
 * Keys of stored listings that stand for several, as the drafts show by keys that were rounded to them: they end. One whose
 * own key is among the drafts is a listing of the source.
 */
export async function takeRoundedKeys(
  tx: Transaction,
  source: string,
  drafts: readonly Pick<ListingDraft, 'listingKey'>[],
): Promise<string[]> {
  const exact = new Set(drafts.map(({ listingKey }) => listingKey).filter(isLarge));
  if (exact.size === 0) return [];
  const keys = [...new Set([...exact].flatMap((key) => [key, String(Number(key))]))];
  const rows = await tx<{ key: string }[]>`
    delete from rounded_listing where source = ${source} and listing_key = any(${keys}::text[])
    returning listing_key as key`;
  return rows.map(({ key }) => key).filter((key) => !exact.has(key));
}
