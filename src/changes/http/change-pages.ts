// Pages of the log of changes as a reader may see it: listings alone, and compacted where the log no longer reaches.

import {
  type ChangeState,
  hideMembers,
  type ListingSummary,
  maskSummary,
  summarizeListing,
} from '../../listings/change-state.ts';
import { areaIn, isIn, isVisible, presentListing, type ReaderView } from '../../listings/presenter.ts';
import { type Credits, creditsOf } from '../../listings/provenance/credits-store.ts';
import { findListings, type StoredListing } from '../../listings/store.ts';
import type { Database, Sql } from '../../postgres/client/database.ts';
import type { ListingChange, LoadEntry } from '../change.ts';
import { headSequence, readListingChanges, retainedFrom } from '../change-store.ts';
import { findLoadedListings, type LoadedListing } from '../load-store.ts';
import { type DisplayRules, findDisplayRules, findLastChanges } from './store.ts';

/** How a reader sees changes, and the sources of the listings that they show so far. */
interface ChangeView extends ReaderView {
  readonly shown: string[];
}

/** A change as it is sent. */
export interface PublicChange {
  readonly sequence: number;
  readonly object: 'change';
  readonly type: 'created' | 'updated' | 'removed';
  readonly listingId: string;
  readonly propertyId: string | null;
  readonly at: string | null;
  readonly changedFields: readonly string[];
  readonly listing: (ListingSummary & Credits) | null;
  readonly url: string | null;
}

export interface ChangePage {
  readonly changes: readonly PublicChange[];
  /** The sources of the listings that they show, one for each. */
  readonly shown: readonly string[];
  readonly hasMore: boolean;
  /** The sequence to go on after. */
  readonly next: number;
}

/**
 * The changes after a sequence. Whoever follows `next` from 0 ends with every listing as it is: of changes that are no longer
 * in the log, the last of each listing is listed, with the listing as it is now. So is what a first load created, unless it has
 * changed since, which a later change says.
 */
export async function readChangePage(
  database: Database,
  after: number,
  limit: number,
  reader: ReaderView,
): Promise<ChangePage> {
  const readLog = async (sql: Sql): Promise<ChangePage | CompactedRange> => {
    const view: ChangeView = { ...reader, shown: [] };
    const head = await headSequence(sql);
    const entries = await readListingChanges<ChangeState>(sql, after, limit);
    // Read last: what was dropped meanwhile is missing above.
    const retained = await retainedFrom(sql);
    if (after + 1 < retained) return { after, limit, retained, head };
    const { changes, read } = await listingsOf(sql, entries, after, limit);
    const isWhole = read === entries.length;
    const passed = entries[read - 1]?.sequence ?? after;
    const last = isWhole ? passed : (changes.at(-1)?.sequence ?? passed);
    const isFull = !isWhole || entries.length === limit;
    return {
      changes: await presentChanges(sql, changes, view),
      shown: view.shown,
      hasMore: isFull && last < head,
      next: isFull ? last : Math.max(last, head),
    };
  };
  const found = await database.read(readLog, { planned: 'once' });
  return 'changes' in found
    ? found
    : database.read((sql) => compactedPage(sql, found, { ...reader, shown: [] }));
}

type ReadChange = ListingChange<ChangeState> | LoadedListing;

/** At most `limit` changes of entries, those of first loads one by one, and how many entries were read to their ends. */
async function listingsOf(
  sql: Sql,
  entries: readonly (ListingChange<ChangeState> | LoadEntry)[],
  after: number,
  limit: number,
): Promise<{ changes: ReadChange[]; read: number }> {
  const changes: ReadChange[] = [];
  for (const [at, entry] of entries.entries()) {
    const left = limit - changes.length;
    if (left === 0) return { changes, read: at };
    const listings = entry.kind === 'load' ? await findLoadedListings(sql, entry, after, left + 1) : [entry];
    changes.push(...listings.slice(0, left));
    if (listings.length > left) return { changes, read: at };
  }
  return { changes, read: entries.length };
}

