// Import targets: how listings and areas are mapped, written in batches, and finished.

import { type AreaDraft, areaId } from '../areas/area.ts';
import { PLACE_WAYS, type PlaceCounts } from '../ingest/approximate-places.ts';
import { updateAllPlacements, writeAreaDrafts } from '../ingest/area-writer.ts';
import { analyzeListings } from '../ingest/listing-store.ts';
import { createCatalogue } from '../ingest/listing-writer.ts';
import { KeyList } from '../ingest/removal/key-list.ts';
import { relocateAll } from '../ingest/reviews/relocation.ts';
import { eventLoop } from '../lib/scheduler.ts';
import type { ListingDraft } from '../listings/draft.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { type Counts, countAreas, countListings } from './checkpoint-store.ts';
import { areaOf, geometryFault, listingOf } from './drafts.ts';
import type { SourceRecord } from './formats/record.ts';
import type { ImportMap } from './mapping/map.ts';
import { compileMap, type FieldValues, sentenceOf } from './mapping/row.ts';
import type { Fault } from './mapping/rule.ts';
import { type PlaceDoubt, placeDoubt } from './places.ts';
import type { Survey } from './survey.ts';

/** A row that can be written. `key`: the name under which it may stand in the file once. */
interface Mapped<Draft> {
  readonly key: string;
  readonly draft: Draft;
  readonly values: FieldValues;
  /** Why its place is doubtful, if it is. */
  readonly doubt: PlaceDoubt | null;
  /** Fields in which something unreadable was passed over, as the map allows. */
  readonly passed: readonly string[];
}

export type Mapper<Draft> = (record: SourceRecord) => Mapped<Draft> | readonly Fault[];

export interface Target<Draft> {
  /** Rows to a transaction. */
  readonly batchSize: number;
  readonly map: Mapper<Draft>;
  /** `quiet`: nobody is notified of the changes, since this is the first import of the source. */
  write(
    tx: Transaction,
    drafts: readonly Draft[],
    quiet: boolean,
  ): Promise<Pick<Counts, 'created' | 'changed' | 'unchanged'>>;
  /** How the drafts that were written came to their places; null for areas. */
  places(): PlaceCounts | null;
  /** Called after the last batch, when it changed anything or an earlier run may have. */
  finish(onProgress: (placed: number, toPlace: number) => void, quiet: boolean): Promise<void>;
}

export function listingMapper(map: ImportMap, { numbers, center }: Survey): Mapper<ListingDraft> {
  const read = compileMap(map, numbers);
  return (record) => {
    const { faults, values, passed } = read(record);
    if (faults.length > 0) return faults;
    const stated = listingOf(values, map);
    const doubt = stated.location === null ? null : placeDoubt(stated.location, center);
    const draft = doubt === null ? stated : { ...stated, location: doubtfulLocation(stated.location, doubt) };
    return { key: draft.listingKey, draft, values, doubt, passed };
  };
}

function doubtfulLocation(location: ListingDraft['location'], doubt: PlaceDoubt): ListingDraft['location'] {
  return location === null || doubt === 'zero' ? null : { ...location, precision: 'approximate' };
}

export function areaMapper(map: ImportMap): Mapper<AreaDraft> {
  const read = compileMap(map);
  return (record) => {
    const { faults, values, passed } = read(record);
    const fault = geometryFault(record);
    if (fault !== null) return [...faults, fault];
    if (faults.length > 0) return faults;
    const draft = areaOf(values, record);
    return { key: areaId(draft.type, draft.externalId), draft, values, doubt: null, passed };
  };
}

export function listingTarget(map: ImportMap, database: Database, survey: Survey): Target<ListingDraft> {
  const catalogue = createCatalogue(database);
  const places = { provided: 0, area: 0, gazetteer: 0, geocoder: 0, none: 0 };
  return {
    batchSize: 1_000,
    map: listingMapper(map, survey),
    async write(tx, drafts, quiet) {
      const now = database.clock.now();
      const written = await catalogue.write(tx, map.source.id, drafts, now, [], quiet);
      for (const way of PLACE_WAYS) places[way] += written.places[way];
      return written;
    },
    places: () => places,
    finish: () => database.write(analyzeListings, { timeout: 0 }),
  };
}

export function areaTarget(map: ImportMap, database: Database): Target<AreaDraft> {
  return {
    batchSize: 500,
    map: areaMapper(map),
    places: () => null,
    async write(tx, drafts) {
      const ids = drafts.map((draft) => areaId(draft.type, draft.externalId));
      const created = drafts.length - (await countAreas(tx, ids));
      const { changed, unchanged } = await writeAreaDrafts(tx, map.source.id, drafts, database.clock.now());
      return { created, changed: changed - created, unchanged };
    },
    async finish(report, quiet) {
      const toPlace = await database.read(countListings, { timeout: 0 });
      const onProgress = (checked: number) => report(checked, toPlace);
      await updateAllPlacements(database, { onProgress, quiet });
      await relocateAll(database);
      await database.write(analyzeListings, { timeout: 0 });
    },
  };
}

/** A record with its draft, or with the reason why it is rejected. */
export type MappedRecord<Draft> = { readonly record: SourceRecord } & (
  | (Omit<Mapped<Draft>, 'key'> & { readonly reason: null })
  | { readonly reason: string; readonly faults: readonly Fault[] }
);

/** Maps the records of a file, and rejects those whose key an earlier row has. */
export async function* mapRecords<Draft>(
  records: AsyncIterable<SourceRecord>,
  map: Mapper<Draft>,
): AsyncGenerator<MappedRecord<Draft>> {
  const seen = new KeyList();
  // What is being written goes on in between: an import reads a batch while the one before is written.
  const task = eventLoop.task();
  for await (const record of records) {
    if (task.shouldYield()) await task.yield();
    const mapped = map(record);
    if (!('key' in mapped)) yield { record, reason: sentenceOf(mapped), faults: mapped };
    else if (seen.add(mapped.key)) {
      const { draft, values, doubt, passed } = mapped;
      yield { record, draft, values, doubt, passed, reason: null };
    } else {
      const reason = repeatedKey(mapped.key);
      yield { record, reason, faults: [{ column: '', value: '', reason }] };
    }
  }
}

/** A repeated key would make each import overwrite one row with the other. */
const repeatedKey = (key: string): string =>
  `${key} is in an earlier row too: build the key from more columns, such as id and date`;
