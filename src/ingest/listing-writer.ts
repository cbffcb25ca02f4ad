// Catalogue of listings: a batch of drafts becomes records, history, timelines and counts in one transaction.

import { countChanges } from '../areas/counts.ts';
import { eventLoop } from '../lib/scheduler.ts';
import { findWithholding, takeLicences } from '../licence/licence-store.ts';
import { isLate, isOlder, type ListingDraft } from '../listings/draft.ts';
import { advanceSource, writeConfirmations } from '../listings/provenance/confirmation-store.ts';
import type { RawRecord } from '../listings/raw-record.ts';
import type { ResoRecord } from '../listings/reso-record.ts';
import { writeResoRecords } from '../listings/reso-store.ts';
import { createListingReads, type ListingReads } from '../listings/store.ts';
import type { Status } from '../listings/vocabulary.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { correctHistory } from '../timeline/history-correction.ts';
import { findRecordedHistory, replaceHistory } from '../timeline/store.ts';
import { updateTimelines } from '../timeline/update-timelines.ts';
import { loadPlaceFinder, type PlaceCounts } from './approximate-places.ts';
import { changedEarlierDays, writtenDays } from './earlier-days.ts';
import { draftEvidence, type IdentifiedHome, identifyHome, listingId } from './identity.ts';
import {
  addAreaCounts,
  findDaysOnMarket,
  lockListings,
  notifyChanged,
  updateEarlierDays,
  writeListings,
} from './listing-store.ts';
import { writeLoaded } from './load-writer.ts';
import { writeMedia } from './pictures/media-store.ts';
import { PlacementCache } from './placement-cache.ts';
import { PropertyAssignment } from './property-assignment.ts';
import { findExisting, findRenamed, lockProperties } from './property-store.ts';
import { keepingFetchTimes } from './raw/fetch-time-store.ts';
import { writeRawRecords } from './raw/raw-record-store.ts';
import { noteLosses } from './removal/losses.ts';
import { planEndings } from './removal/plan-endings.ts';
import { takeRoundedKeys } from './rounded-key-store.ts';
import { withhold } from './terms/withhold.ts';
import { type ListingWrite, type PreviousListing, planWrite } from './write-plan.ts';

/** Counts of one batch of drafts, and the ids of its listings by their keys. */
export interface WriteResult {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Listings of the keys that were to be ended. */
  readonly removed: number;
  readonly ids: ReadonlyMap<string, string>;
  /** What became of each listing, by its id; of keys to be ended, of those that are stored. */
  readonly outcomes: ReadonlyMap<string, ListingOutcome>;
  /** How the drafts came to their places. */
  readonly places: PlaceCounts;
}

export interface ListingOutcome {
  /** `older`: a newer reading of it is stored, which stays. */
  readonly result: 'created' | 'changed' | 'unchanged' | 'older' | 'removed';
  /** Of the stored listing before; null: it was not stored. */
  readonly previous: { readonly version: number; readonly status: Status } | null;
  readonly version: number;
  readonly status: Status;
}

export interface Catalogue extends ListingReads {
  /**
   * Writes drafts with their history in the given transaction; an unchanged draft is only confirmed, which
   * makes no version, event or notification. Listings whose keys are in `deletedKeys` get the status `endedAs`, and a
   * DELISTED event. A transaction calls this once, since what it locks is locked in order.
   * @param observedAt milliseconds since the epoch
   * @param quiet whether nobody is notified of the changes, since they are a first load
   */
  write(
    tx: Transaction,
    source: string,
    drafts: readonly ListingDraft[],
    observedAt: number,
    deletedKeys?: readonly string[],
    quiet?: boolean,
    endedAs?: Status,
  ): Promise<WriteResult>;
  /** As `write`, of drafts made once more of what their source sent before: as new as what is stored, and no confirmation of it. */
  writeAgain(
    tx: Transaction,
    source: string,
    drafts: readonly ListingDraft[],
    observedAt: number,
    deletedKeys: readonly string[],
  ): Promise<WriteResult>;
}

