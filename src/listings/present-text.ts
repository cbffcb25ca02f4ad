// Owns the JSON of a listing as it is shown, put together from the bytes that are kept: nearly all of it passes unread.

import { besideRecord, isMasked, isShown, presentListing, type View } from './present.ts';
import type { StoredListing } from './stored-listing.ts';

/** A stored listing whose record is still the JSON that it is kept as. */
export interface WrittenListing
  extends Omit<StoredListing, 'record' | 'source' | 'listingKey' | 'propertyId'> {
  readonly json: Buffer;
}

/** JSON in pieces: bytes that pass as they are, and what is written behind them. */
export interface WrittenJson {
  readonly kept: Buffer;
  readonly rest: string;
}

/** The same with its record read. */
export function opened({ json, ...rest }: WrittenListing): StoredListing {
  const record: StoredListing['record'] = JSON.parse(json.toString());
  const { provider, propertyId } = record;
  return { ...rest, record, source: provider.id, listingKey: provider.listingKey, propertyId };
}

const NOTHING = Buffer.alloc(0);

/** What presentListing gives, as JSON; null where the whole listing is hidden from this reader. */
export function listingJson(listing: WrittenListing, view: View): WrittenJson | null {
  if (!isShown(listing, view)) return null;
  const passes = view.units === 'imperial' && !view.allDaysOnMarket && !isMasked(listing, view);
  const kept = passes ? publicPart(listing) : null;
  if (kept === null) return { kept: NOTHING, rest: JSON.stringify(presentListing(opened(listing), view)) };
  return { kept, rest: `,${JSON.stringify(besideRecord(listing, view)).slice(1)}` };
}

/** What a record says of the property stands at its end: as a key of JSON it is met nowhere else behind that. */
const PROPERTY = Buffer.from(',"property":{');
const RENT_CONTROL = Buffer.from('"rentControl":');

/** The kept JSON without what it says of the property, still open at its end; null for what another release wrote. */
function publicPart({ json, listingType }: WrittenListing): Buffer | null {
  if (listingType === 'rental' && !json.includes(RENT_CONTROL)) return null;
  const end = json.lastIndexOf(PROPERTY);
  return end < 0 ? null : json.subarray(0, end);
}