async function presentChanges(
  sql: Sql,
  changes: readonly ReadChange[],
  view: ChangeView,
): Promise<PublicChange[]> {
  const rules = await findDisplayRules(
    sql,
    changes.map(({ listingId }) => listingId),
  );
  const loaded = changes.filter((change) => !('kind' in change)).map(({ listingId }) => listingId);
  const stored = new Map<string, StoredListing | undefined>();
  for (const [at, listing] of (await findListings(sql, loaded)).entries())
    stored.set(loaded[at] ?? '', listing);
  return changes.flatMap((change) => {
    const now = rules.get(change.listingId);
    if (isUnknown(now, view)) return [];
    // Of a listing that is gone only its entries tell under which licence it was.
    if (now === undefined && 'kind' in change && !view.reach.has(Number(change.after.row.licence))) return [];
    if ('kind' in change && isOfRemoved(change)) return [];
    if ('kind' in change) return [presentChange(change, rules.get(change.listingId), view)];
    const listing = stored.get(change.listingId);
    return listing ? [presentLast(change.sequence, listing, view, 'created')] : [];
  });
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
  view: ChangeView,
): Promise<ChangePage> {
  const last = await findLastChanges(sql, after, retained, limit);
  const ids = last.map(({ listingId }) => listingId);
  const listings = await findListings(sql, ids);
  const rules = await findDisplayRules(sql, ids);
  const changes = last.flatMap(({ sequence, listingId }, place) => {
    const listing = listings[place];
    const isTold = listing !== undefined && !isUnknown(rules.get(listingId), view);
    return isTold ? [presentLast(sequence, listing, view)] : [];
  });
  const next = last.length === limit ? (last.at(-1)?.sequence ?? after) : retained - 1;
  return { changes, shown: view.shown, hasMore: next < head, next };
}

/** Whether a listing was never shown to such readers, who have nothing to remove, or is closed to them. */
const isUnknown = (now: DisplayRules | undefined, view: ChangeView): boolean =>
  now !== undefined && !(isIn(now.audience, view) && view.reach.has(now.licenceNo));

/** Whether the listing had been removed before: what its source still changes concerns nobody, unless it says who may see it. */
const isOfRemoved = ({ kind, after, changed }: ListingChange<ChangeState>): boolean =>
  kind === 'updated' && after.row.status === 'DELETED' && !changed.includes('display');

/** All that is shown of a listing that the reader may not see any more. */
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

const urlOf = (listingId: string, { publicUrl }: ChangeView) => `${publicUrl}/v1/property/${listingId}`;

/** Display rules hold as they were, and as they are now: what has been withdrawn is no longer shown. */
function presentChange(
  change: ListingChange<ChangeState>,
  now: DisplayRules | undefined,
  view: ChangeView,
): PublicChange {
  const { sequence, listingId, propertyId, after, changed } = change;
  const before = { ...after.row, licenceNo: Number(after.row.licence ?? now?.licenceNo) };
  if (now === undefined || !isVisible(now, view) || !isVisible(before, view))
    return hiddenChange(sequence, listingId);
  view.shown.push(view.reach.sourceOf(before.licenceNo));
  const hidden = now.credits.hiddenFields ?? [];
  return {
    sequence,
    object: 'change',
    listingId,
    propertyId,
    url: urlOf(listingId, view),
    type: after.row.status === 'DELETED' ? 'removed' : change.kind === 'created' ? 'created' : 'updated',
    at: new Date(change.at).toISOString(),
    changedFields: changed.filter((name) => name !== 'words' && name !== 'display' && !hidden.includes(name)),
    listing: {
      ...inUnits(hideMembers(summaryFor(after, now, view), hidden), view),
      ...creditsOf(now.credits),
    },
  };
}

function summaryFor({ listing, withheld }: ChangeState, now: DisplayRules, view: ChangeView): ListingSummary {
  if (view.ignoreDisplayRules) return { ...listing, ...withheld };
  return now.addressDisplayed ? listing : maskSummary(listing);
}

function presentLast(
  sequence: number,
  stored: StoredListing,
  view: ChangeView,
  type: 'created' | 'updated' = 'updated',
): PublicChange {
  const listing = presentListing(stored, view);
  if (listing === null) return hiddenChange(sequence, stored.id);
  view.shown.push(stored.source);
  const { id: listingId, propertyId, url, updatedAt } = listing;
  return {
    sequence,
    object: 'change',
    listingId,
    propertyId,
    at: updatedAt,
    changedFields: [],
    url,
    type: listing.status === 'DELETED' ? 'removed' : type,
    listing: {
      ...summarizeListing(listing, listing.areaUnit),
      attribution: listing.attribution,
      fetchedAt: listing.fetchedAt,
    },
  };
}

const inUnits = (summary: ListingSummary, { units }: ChangeView): ListingSummary => ({
  ...summary,
  livingArea: areaIn(summary.livingArea, units),
  lotSize: areaIn(summary.lotSize, units),
  areaUnit: units === 'metric' ? 'sqm' : 'sqft',
});
