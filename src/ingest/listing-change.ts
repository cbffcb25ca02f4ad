// Changes of listings for the log: states before and after a write, and what differs between them. Pure.

import type { NewChange } from '../changes/change-store.ts';
import { differingMembers, differingNames, isSameJson } from '../changes/differences.ts';
import { formatTime } from '../lib/clock.ts';
import { type ChangeState, maskSummary, summarizeListing } from '../listings/change-state.ts';
import { toStoredClock } from '../listings/days-on-market.ts';
import { listedAt } from '../listings/listed-at.ts';
import { type ListingSnapshot, searchRow, searchTexts } from './rows/search-row.ts';
import type { ListingWrite, PreviousListing } from './write-plan.ts';

/** The listing as a write leaves it. */
export function writtenSnapshot(write: ListingWrite, observedAt: number): ListingSnapshot {
  const { id, source, record, areaNos, draft, licenceNo } = write;
  const clock = toStoredClock(write.clock, write.timeZone);
  return {
    id,
    source,
    record,
    areaNos,
    licenceNo,
    displayed: draft.display.listing,
    addressDisplayed: draft.display.address,
    listedFrom: formatTime(write.listedFrom),
    daysOnMarketStart: formatTime(clock.start),
    daysOnMarketEnd: formatTime(clock.end),
    updatedAt: new Date(observedAt).toISOString(),
  };
}

/** The listing as it is stored. */
export function storedSnapshot(stored: PreviousListing): ListingSnapshot {
  return { ...stored, listedFrom: listedAt(stored.record, stored.timeZone) };
}

/** The change from one state of a listing to the next, which is one version later; `stored` is null for a new listing. */
export function listingChange(
  stored: PreviousListing | null,
  listing: ListingSnapshot,
): NewChange<ChangeState> {
  const { id: listingId, record } = listing;
  const after = changeState(listing, (stored?.version ?? 0) + 1);
  const common = { listingId, propertyId: record.propertyId, after, loadedBy: stored?.loadedBy ?? null };
  if (stored === null) return { ...common, kind: 'created', changed: [], before: null };
  const previous = storedSnapshot(stored);
  const before = changeState(previous, stored.version);
  return {
    ...common,
    kind: record.status === 'DELETED' && stored.status !== 'DELETED' ? 'removed' : 'updated',
    changed: changedNames(previous, listing),
    before: {
      version: stored.version,
      row: differingMembers(before.row, after.row),
      listing: differingMembers(before.listing, after.listing),
      ...withheldBefore(before, after),
    },
  };
}

function withheldBefore({ withheld: before }: ChangeState, { withheld: after }: ChangeState) {
  if (before === undefined) return after && { withheld: null };
  return { withheld: after ? differingMembers(before, after) : before };
}

function changeState(listing: ListingSnapshot, version: number): ChangeState {
  const row = searchRow(listing);
  const summary = summarizeListing({ ...listing.record, listedAt: listing.listedFrom });
  if (listing.addressDisplayed) return { version, row, listing: summary };
  const { address, location } = summary;
  return { version, row, listing: maskSummary(summary), withheld: { address, location } };
}

/** Whether the stored words of a listing, or the names among them that typos are matched against, may be others after its change. */
export const mayChangeText = ({ kind, changed }: NewChange<ChangeState>): boolean =>
  kind === 'created' || ['words', 'areaIds', 'display'].some((name) => changed.includes(name));

/** Members that searchable words are taken from. */
const WORD_MEMBERS: ReadonlySet<string> = new Set([
  'propertyId',
  'provider',
  'address',
  'description',
  'features',
  'display',
]);

/** A record with its dates named as readers see them, without the time of its last modification. */
function publicMembers({ record, listedFrom }: ListingSnapshot) {
  const { upstreamModifiedAt: _, listedAt: enteredAt, ...members } = record;
  return { ...members, listedAt: listedFrom, enteredAt };
}

function changedNames(before: ListingSnapshot, after: ListingSnapshot): string[] {
  const { property: factsBefore, ...recordBefore } = publicMembers(before);
  const { property: factsAfter, ...recordAfter } = publicMembers(after);
  const facts = differingNames(factsBefore, factsAfter);
  const isDisplayChanged =
    before.displayed !== after.displayed ||
    before.addressDisplayed !== after.addressDisplayed ||
    facts.includes('estimateDisplayed');
  const names = [
    ...differingNames(recordBefore, recordAfter),
    ...facts.filter((name) => name !== 'estimateDisplayed' && name !== 'days'),
    ...(isSameJson(before.areaNos, after.areaNos) ? [] : ['areaIds']),
    ...(isDisplayChanged ? ['display'] : []),
  ];
  const mayChangeWords = names.some((name) => WORD_MEMBERS.has(name));
  const isSameWords = !mayChangeWords || isSameJson(searchTexts(before), searchTexts(after));
  return isSameWords ? names : [...names, 'words'];
}
