// Owns the writing side of the catalogue: a batch of drafts becomes listings, history and counts in one transaction.

import { countChanges } from '../areas/area-counts.ts';
import { holdAreaVersion, readPlacedAreas } from '../areas/area-store.ts';
import { Placement } from '../areas/placement.ts';
import { DAY } from '../lib/time.ts';
import type { ListingDraft } from '../listings/draft.ts';
import { daysOnMarket, storedClock } from '../listings/market-clock.ts';
import { advanceSource, writeConfirmations } from '../listings/provenance/confirmation-store.ts';
import type { ResoRecord } from '../listings/reso-record.ts';
import { writeResoRecords } from '../listings/reso-store.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { correctedHistory } from '../timeline/history-correction.ts';
import { findRecordedHistory, replaceHistory } from '../timeline/history-store.ts';
import { writeMarketFacts } from '../timeline/market-facts.ts';
import { tellChanged } from './change-notices.ts';
import { listingId, propertyId, propertyIdentity } from './identity.ts';
import {
  addToAreaCounts,
  type ClockRow,
  type LockedListing,
  lockListings,
  readClocks,
  writeEarlierDays,
  writeListings,
} from './listing-store.ts';
import { goneDraft, isOlder, type ListingWrite, planWrite } from './write-plan.ts';

/** A gap between two listings that still makes them one stay on the market. */
const LONGEST_GAP_DAYS = 30;

export interface Writer {
  /**
   * Writes drafts with their history in the given transaction; a draft that says nothing new is noted as confirmed, which
   * makes no version, event or notification. Listings whose keys are in `gone` are marked as gone upstream: status DELETED,
   * history DELISTED. A transaction calls this once, since what it locks is locked in order.
   * @param observedAt milliseconds since the epoch
   */
  apply(
    tx: Transaction,
    source: string,
    drafts: readonly ListingDraft[],
    observedAt: number,
    gone?: readonly string[],
  ): Promise<Applied>;
}

export function createWriter(): Writer {
  let placed: { readonly version: number; readonly placement: Placement } | null = null;

  async function placement(tx: Transaction): Promise<Placement> {
    const version = await holdAreaVersion(tx);
    if (placed?.version !== version)
      placed = { version, placement: new Placement(await readPlacedAreas(tx)) };
    return placed.placement;
  }

  return {
    async apply(tx, source, drafts, observedAt, gone = []) {
      // Of two drafts with one key in a batch the later one speaks.
      const byId = new Map(drafts.map((draft) => [listingId(source, draft.listingKey), draft]));
      const ids = new Map([...byId].map(([id, draft]) => [draft.listingKey, id]));
      const goneIds = new Set(gone.map((key) => listingId(source, key)));
      const areas = await placement(tx);
      // All that the transaction takes is taken in one order: two writers never wait for each other.
      const properties = [...byId.values()].map((draft) => propertyId(propertyIdentity(source, draft)));
      const before = await lockListings(tx, [...byId.keys(), ...goneIds], properties);
      const writes: ListingWrite[] = [];
      const confirmed: string[] = [];
      const reso = new Map<string, ResoRecord>();
      for (const [id, draft] of byId) {
        if (goneIds.has(id)) continue;
        const known = before.get(id) ?? null;
        const write = planWrite(source, draft, known, areas, observedAt);
        if (write) writes.push(write);
        if (known && isOlder(draft, known.record)) continue;
        if (!write) confirmed.push(id);
        // What is the same in our words may be other in the source's.
        if (draft.reso) reso.set(id, draft.reso);
      }
      const removals = removalsOf(
        source,
        [...goneIds].flatMap((id) => before.get(id) ?? []),
        areas,
        observedAt,
      );
      await commitWrites(tx, [...writes, ...removals], observedAt);
      const told = await writeResoRecords(tx, reso);
      const written = new Set(writes.map((write) => write.id));
      const retold = told.flatMap((id) => (written.has(id) ? [] : (before.get(id)?.propertyId ?? [])));
      if (retold.length > 0) await tellChanged(tx, [...new Set(retold)]);
      await writeConfirmations(tx, confirmed, observedAt);
      if (drafts.length + gone.length > 0) await advanceSource(tx, source, observedAt);
      const created = writes.filter((write) => write.before === null).length;
      const changed = writes.length - created;
      return { created, changed, unchanged: byId.size - writes.length, removed: removals.length, ids };
    },
  };
}

