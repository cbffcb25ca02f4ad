// Arm of the comparison with a release: writes pages of listings by the sources of a folder, one measurement a request.

import { createServer } from 'node:http';
import { join } from 'node:path';
import type { ListingDraft } from '../../src/listings/draft.ts';

const { TREE = '', DATABASE_URL = '', PORT, LISTINGS } = process.env;
const SEED = 1;
/** Rows of a page of a source. */
const PAGE = 200;
const PAGES = 2;

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
const { marketDrafts } = (await from('bench/market.ts')) as typeof import('../market.ts');

const database = openDatabase({ url: DATABASE_URL, timeout: 0 });
await migrate(database);
const catalogue = createCatalogue(database);
let [round, next] = [0, 0];

const write = (drafts: readonly ListingDraft[]): Promise<unknown> =>
  database.transaction((tx) => catalogue.write(tx, 'bench', drafts, Date.now()));

function newListings(): ListingDraft[] {
  const drafts = marketDrafts(SEED, next, PAGE);
  next += PAGE;
  return drafts;
}

/** What a page of changes brings: of five listings three have another price, one another status, one is new. */
function changes(page: number): ListingDraft[] {
  const known = Number(LISTINGS);
  return Array.from({ length: PAGE }, (_, at) => {
    const isNew = at % 5 === 4;
    const [draft] = marketDrafts(SEED, isNew ? next++ : (round * PAGES * PAGE + page * PAGE + at) % known, 1);
    if (draft === undefined) throw new Error('There is no draft');
    if (isNew) return draft;
    if (at % 5 === 3)
      return { ...draft, status: draft.status === 'ACTIVE' ? 'PENDING' : 'ACTIVE', closedAt: null };
    return { ...draft, listPrice: (draft.listPrice ?? 0) + 1 + round };
  });
}

/** Rows a second. */
async function measure(kind: string): Promise<number> {
  round++;
  const pages = Array.from({ length: PAGES }, (_, page) => (kind === 'new' ? newListings() : changes(page)));
  const begun = performance.now();
  for (const page of pages) await write(page);
  return (PAGES * PAGE * 1_000) / (performance.now() - begun);
}

while (next < Number(LISTINGS)) await write(newListings());
await database.write((sql) => sql`analyze`);
createServer(async (request, response) => {
  response.end(String(await measure(request.url?.slice(1) ?? '')));
}).listen(Number(PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', () => process.exit(0));
