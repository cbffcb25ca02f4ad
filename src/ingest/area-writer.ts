// Owns writing areas and, since listings lie in them, placing listings anew when areas have changed.

import { type AreaDraft, measure } from '../areas/area.ts';
import { bumpAreaVersion, readPlacedAreas, resolveParents, writeAreas } from '../areas/area-store.ts';
import { Placement } from '../areas/placement.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { tellChanged } from './change-notices.ts';
import { followPlaces, readForPlacing, writePlaces } from './place-store.ts';
import { moveToTimeZones } from './time-zones.ts';

export interface AreasWritten {
  readonly changed: number;
  readonly unchanged: number;
}

/** Writes one batch of areas in one transaction; parents may come in any later batch. */
export function writeAreaBatch(
  database: Database,
  source: string,
  drafts: readonly AreaDraft[],
): Promise<AreasWritten> {
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
): Promise<AreasWritten> {
  const writes = drafts.map((draft) => ({ draft, measured: measure(draft, source) }));
  const changed = await writeAreas(tx, source, writes, new Date(at).toISOString());
  const moved = await resolveParents(tx);
  if (changed.length > 0 || moved > 0) await bumpAreaVersion(tx);
  return { changed: changed.length, unchanged: drafts.length - changed.length };
}

const BATCH = 2_000;

/**
 * Places every listing anew, a batch a transaction, and writes those whose areas changed. Tells how many were looked
 * at and how many moved after each batch. What is written by others meanwhile is placed by the new areas already.
 */
export async function placeListingsAnew(
  database: Database,
  tell: (looked: number, moved: number) => void,
): Promise<void> {
  let [after, looked, moved] = ['', 0, 0];
  const placement = new Placement(await database.read((sql) => readPlacedAreas(sql), { timeout: 0 }));
  for (;;) {
    const batch = await database.transaction(
      async (tx) => {
        const rows = await readForPlacing(tx, after, BATCH);
        const places = rows.map((row) => ({ ...row, places: placement.place(row.location, row.address) }));
        const changed = places.filter((row) => row.places.join() !== row.areaNos.join());
        const zones = places.map((row) => ({ ...row, zone: placement.timeZone(row.places) }));
        const elsewhere = zones.filter(({ zone, timeZone }) => zone !== timeZone);
        const now = database.clock.now();
        if (changed.length > 0) await writePlaces(tx, changed, new Date(now));
        const retold = await moveToTimeZones(tx, new Map(elsewhere.map(({ id, zone }) => [id, zone])), now);
        await followPlaces(tx, changed, retold);
        if (changed.length > 0 || elsewhere.length > 0) await tellChanged(tx);
        return { last: rows.at(-1)?.id, looked: rows.length, moved: changed.length };
      },
      { timeout: 0 },
    );
    looked += batch.looked;
    moved += batch.moved;
    tell(looked, moved);
    if (batch.last === undefined) return;
    after = batch.last;
  }
}