export function createCatalogue(database: Database): Catalogue {
  const placements = new PlacementCache();
  const writer = {
    async write(
      tx: Transaction,
      source: string,
      stated: readonly ListingDraft[],
      observedAt: number,
      deletedKeys: readonly string[] = [],
      quiet = false,
      endedAs: Status = 'DELETED',
      isAgain = false,
    ): Promise<WriteResult> {
      const rules = await findWithholding(tx, source);
      const drafts = stated.map((draft) => withhold(draft, rules));
      const byId = newestById(source, drafts);
      const ids = new Map([...byId].map(([id, draft]) => [draft.listingKey, id]));
      const homes = new Map<string, IdentifiedHome>();
      await eventLoop.forEach(byId, ([id, draft]) => {
        homes.set(id, identifyHome(draftEvidence(source, draft)));
      });
      const identities = [...homes.values()].flatMap((home) => home.identities);
      const texts = identities.map(({ identity }) => identity);
      const [areas, renamed, licences, rounded] = await Promise.all([
        placements.load(tx),
        findRenamed(tx, texts),
        takeLicences(tx, source, drafts),
        takeRoundedKeys(tx, source, drafts),
      ]);
      const deletedIds = new Set([...deletedKeys, ...rounded].map((key) => listingId(source, key)));
      const possible = identities.map(({ identity, propertyId }) => renamed.get(identity) ?? propertyId);
      const existing = await findExisting(tx, possible);
      // Locks are taken in one order, so that two writers never deadlock.
      const { listings: before, first } = await lockListings(tx, [...byId.keys(), ...deletedIds], existing);
      const properties = new PropertyAssignment(renamed, first, homes);
      const places = await loadPlaceFinder(tx, byId.values(), areas);
      const writes: ListingWrite[] = [];
      const confirmed: string[] = [];
      const reso = new Map<string, ResoRecord>();
      const raw = new Map<string, readonly RawRecord[]>();
      const outcomes = new Map<string, ListingOutcome>();
      const task = eventLoop.task();
      for (const [id, draft] of byId) {
        if (deletedIds.has(id)) continue;
        if (task.shouldYield()) await task.yield();
        const known = before.get(id) ?? null;
        const write = planWrite(
          source,
          draft,
          known,
          areas,
          observedAt,
          properties,
          places,
          isAgain,
          licences,
        );
        if (write) writes.push(write);
        const comesLate = known !== null && !isAgain && isLate(draft, known.record);
        outcomes.set(id, outcomeOf(known, write, comesLate ? 'older' : 'unchanged'));
        if (comesLate) continue;
        if (!write) confirmed.push(id);
        // What may no longer be shown is not kept; of others the source's own record may differ though ours is the same.
        if (draft.status === 'DELETED') continue;
        if (draft.reso) reso.set(id, draft.reso);
        if (draft.raw) raw.set(draft.listingKey, draft.raw);
      }
      const deleted = [...deletedIds].flatMap((id) => before.get(id) ?? []);
      const removals = await planEndings({ source, areas, observedAt, endedAs }, deleted);
      for (const before of deleted) outcomes.set(before.id, outcomeOf(before, null, 'unchanged'));
      for (const write of removals)
        outcomes.set(write.id, { ...outcomeOf(write.before, write, 'unchanged'), result: 'removed' });
      await commitWrites(tx, [...writes, ...removals], observedAt, quiet);
      const changedReso = await writeResoRecords(tx, reso);
      await writeRawRecords(tx, source, raw);
      const unwritten = changedReso.filter((id) => outcomes.get(id)?.result === 'unchanged');
      const resoProperties = unwritten.flatMap((id) => before.get(id)?.propertyId ?? []);
      if (resoProperties.length > 0) await notifyChanged(tx, [...new Set(resoProperties)]);
      if (!isAgain) await writeConfirmations(tx, confirmed, observedAt);
      if (!isAgain && drafts.length + deletedKeys.length > 0) await advanceSource(tx, source, observedAt);
      const created = writes.filter((write) => write.before === null).length;
      return {
        created,
        changed: writes.length - created,
        unchanged: byId.size - writes.length,
        removed: removals.length,
        ids,
        outcomes,
        places: places.counts(),
      };
    },
  };
  return {
    ...createListingReads(database),
    ...writer,
    writeAgain: (tx, source, drafts, observedAt, deletedKeys) =>
      keepingFetchTimes(tx, source, drafts, () =>
        writer.write(tx, source, drafts, observedAt, deletedKeys, false, 'DELETED', true),
      ),
  };
}

