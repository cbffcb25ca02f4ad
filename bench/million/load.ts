// Load of the large benchmark: a cluster in its own folder, filled once and then reused.

import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { writeNames } from '../../src/areas/name-store.ts';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { addAreaCounts } from '../../src/ingest/listing-store.ts';
import { advanceSource } from '../../src/listings/provenance/confirmation-store.ts';
import type { ListingType } from '../../src/listings/vocabulary.ts';
import { socketUrl } from '../../src/postgres/client/connection-url.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../src/postgres/migrations/migrate.ts';
import { checkLoad } from './check.ts';
import { buildIndexes, dropIndexes } from './indexes.ts';
import { SOURCE, TABLES } from './rows.ts';
import { country } from './towns.ts';
import type { WriterOrder, WriterReport } from './writer.ts';

export const SEED = 20_261;
const WRITERS = 2;
const DAY = 86_400_000;

/** What a filled folder was filled with. */
export interface Loaded {
  readonly listings: number;
  readonly seed: number;
  /** The midnight, in milliseconds, that all ages count from. */
  readonly today: number;
  /** Properties by number, of which nearly all were written. */
  readonly homes: number;
  /** Days of churn since. */
  readonly days: number;
}

const markOf = (folder: string): string => join(folder, 'loaded.json');

/** What the folder holds; null where it was never filled to the end. */
export async function readLoaded(folder: string): Promise<Loaded | null> {
  if (!existsSync(markOf(folder))) return null;
  return JSON.parse(await readFile(markOf(folder), 'utf8')) as Loaded;
}

/** Notes that a day went by. */
export const markDay = (folder: string, loaded: Loaded): Promise<void> =>
  writeFile(markOf(folder), JSON.stringify(loaded));

/** Fills a new folder with so many listings, telling how it goes. Throws where the folder was filled otherwise. */
export async function loadFolder(folder: string, listings: number): Promise<Loaded> {
  const known = await readLoaded(folder);
  if (known && known.listings === listings && known.seed === SEED) return known;
  if (known) throw new Error(`${folder} holds ${known.listings} listings; name another folder or remove it`);
  await mkdir(folder, { recursive: true });
  const loaded = {
    listings,
    seed: SEED,
    today: Math.floor(Date.now() / DAY) * DAY,
    homes: Math.floor(listings / 1.3),
    days: 0,
  };
  // Nothing would be lost with an unfinished load, so it need not wait for the disk.
  const server = await startEmbedded({ dataDirectory: folder, log: say, durable: false });
  const url = socketUrl(server.connection);
  const database = openDatabase({ url, timeout: 0 });
  const administration = openDatabase({ socket: server.administration, timeout: 0, maxConnections: 1 });
  try {
    await migrate(database);
    await fill(database, url, loaded);
    await checkLoad(database, loaded);
    await administration.write((sql) => sql`checkpoint`);
  } finally {
    await administration.close();
    await database.close();
    await server.stop();
  }
  await writeFile(markOf(folder), JSON.stringify(loaded));
  return loaded;
}

async function fill(database: Database, url: string, loaded: Loaded): Promise<void> {
  const { areas } = country(loaded.seed);
  await writeAreaBatch(database, 'bench', areas);
  say(`${areas.length} areas`);
  const indexes = await dropIndexes(database, TABLES);
  const begun = performance.now();
  const progress = progressOf(loaded.listings);
  const orders = Array.from({ length: WRITERS }, (_, first) => ({
    url,
    seed: loaded.seed,
    today: loaded.today,
    first,
    step: WRITERS,
    listings: Math.floor((loaded.listings + first) / WRITERS),
  }));
  const reports = await Promise.all(orders.map((order) => startWriter(order, progress)));
  say(`rows written after ${seconds(begun)} s`);
  await database.write(
    (sql) => sql`insert into listing_currency select distinct listing_type, currency from listing_search`,
  );
  await database.transaction((tx) => advanceSource(tx, SOURCE, loaded.today));
  await buildIndexes(database, indexes, say);
  say(`indexes built after ${seconds(begun)} s`);
  for (const { names, counts } of reports) {
    await database.transaction(async (tx) => {
      await writeNames(tx, names);
      const changes = counts.map(([key, change]) => {
        const [areaNo, listingType] = key.split(' ');
        return { areaNo: Number(areaNo), listingType: listingType as ListingType, licenceNo: 1, change };
      });
      await addAreaCounts(tx, changes);
    });
  }
  await database.write((sql) => sql`vacuum (analyze, freeze)`);
  say(`vacuumed and analysed after ${seconds(begun)} s`);
}

function startWriter(order: WriterOrder, progress: (written: number) => void): Promise<WriterReport> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./writer.ts', import.meta.url), { workerData: order });
    worker.once('error', reject);
    worker.on('message', (report: WriterReport) => {
      progress(report.written);
      if (report.done) resolve(report);
    });
  });
}

const PART = 50_000;

function progressOf(whole: number): (written: number) => void {
  const begun = performance.now();
  let [done, reported] = [0, 0];
  return (written) => {
    done += written;
    if (done - reported < PART) return;
    reported = done;
    const rate = done / ((performance.now() - begun) / 1000);
    say(`${done} listings, ${rate.toFixed(0)} a second, about ${((whole - done) / rate).toFixed(0)} s left`);
  };
}

const seconds = (begun: number): string => ((performance.now() - begun) / 1000).toFixed(0);

function say(line: string): void {
  process.stdout.write(`  ${line}\n`);
}

// Run by itself it fills a folder: node bench/million/load.ts FOLDER [LISTINGS]
if (import.meta.main) {
  const [folder, listings = '1000000'] = process.argv.slice(2);
  if (folder === undefined) throw new Error('Name the folder to fill');
  await loadFolder(folder, Number(listings));
}
