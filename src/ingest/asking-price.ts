// Asking price of a closed listing: what a source sends as its list price may be the price paid. Pure.

import type { ListingDraft } from '../listings/draft.ts';
import { dateTexts, type StoredRecord } from '../listings/stored-record.ts';

/** The members of a draft that tell its asking price, and how that changed. */
type AskingPrice = Pick<ListingDraft, 'listPrice' | 'previousPrice' | 'priceChangedAt'>;

/**
 * The draft with the last known asking price, where the listing is closed and its list price is missing or the price paid:
 * sources drop or overwrite list prices at closings. `before`: the stored record of the listing, null for a new one.
 */
export function withAskingPrice(draft: ListingDraft, before: StoredRecord | null): ListingDraft {
  const { status, listPrice, closePrice } = draft;
  if (status !== 'CLOSED' || closePrice === null) return draft;
  if (listPrice !== null && listPrice !== closePrice) return draft;
  const known = storedAskingPrice(before) ?? reportedAskingPrice(draft);
  return known === null ? draft : { ...draft, ...known };
}

/** As stored; null where that is unknown, or may itself be a price paid. */
function storedAskingPrice(before: StoredRecord | null): AskingPrice | null {
  if (before === null || before.price === null || before.price === before.closePrice) return null;
  const { price: listPrice, previousPrice } = before;
  return { listPrice, previousPrice, priceChangedAt: dateTexts(before).priceChangedAt };
}

/** The previous price, where the source dates the change to the closing or later: nobody asks a price of a home that is sold. */
function reportedAskingPrice({
  listPrice,
  previousPrice,
  priceChangedAt,
  closedAt,
}: ListingDraft): AskingPrice | null {
  if (listPrice === null || !previousPrice || previousPrice === listPrice) return null;
  if (priceChangedAt === null || closedAt === null) return null;
  // Either may be a day only.
  if (priceChangedAt.slice(0, 10) < closedAt.slice(0, 10)) return null;
  return { listPrice: previousPrice, previousPrice: null, priceChangedAt: null };
}
