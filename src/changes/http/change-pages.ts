// Pages of the log of changes as a reader may see it: listings alone, and compacted where the log no longer reaches.

import {
  type ChangeState,
  type ListingSummary,
  maskSummary,
  summarizeListing,
} from '../../listings/change-state.ts';
import { areaIn, isVisible, presentListing, type ReaderView } from '../../listings/presenter.ts';
import { findListings, type StoredListing } from '../../listings/store.ts';
import type { Database, Sql } from '../../postgres/client/database.ts';
import type { ListingChange } from '../change.ts';
import { headSequence, readListingChanges, retainedFrom } from '../change-store.ts';
import { type DisplayRules, findDisplayRules, findLastChanges } from './store.ts';

/** A change as it is sent. */
export interface PublicChange {
  readonly sequence: number;
  readonly object: 'change';
  readonly type: 'created' | 'updated' | 'removed';
  readonly listingId: string;
  readonly propertyId: string | null;
  readonly at: string | null;
  readonly changedFields: readonly string[];
  readonly listing: ListingSummary | null;
  readonly url: string | null;
}

export interface ChangePage {
  readonly changes: readonly PublicChange[];
  readonly hasMore: boolean;
  /** The sequence to go on after. */
  readonly next: number;
}

/**
 * The changes after a sequence. Whoever follows `next` from 0 ends with every listing as it is: of changes that are no longer
 * in the log, the last of each listing is listed, with the listing as it is now.
 */
export async function readChangePage(
  database: Database,
  after: number,
  limit: number,
  view: ReaderView,
): Promise<ChangePage> {
  const readLog = async (sql: Sql): Promise<ChangePage | CompactedRange> => {
    const head = await headSequence(sql);
    const changes = await readListingChanges<ChangeState>(sql, after, limit);
    // Read last: what was dropped meanwhile is missing above.
    const retained = await retainedFrom(sql);
    if (after + 1 < retained) return { after, limit, retained, head };
    const rules = await findDisplayRules(
      sql,
      changes.map(({ listingId }) => listingId),
    );
    const last = changes.at(-1)?.sequence ?? after;
    const isFull = changes.length === limit;
    return {
      changes: changes.map((change) => presentChange(change, rules.get(change.listingId), view)),
      hasMore: isFull && last < head,
      next: isFull ? last : Math.max(last, head),
    };
  };
  const found = await database.read(readLog, { planned: 'once' });
  return 'changes' in found ? found : database.read((sql) => compactedPage(sql, found, view));
}

/** Changes that are no longer in the log. */
interface CompactedRange {
  readonly after: number;
  readonly limit: number;
  readonly retained: number;
  readonly head: number;
}

async function compactedPage(
  sql: Sql,
  { after, limit, retained, head }: CompactedRange,
  view: ReaderView,
): Promise<ChangePage> {
  const last = await findLastChanges(sql, after, retained, limit);
  const listings = await findListings(
    sql,
    last.map(({ listingId }) => listingId),
  );
  const changes = last.flatMap(({ sequence }, place) => {
    const listing = listings[place];
    return listing ? [presentLast(sequence, listing, view)] : [];
  });
  const next = last.length === limit ? (last.at(-1)?.sequence ?? after) : retained - 1;
  return { changes, hasMore: next < head, next };
}

/** All that is shown of a listing that the reader may not see. */
const hiddenChange = (sequence: number, listingId: string): PublicChange => ({
  sequence,
  object: 'change',
  type: 'removed',
  listingId,
  propertyId: null,
  at: null,
  changedFields: [],
  listing: null,
  url: null,
});

const urlOf = (listingId: string, { publicUrl }: ReaderView) => `${publicUrl}/v1/property/${listingId}`;

/** Display rules hold as they were, and as they are now: what has been withdrawn is no longer shown. */
function presentChange(
  change: ListingChange<ChangeState>,
  now: DisplayRules | undefined,
  view: ReaderView,
): PublicChange {
  const { sequence, listingId, propertyId, after, changed } = change;
  if (now === undefined || !isVisible(now, view) || !isVisible(after.row, view))
    return hiddenChange(sequence, listingId);
  return {
    sequence,
    object: 'change',
    listingId,
    propertyId,
    url: urlOf(listingId, view),
    type: after.row.status === 'DELETED' ? 'removed' : change.kind === 'created' ? 'created' : 'updated',
    at: new Date(change.at).toISOString(),
    changedFields: changed.filter((name) => name !== 'words' && name !== 'display'),
    listing: inUnits(summaryFor(after, now, view), view),
  };
}

function summaryFor({ listing, withheld }: ChangeState, now: DisplayRules, view: ReaderView): ListingSummary {
  if (view.ignoreDisplayRules) return { ...listing, ...withheld };
  return now.addressDisplayed ? listing : maskSummary(listing);
}

function presentLast(sequence: number, stored: StoredListing, view: ReaderView): PublicChange {
  const listing = presentListing(stored, view);
  if (listing === null) return hiddenChange(sequence, stored.id);
  const { id: listingId, propertyId, url, updatedAt } = listing;
  return {
    sequence,
    object: 'change',
    listingId,
    propertyId,
    at: updatedAt,
    changedFields: [],
    url,
    type: listing.status === 'DELETED' ? 'removed' : 'updated',
    listing: summarizeListing(listing, listing.areaUnit),
  };
}

const inUnits = (summary: ListingSummary, { units }: ReaderView): ListingSummary => ({
  ...summary,
  livingArea: areaIn(summary.livingArea, units),
  lotSize: areaIn(summary.lotSize, units),
  areaUnit: units === 'metric' ? 'sqm' : 'sqft',
});