function outcomeOf(
  before: PreviousListing | null,
  write: ListingWrite | null,
  otherwise: 'unchanged' | 'older',
): ListingOutcome {
  const previous = before && { version: before.version, status: before.status };
  if (write !== null)
    return {
      result: before === null ? 'created' : 'changed',
      previous,
      version: write.version,
      status: write.record.status,
    };
  if (previous === null) throw new Error('A listing that is not stored is always written');
  return { result: otherwise, previous, ...previous };
}

/** Of several drafts with one key the newest counts; of those of one age, or of an unknown one, the last. */
function newestById(source: string, drafts: readonly ListingDraft[]): Map<string, ListingDraft> {
  const byId = new Map<string, ListingDraft>();
  for (const draft of drafts) {
    const id = listingId(source, draft.listingKey);
    if (!isOlder(draft, byId.get(id) ?? null)) byId.set(id, draft);
  }
  return byId;
}

/** Writes what was planned, with everything that follows from it; `quiet` as in `Catalogue.write`. */
export async function commitWrites(
  tx: Transaction,
  writes: readonly ListingWrite[],
  observedAt: number,
  quiet: boolean,
): Promise<void> {
  if (writes.length === 0) return;
  await writeCorrections(tx, writes);
  const isLoaded = ({ before }: ListingWrite) => quiet && before === null;
  const loaded = writes.filter(isLoaded);
  const others = loaded.length === 0 ? writes : writes.filter((write) => !isLoaded(write));
  // Sent together, and run in this order.
  const [created] = await Promise.all([
    lockProperties(tx, writes, observedAt),
    writeListings(tx, others, observedAt, quiet),
  ]);
  await writeLoaded(tx, loaded, observedAt);
  await Promise.all([writeMedia(tx, writes, observedAt), noteLosses(tx, writes, observedAt)]);
  const properties = [
    ...new Set(writes.flatMap((write) => [write.propertyId, write.before?.propertyId ?? write.propertyId])),
  ];
  // Of a property that is new with all its listings everything is known.
  for (const { before, propertyId } of writes) if (before !== null) created.delete(propertyId);
  const known = properties.filter((id) => !created.has(id));
  const days = known.length === 0 ? [] : await findDaysOnMarket(tx, known);
  const newDays = writtenDays(writes.filter(({ propertyId }) => created.has(propertyId)));
  await updateEarlierDays(tx, changedEarlierDays([...days, ...newDays]));
  await updateTimelines(tx, writes, known, observedAt);
  const changes = writes.map((write) => ({ before: write.before, after: countedListing(write) }));
  await Promise.all([addAreaCounts(tx, countChanges(changes)), notifyChanged(tx, properties)]);
}

/** Corrects recorded history before new events are added to it. */
async function writeCorrections(tx: Transaction, writes: readonly ListingWrite[]): Promise<void> {
  const corrected = writes.flatMap(({ corrections, ...write }) =>
    corrections ? [{ ...write, corrections }] : [],
  );
  if (corrected.length === 0) return;
  const ids = corrected.map(({ id }) => id);
  const known = await findRecordedHistory(tx, ids);
  await replaceHistory(
    tx,
    corrected.map(({ id, propertyId, record, corrections }) => ({
      id,
      propertyId,
      listingType: record.listingType,
      events: correctHistory(known.get(id) ?? [], corrections),
    })),
  );
}

const countedListing = ({ record, draft, areaNos, licenceNo }: ListingWrite) => ({
  listingType: record.listingType,
  status: record.status,
  licenceNo,
  displayed: draft.display.listing,
  areaNos,
});
