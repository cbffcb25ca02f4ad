// Writer thread of the large benchmark's load: writes its share of the homes.

import { parentPort, workerData } from 'node:worker_threads';
import { countChanges } from '../../src/areas/counts.ts';
import { Placement } from '../../src/areas/placement.ts';
import { findPlacedAreas } from '../../src/areas/write-store.ts';
import type { ListingWrite } from '../../src/ingest/write-plan.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { fill, patternOf } from './copies.ts';
import { copyInto } from './copy.ts';
import { COPIES, listingsOf } from './drafts.ts';
import { rowsOf, TABLES, type Table } from './rows.ts';
import { country } from './towns.ts';

/** The share of one writer. */
export interface WriterOrder {
  readonly url: string;
  readonly seed: number;
  readonly today: number;
  readonly first: number;
  readonly step: number;
  readonly listings: number;
}

/** What it tells after each batch; at the end also the names it met. */
export interface WriterReport {
  readonly written: number;
  readonly counts: readonly (readonly [key: string, active: number])[];
  readonly names: readonly string[];
  readonly done: boolean;
}

/** At most so many kinds of homes are written in turn, so that homes of one kind do not lie beside each other. */
const MOST_KINDS = 1_500;
const LISTINGS_OF_KIND = COPIES * 1.3;

type Lines = Record<Table, string[]>;

async function write({ url, seed, today, first, step, listings }: WriterOrder): Promise<void> {
  const { towns } = country(seed);
  const database = openDatabase({ url, maxConnections: 2, timeout: 0 });
  const placement = new Placement(await database.read((sql) => findPlacedAreas(sql)));
  const names = new Set<string>();
  const counts = new Map<string, number>();
  let columns: Columns | null = null;
  let sending: Promise<void> = Promise.resolve();
  let left = listings;
  // Of a small load, too, the first homes are all written.
  const kinds = Math.min(MOST_KINDS, Math.ceil((0.9 * listings) / LISTINGS_OF_KIND));
  for (let kind = first; left > 0; kind += kinds * step) {
    const patterns = Array.from({ length: kinds }, (_, at) => {
      const number = (kind + at * step) * COPIES;
      const seen = listingsOf(towns, seed, number, today);
      const made = rowsOf(seen, placement);
      for (const name of made.names) names.add(name);
      columns ??= columnsOf(made.rows);
      return [number, patternOf(number, seen, made)] as const;
    });
    for (let copy = 0; copy < COPIES && left > 0; copy++) {
      const lines = Object.fromEntries(TABLES.map((table) => [table, []])) as unknown as Lines;
      for (const [number, pattern] of patterns)
        if (left - lines.listing.length > 0)
          fill(pattern, number + copy, placement, lines, (write, areaNos) => count(counts, write, areaNos));
      left -= lines.listing.length;
      await sending;
      sending = send(database, columns, lines);
      tell({ written: lines.listing.length, counts: [], names: [], done: false });
    }
  }
  await sending;
  await database.close();
  tell({ written: 0, counts: [...counts], names: [...names], done: true });
}

type Columns = Readonly<Record<Table, readonly string[]>>;

/** A first home that has something in every table tells the columns; every home has a price and a history. */
function columnsOf(rows: Readonly<Record<Table, readonly object[]>>): Columns | null {
  if (TABLES.some((table) => rows[table].length === 0)) return null;
  return Object.fromEntries(
    TABLES.map((table) => [table, Object.keys(rows[table][0] ?? {})]),
  ) as unknown as Columns;
}

async function send(database: Database, columns: Columns | null, lines: Lines): Promise<void> {
  if (!columns) throw new Error('No home had rows in every table');
  await database.write(async (sql) => {
    for (const table of TABLES) await copyInto(sql, table, columns[table], lines[table]);
  });
}

function count(counts: Map<string, number>, write: ListingWrite, areaNos: readonly number[]): void {
  const { record, draft } = write;
  const shown = { status: record.status, licenceNo: 1, displayed: draft.display.listing };
  const after = { listingType: record.listingType, ...shown, areaNos };
  for (const { areaNo, listingType, change } of countChanges([{ before: null, after }])) {
    const key = `${areaNo} ${listingType}`;
    counts.set(key, (counts.get(key) ?? 0) + change);
  }
}

const tell = (report: WriterReport): void => parentPort?.postMessage(report);

await write(workerData as WriterOrder);
