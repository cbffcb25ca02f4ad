// One listing as JSON, as it is stored: the variant of its stream.

import type { Reply } from '../http/frame/route.ts';
import { Problem } from '../lib/problem.ts';
import { isShown, presentListing, type View } from '../listings/present.ts';
import type { StoredListing } from '../listings/stored-listing.ts';
import { contentDigest } from '../property/property-answer.ts';
import { type Written, writtenOut } from './written.ts';

/** The stored listing as this reader sees it. Throws LISTING_NOT_FOUND where that is not at all. */
export function listingRecord(stored: StoredListing, view: View): Written {
  const record = presentListing(stored, view);
  if (record === null) throw listingNotFound();
  const reply: Reply = {
    json: record,
    headers: { 'last-modified': new Date(stored.updatedAt).toUTCString(), 'x-data-source': record.source },
  };
  return writtenOut({ etag: `W/"${contentDigest(record)}"`, reply });
}

/** The listing, where there is one that this reader may see. */
export function shownListing(stored: StoredListing | null, ignoreDisplayRules: boolean): StoredListing {
  if (stored !== null && isShown(stored, { ignoreDisplayRules })) return stored;
  throw listingNotFound();
}

const listingNotFound = (): Problem =>
  new Problem(
    'LISTING_NOT_FOUND',
    'There is no listing with this id. Search results have the ids of listings.',
  );
