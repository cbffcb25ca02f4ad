// Import targets: what listings and areas do differently with a row and a batch.

import { type AreaDraft, areaId } from '../areas/area.ts';
import { updateAllPlacements, writeAreaDrafts } from '../ingest/area-writer.ts';
import { analyzeListings } from '../ingest/listing-store.ts';
import { createCatalogue } from '../ingest/listing-writer.ts';
import type { ListingDraft } from '../listings/draft.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { countAreas, countListings } from './checkpoint-store.ts';
import { areaOf, geometryFault, listingOf } from './drafts.ts';
import type { SourceRecord } from './formats/record.ts';
import type { ImportMap } from './mapping/map.ts';
import { compileMap, type ReadRow } from './mapping/row.ts';
import type { Fault } from './mapping/rule.ts';

/** A row that can be written. `key`: the name under which it may stand in the file once. */
export interface Mapped<Draft> {
  readonly key: string;
  readonly draft: Draft;
  readonly passed: readonly string[];
}

export interface Written {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
}

export interface Target<Draft> {
  /** Rows to a transaction. */
  readonly batch: number;
  map(record: SourceRecord): Mapped<Draft> | readonly Fault[];
  write(tx: Transaction, drafts: readonly Draft[]): Promise<Written>;
  /** After the last batch, when it changed anything or an earlier run may have. */
  finish(tell: (placed: number, toPlace: number) => void): Promise<void>;
}

/** Reads rows alone, for a dry run; `database` undefined. */
export function listingTarget(map: ImportMap, database: Database | undefined): Target<ListingDraft> {
  const read = compileMap(map);
  const catalogue = database && createCatalogue(database);
  return {
    batch: 1_000,
    map: (record) => {
      const row = read(record);
      if (row.faults.length > 0) return row.faults;
      const draft = listingOf(row.values, map.source.name);
      return { key: draft.listingKey, draft, passed: row.passed };
    },
    async write(tx, drafts) {
      if (!catalogue || !database) throw new Error('A dry run writes nothing');
      return catalogue.write(tx, map.source.id, drafts, database.clock.now());
    },
    async finish() {
      await database?.write(analyzeListings, { timeout: 0 });
    },
  };
}

export function areaTarget(map: ImportMap, database: Database | undefined): Target<AreaDraft> {
  const read = compileMap(map);
  const readArea = (record: SourceRecord): ReadRow => {
    const row = read(record);
    const fault = geometryFault(record);
    return fault === null ? row : { ...row, faults: [...row.faults, fault] };
  };
  return {
    batch: 500,
    map: (record) => {
      const { faults, values, passed } = readArea(record);
      if (faults.length > 0) return faults;
      const draft = areaOf(values, record);
      return { key: areaId(draft.type, draft.externalId), draft, passed };
    },
    async write(tx, drafts) {
      if (!database) throw new Error('A dry run writes nothing');
      const known = await countAreas(
        tx,
        drafts.map((draft) => areaId(draft.type, draft.externalId)),
      );
      const { changed, unchanged } = await writeAreaDrafts(tx, map.source.id, drafts, database.clock.now());
      const created = drafts.length - known;
      return { created, changed: changed - created, unchanged };
    },
    async finish(tell) {
      if (!database) return;
      const toPlace = await database.read(countListings, { timeout: 0 });
      await updateAllPlacements(database, (looked) => tell(looked, toPlace));
      await database.write(analyzeListings, { timeout: 0 });
    },
  };
}
