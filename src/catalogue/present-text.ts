// Owns the JSON of a listing as it is shown, put together from the text that is kept: nearly all of it passes unread.

import type { StoredListing } from './catalogue.ts';
import { besideRecord, isMasked, isShown, presentListing, type View } from './present.ts';

/** A stored listing whose record is still the JSON that it is kept as. */
export interface WrittenListing extends Omit<StoredListing, 'record'> {
  readonly text: string;
}

/** The same with its record read. */
export function opened({ text, ...rest }: WrittenListing): StoredListing {
  return { ...rest, record: JSON.parse(text) };
}

/** What presentListing gives, as JSON; null where the whole listing is hidden from this reader. */
export function listingJson(listing: WrittenListing, view: View): string | null {
  if (!isShown(listing, view)) return null;
  const asKept = view.units === 'imperial' && !isMasked(listing, view) ? publicPart(listing) : null;
  if (asKept === null) return JSON.stringify(presentListing(opened(listing), view));
  return `${asKept},${JSON.stringify(besideRecord(listing, view)).slice(1)}`;
}

/** What a record says of the property stands at its end: as a key of JSON it is met nowhere else behind that. */
const PROPERTY = ',"property":{';

/** The kept text without what it says of the property, still open at its end; null for what another release wrote. */
function publicPart({ text, listingType }: WrittenListing): string | null {
  if (listingType === 'rental' && !text.includes('"rentControl":')) return null;
  const end = text.lastIndexOf(PROPERTY);
  return end < 0 ? null : text.slice(0, end);
}
