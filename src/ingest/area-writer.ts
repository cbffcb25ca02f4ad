// Writer of areas, and of the areas of every listing when areas have changed.

import { type AreaDraft, measure } from '../areas/area.ts';
import { Placement } from '../areas/placement.ts';
import { bumpAreaVersion, findPlacedAreas, resolveParents, writeAreas } from '../areas/write-store.ts';
import { formatTime } from '../lib/clock.ts';
import { toStoredClock, updateClock } from '../listings/days-on-market.ts';
import { listedFrom, resolveDates } from '../listings/reported-dates.ts';
import { dateTexts, publicTimes, type StoredRecord } from '../listings/stored-record.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import type { FigureChange } from '../timeline/figure-changes.ts';
import { rebuildTimelines } from '../timeline/update-timelines.ts';
import { findLockedListings, type LockedListing, notifyChanged } from './listing-store.ts';
import {
  lockPlacements,
  type TimeZoneChange,
  updateCountsAndFigures,
  updatePlacements,
  writeTimeZoneChanges,
} from './placement-store.ts';

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

/**
 * Recomputes the areas of every listing, one batch per transaction, and writes those that changed. Calls `onProgress` after
 * each batch. Listings that are written meanwhile get the new areas already.
 */
export async function updateAllPlacements(
  database: Database,
  onProgress: (checked: number) => void,
): Promise<void> {
  let [after, checked] = ['', 0];
  const placement = new Placement(await database.read((sql) => findPlacedAreas(sql), { timeout: 0 }));
  for (;;) {
    const batch = await database.transaction(
      async (tx) => {
        const rows = await lockPlacements(tx, after, BATCH);
        const placed = rows.map((row) => {
          const newAreaNos = placement.place(row.location, row.address);
          return { ...row, newAreaNos, newTimeZone: placement.timeZone(newAreaNos) };
        });
        const moved = placed.filter((row) => row.newAreaNos.join() !== row.areaNos.join());
        const rezoned = placed.filter((row) => row.newTimeZone !== row.timeZone);
        const now = database.clock.now();
        if (moved.length > 0) await updatePlacements(tx, moved, new Date(now));
        const zones = new Map(rezoned.map(({ id, newTimeZone }) => [id, newTimeZone]));
        await updateCountsAndFigures(tx, moved, await updateTimeZones(tx, zones, now));
        if (moved.length > 0 || rezoned.length > 0) await notifyChanged(tx);
        return { last: rows.at(-1)?.id, size: rows.length };
      },
      { timeout: 0 },
    );
    checked += batch.size;
    onProgress(checked);
    if (batch.last === undefined) return;
    after = batch.last;
  }
}

/**
 * Changes the time zones of listings, by their ids, and rebuilds what follows from them. The listings are locked already.
 * Returns the figures that change.
 */
async function updateTimeZones(
  tx: Transaction,
  zones: ReadonlyMap<string, string>,
  now: number,
): Promise<FigureChange[]> {
  if (zones.size === 0) return [];
  const listings = await findLockedListings(tx, [...zones.keys()]);
  const moved = [...listings].map(([id, listing]) =>
    planTimeZoneChange(id, listing, zones.get(id) ?? 'UTC', now),
  );
  await writeTimeZoneChanges(tx, moved, new Date(now));
  return rebuildTimelines(tx, [...new Set([...listings.values()].map(({ propertyId }) => propertyId))]);
}

function planTimeZoneChange(
  id: string,
  before: LockedListing,
  timeZone: string,
  now: number,
): TimeZoneChange {
  const { record, status } = before;
  const texts = dateTexts(record);
  const dates = resolveDates(texts, timeZone);
  const facts = { status, dates: resolveDates(texts, before.timeZone) };
  const clock = updateClock(before.clock, facts, { status, dates }, now);
  const stored = toStoredClock(clock, timeZone);
  const { days } = record.property;
  const updated: StoredRecord = days ? { ...record, ...publicTimes(texts, dates) } : record;
  return {
    ...{ id, timeZone, daysOnMarketStart: formatTime(stored.start), daysOnMarketEnd: formatTime(stored.end) },
    ...{ timelineEnd: formatTime(clock.end), listedAt: formatTime(listedFrom(dates)) },
    priceChangedAt: updated.priceChangedAt ?? updated.priceChange?.at ?? null,
    record: days ? updated : null,
  };
}
