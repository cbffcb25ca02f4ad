// Arm of the comparison with a release: writes listings by the sources of a folder, one measurement a request.

import { createServer } from 'node:http';
import { join } from 'node:path';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { random } from '../market.ts';
import { listingsOf } from '../million/drafts.ts';
import { type Loaded, readLoaded } from '../million/load.ts';
import { SOURCE } from '../million/rows.ts';
import { country } from '../million/towns.ts';
import { processorTime } from '../processor.ts';

/** What a measurement tells. */
export interface Written {
  readonly listings: number;
  readonly seconds: number;
  /** Milliseconds of processor: of this process, and of PostgreSQL's sessions. */
  readonly node: number;
  readonly postgres: number;
  /** Bytes of the write-ahead log. */
  readonly log: number;
}

/** Rows of a page of a source. */
const PAGE = 200;
const PAGES = 4;
const SINGLE = { writers: 8, listings: 400 } as const;
/** Homes that no load has. */
const NEW_HOMES = 50_000_000;

const { TREE = '', DATABASE_URL = '', PORT, CLUSTER = '' } = process.env;
const from = (path: string): Promise<unknown> => import(join(TREE, path));
const { openDatabase } = (await from(
  'src/postgres/client/database.ts',
)) as typeof import('../../src/postgres/client/database.ts');
const { migrate } = (await from(
  'src/postgres/migrations/migrate.ts',
)) as typeof import('../../src/postgres/migrations/migrate.ts');
const { createCatalogue } = (await from(
  'src/ingest/listing-writer.ts',
)) as typeof import('../../src/ingest/listing-writer.ts');

const { seed, today, homes } = (await readLoaded(CLUSTER)) as Loaded;
const database = openDatabase({ url: DATABASE_URL, timeout: 0 });
await migrate(database);
const catalogue = createCatalogue(database);
const { towns } = country(seed);
const draw = random(seed);
let next = NEW_HOMES;

async function write(drafts: readonly ListingDraft[]): Promise<number> {
  // As replication writes; a release that has no plans for writers looks past the option.
  const { created, changed } = await database.transaction(
    (tx) => catalogue.write(tx, SOURCE, drafts, Date.now()),
    { planned: 'once' },
  );
  return created + changed;
}

const offers = (home: number): ListingDraft[] =>
  listingsOf(towns, seed, home, today).map(({ draft }) => draft);

function newListing(): ListingDraft {
  for (;;) for (const draft of offers(next++)) return draft;
}

/** A listing of the market that is active, from anywhere in it. */
function activeListing(): ListingDraft {
  for (;;) {
    const known = offers(Math.floor(draw() * homes)).find(({ status }) => status === 'ACTIVE');
    if (known) return known;
  }
}

/** Of five listings three have another price, one another status, one is new. */
function changedListing(at: number): ListingDraft {
  if (at % 5 === 4) return newListing();
  const known = activeListing();
  if (at % 5 === 3) return { ...known, status: 'PENDING', pendingAt: new Date().toISOString() };
  const listPrice = Math.round((known.listPrice ?? 0) * (0.9 + 0.08 * draw()));
  return { ...known, listPrice, previousPrice: known.listPrice, priceChangedAt: new Date().toISOString() };
}

const page = (draft: (at: number) => ListingDraft): ListingDraft[] =>
  Array.from({ length: PAGE }, (_, at) => draft(at));

/** Writes pages one after another, or single listings side by side; resolves with how many listings were written. */
type Work = () => Promise<number>;

const KINDS: Readonly<Record<string, () => Work>> = {
  new: () => pagesOf(() => newListing()),
  changed: () => pagesOf(changedListing),
  single: () => {
    const drafts = Array.from({ length: SINGLE.listings }, (_, at) => changedListing(at));
    const lanes = Map.groupBy(drafts.keys(), (at) => at % SINGLE.writers);
    return async () => {
      const counts = await Promise.all(
        [...lanes.values()].map((lane) => singly(lane.flatMap((at) => drafts[at] ?? []))),
      );
      return sum(counts);
    };
  },
};

function pagesOf(draft: (at: number) => ListingDraft): Work {
  const pages = Array.from({ length: PAGES }, () => page(draft));
  return async () => {
    let written = 0;
    for (const one of pages) written += await write(one);
    return written;
  };
}

async function singly(drafts: readonly ListingDraft[]): Promise<number> {
  let written = 0;
  for (const draft of drafts) written += await write([draft]);
  return written;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

async function measure(kind: string): Promise<Written> {
  const work = KINDS[kind]?.();
  if (work === undefined) throw new Error(`There is no kind ${kind}`);
  globalThis.gc?.();
  const [node, before, begun] = [process.cpuUsage(), await spent(), performance.now()];
  const listings = await work();
  const seconds = (performance.now() - begun) / 1_000;
  const [{ user, system }, after] = [process.cpuUsage(node), await spent()];
  return {
    listings,
    seconds,
    node: (user + system) / 1_000,
    postgres: after.postgres - before.postgres,
    log: after.log - before.log,
  };
}

/** What PostgreSQL has spent so far on the sessions of this process, which stay open. */
async function spent(): Promise<Pick<Written, 'postgres' | 'log'>> {
  const rows = await database.read(
    (sql) => sql<{ pid: number; log: number }[]>`
      select pid, (pg_current_wal_insert_lsn() - '0/0')::double precision as log
      from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  );
  const times = await Promise.all(rows.map(({ pid }) => processorTime(pid)));
  return { log: rows[0]?.log ?? 0, postgres: sum(times) };
}

createServer(async (request, response) => {
  response.end(JSON.stringify(await measure(request.url?.slice(1) ?? '')));
}).listen(Number(PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', () => process.exit(0));
