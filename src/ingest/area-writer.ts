// Writer of areas, and of the areas of every listing when areas have changed.

import { type AreaDraft, measure } from '../areas/area.ts';
import { Placement } from '../areas/placement.ts';
import { bumpAreaVersion, findPlacedAreas, resolveParents, writeAreas } from '../areas/write-store.ts';
import { appendChanges, type NewChange } from '../changes/change-store.ts';
import { formatTime } from '../lib/clock.ts';
import type { ChangeState } from '../listings/change-state.ts';
import { toStoredClock, updateClock } from '../listings/days-on-market.ts';
import { listedFrom, resolveDates } from '../listings/reported-dates.ts';
import { dateTexts, publicTimes, type StoredRecord } from '../listings/stored-record.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { rebuildTimelines } from '../timeline/update-timelines.ts';
import { listingChange, storedSnapshot } from './listing-change.ts';
import { findLockedListings, notifyChanged } from './listing-store.ts';
import {
  lockPlacements,
  type PlacementRow,
  type TimeZoneChange,
  updateCountsAndFigures,
  updatePlacements,
  writeTimeZoneChanges,
} from './placement-store.ts';
import { priceChangedAt } from './rows/search-row.ts';
import type { PreviousListing } from './write-plan.ts';

export interface AreaWriteResult {
  readonly changed: number;
  readonly unchanged: number;
}

/** Writes one batch of areas in one transaction; parents may come in any later batch. */
export function writeAreaBatch(
  database: Database,
  source: string,
  drafts: readonly AreaDraft[],
): Promise<AreaWriteResult> {
  return database.transaction((tx) => writeAreaDrafts(tx, source, drafts, database.clock.now()), {
    timeout: 0,
  });
}

/** The same within a transaction of the caller's; no two drafts may make the same area. `at`: milliseconds. */
export async function writeAreaDrafts(
  tx: Transaction,
  source: string,
  drafts: readonly AreaDraft[],
  at: number,
): Promise<AreaWriteResult> {
  const writes = drafts.map((draft) => ({ draft, measured: measure(draft, source) }));
  const changed = await writeAreas(tx, source, writes, new Date(at).toISOString());
  const moved = await resolveParents(tx);
  if (changed.length > 0 || moved > 0) await bumpAreaVersion(tx);
  return { changed: changed.length, unchanged: drafts.length - changed.length };
}

const BATCH = 2_000;

export interface PlacementOptions {
  /** Called after each batch. */
  readonly onProgress?: (checked: number) => void;
  /** Whether nobody is notified of the changes, since they are those of a first import. */
  readonly quiet?: boolean;
}

/**
 * Recomputes the areas of every listing, one batch per transaction, and writes those that changed. Listings that are
 * written meanwhile get the new areas already.
 */
export async function updateAllPlacements(
  database: Database,
  { onProgress, quiet = false }: PlacementOptions = {},
): Promise<void> {
  let [after, checked] = ['', 0];
  const placement = new Placement(await database.read((sql) => findPlacedAreas(sql), { timeout: 0 }));
  for (;;) {
    const batch = await database.transaction(
      async (tx) =>
        placeRows(tx, await lockPlacements(tx, after, BATCH), placement, database.clock.now(), quiet),
      { timeout: 0 },
    );
    checked += batch.size;
    onProgress?.(checked);
    if (batch.last === undefined) return;
    after = batch.last;
  }
}

/** Places the next listings after an id, quietly, in this transaction; gives the last id, null after the last one. */
export async function placeNext(
  tx: Transaction,
  after: string,
  placement: Placement,
  now: number,
): Promise<string | null> {
  const rows = await lockPlacements(tx, after, BATCH);
  return (await placeRows(tx, rows, placement, now, true)).last ?? null;
}

async function placeRows(
  tx: Transaction,
  rows: readonly PlacementRow[],
  placement: Placement,
  now: number,
  quiet: boolean,
): Promise<{ last: string | undefined; size: number }> {
  const placed = rows.map((row) => {
    const newAreaNos = placement.place(row.location, row.address);
    return { ...row, newAreaNos, newTimeZone: placement.timeZone(newAreaNos) };
  });
  await writePlacements(tx, placed, now, quiet);
  return { last: rows.at(-1)?.id, size: rows.length };
}

interface NewPlacement extends PlacementRow {
  readonly newAreaNos: readonly number[];
  readonly newTimeZone: string;
}

/** Writes areas and time zones that changed, each as a change of its listing, and what follows from them. */
async function writePlacements(
  tx: Transaction,
  placed: readonly NewPlacement[],
  now: number,
  quiet: boolean,
): Promise<void> {
  const isMoved = (row: NewPlacement) => row.newAreaNos.join() !== row.areaNos.join();
  const changed = placed.filter((row) => isMoved(row) || row.newTimeZone !== row.timeZone);
  if (changed.length === 0) return;
  const listings = await findLockedListings(
    tx,
    changed.map(({ id }) => id),
  );
  const rezoned = changed.flatMap(({ id, timeZone, newTimeZone }) => {
    const listing = listings.get(id);
    return listing && newTimeZone !== timeZone ? [planTimeZoneChange(listing, newTimeZone, now)] : [];
  });
  const changes = placementChanges(changed, listings, rezoned, now);
  await updatePlacements(tx, changed, new Date(now), await appendChanges(tx, changes, now, quiet));
  await writeTimeZoneChanges(tx, rezoned);
  const properties = new Set(rezoned.flatMap(({ id }) => listings.get(id)?.propertyId ?? []));
  const figures = properties.size > 0 ? await rebuildTimelines(tx, [...properties]) : [];
  await updateCountsAndFigures(tx, changed.filter(isMoved), figures);
  await notifyChanged(tx);
}

/** The changes for the log, in the order of the placements. */
function placementChanges(
  changed: readonly NewPlacement[],
  listings: ReadonlyMap<string, PreviousListing>,
  rezoned: readonly TimeZoneChange[],
  now: number,
): NewChange<ChangeState>[] {
  const zones = new Map(rezoned.map((change) => [change.id, change]));
  return changed.map(({ id, newAreaNos }) => {
    const stored = listings.get(id);
    if (stored === undefined) throw new Error(`The listing ${id} was locked, and is gone`);
    const { listedFrom, daysOnMarketStart, daysOnMarketEnd } = zones.get(id) ?? storedSnapshot(stored);
    return listingChange(stored, {
      ...stored,
      listedFrom,
      daysOnMarketStart,
      daysOnMarketEnd,
      record: zones.get(id)?.record ?? stored.record,
      areaNos: newAreaNos,
      updatedAt: new Date(now).toISOString(),
    });
  });
}

function planTimeZoneChange(before: PreviousListing, timeZone: string, now: number): TimeZoneChange {
  const { id, record, status } = before;
  const texts = dateTexts(record);
  const dates = resolveDates(texts, timeZone);
  const facts = { status, dates: resolveDates(texts, before.timeZone) };
  const clock = updateClock(before.clock, facts, { status, dates }, now);
  const stored = toStoredClock(clock, timeZone);
  const { days } = record.property;
  const updated: StoredRecord = days ? { ...record, ...publicTimes(texts, dates) } : record;
  return {
    id,
    timeZone,
    daysOnMarketStart: formatTime(stored.start),
    daysOnMarketEnd: formatTime(stored.end),
    timelineEnd: formatTime(clock.end),
    listedFrom: formatTime(listedFrom(dates)),
    priceChangedAt: priceChangedAt(updated),
    record: days ? updated : null,
  };
}