/** The writes of listings that their source no longer has. */
function removalsOf(
  source: string,
  listings: readonly LockedListing[],
  areas: Placement,
  observedAt: number,
): ListingWrite[] {
  return listings.flatMap((before) => {
    if (before.status === 'DELETED') return [];
    const draft = goneDraft(before.record, before.displayed, before.addressDisplayed, observedAt);
    const write = planWrite(source, draft, before, areas, observedAt);
    // Nobody upstream told when: we found it gone.
    const seen = { at: observedAt, origin: 'observed' } as const;
    return write ? [{ ...write, events: write.events.map((event) => ({ ...event, ...seen })) }] : [];
  });
}

async function commitWrites(
  tx: Transaction,
  writes: readonly ListingWrite[],
  observedAt: number,
): Promise<void> {
  if (writes.length === 0) return;
  await correctHistory(tx, writes);
  await writeListings(tx, writes, observedAt);
  const properties = [
    ...new Set(writes.flatMap((write) => [write.propertyId, write.before?.propertyId ?? write.propertyId])),
  ];
  await writeEarlierDays(tx, changedEarlierDays(await readClocks(tx, properties)));
  await writeMarketFacts(tx, writes, properties, observedAt);
  const changes = writes.map((write) => ({ before: write.before, after: countedAfter(write) }));
  await addToAreaCounts(tx, countChanges(changes));
  await tellChanged(tx, properties);
}

/** Lines of history that their source corrects, before new ones are added to them. */
async function correctHistory(tx: Transaction, writes: readonly ListingWrite[]): Promise<void> {
  const corrected = writes.flatMap(({ corrections, ...write }) =>
    corrections ? [{ ...write, corrections }] : [],
  );
  if (corrected.length === 0) return;
  const ids = corrected.map(({ id }) => id);
  const known = await findRecordedHistory(tx, ids);
  await replaceHistory(
    tx,
    corrected.map(({ id, propertyId, record, corrections }) => ({
      ...{ id, propertyId, listingType: record.listingType },
      events: correctedHistory(known.get(id) ?? [], corrections),
    })),
  );
}

const countedAfter = ({ record, draft, areaNos }: ListingWrite) => ({
  listingType: record.listingType,
  status: record.status,
  displayed: draft.display.listing,
  areaNos,
});

/**
 * Days that each listing continues from earlier ones of its property and type, where gaps are short; only those that
 * differ from what is stored. Rows come in the order of their starts.
 */
export function changedEarlierDays(rows: readonly ClockRow[]): Map<string, number> {
  const changed = new Map<string, number>();
  const last = new Map<string, { end: number | null; days: number }>();
  for (const row of rows) {
    const clock = storedClock(row.start, row.end);
    if (clock.start === null) continue;
    const place = `${row.propertyId} ${row.listingType}`;
    const earlier = last.get(place);
    const gap = earlier === undefined || earlier.end === null ? null : (clock.start - earlier.end) / DAY;
    const carried =
      earlier !== undefined && gap !== null && gap >= 0 && gap <= LONGEST_GAP_DAYS ? earlier.days : 0;
    if (carried !== row.earlierDays) changed.set(row.id, carried);
    const own = clock.end === null ? 0 : (daysOnMarket(clock, clock.end) ?? 0);
    last.set(place, { end: clock.end, days: carried + own });
  }
  return changed;
}

/** What one batch of drafts did; ids by listing key. */
export interface Applied {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Of the keys that were given as gone, those whose listings were still there. */
  readonly removed: number;
  readonly ids: ReadonlyMap<string, string>;
}
