// Arm of the change log's benchmark: writes listings as fast as it can, with the log or without; one measurement a request.

import { createServer } from 'node:http';
import { createCatalogue } from '../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../src/listings/draft.ts';
import { openDatabase, type Transaction } from '../src/postgres/client/database.ts';
import { formatStatement, type SqlFragment } from '../src/postgres/client/sql.ts';
import { marketDrafts } from './market.ts';

const WITH_LOG = process.env.LOG === 'on';
const SEED = 1;
/** Rows of a page of a source. */
const PAGE = 200;
const PAGES = 2;
const MILLISECONDS = 800;

const database = openDatabase({ url: process.env.DATABASE_URL ?? '', maxConnections: 32, timeout: 0 });
const catalogue = createCatalogue(database);
let [round, next] = [1, Number(process.env.LISTINGS)];
const known = next;

/** The same transaction, in which the statement that appends to the log is not sent. */
function withoutLog(tx: Transaction): Transaction {
  const run = (strings: TemplateStringsArray, ...values: never[]) => {
    const statement = tx(strings, ...values);
    return isAppend(statement) ? Promise.resolve([{ batchId: null, ordinal: 0 }]) : statement;
  };
  return new Proxy(tx, {
    apply: (_, __, args: [TemplateStringsArray | string, ...never[]]) =>
      typeof args[0] === 'string' ? tx(args[0]) : run(args[0], ...(args.slice(1) as never[])),
  });
}

const isAppend = (statement: SqlFragment): boolean =>
  formatStatement(statement).text.includes('open_change_batch');

async function write(drafts: readonly ListingDraft[]): Promise<void> {
  await database.transaction((tx) =>
    catalogue.write(WITH_LOG ? tx : withoutLog(tx), 'bench', drafts, Date.now()),
  );
}

/** What a page of changes brings: of five listings three have another price, one another status, one is new. */
function pageOfChanges(first: number): ListingDraft[] {
  return Array.from({ length: PAGE }, (_, index) => {
    const isNew = index % 5 === 4;
    const [draft] = marketDrafts(SEED, isNew ? next++ : (first + index) % known, 1);
    if (draft === undefined) throw new Error('There is no draft');
    if (isNew) return draft;
    if (index % 5 === 3) return { ...draft, status: round % 2 === 0 ? 'ACTIVE' : 'PENDING', closedAt: null };
    return { ...draft, listPrice: (draft.listPrice ?? 0) + round };
  });
}

/** Rows a second of one writer of pages. */
async function replicate(): Promise<number> {
  round++;
  const pages = Array.from({ length: PAGES }, (_, page) => pageOfChanges(page * PAGE));
  const begun = performance.now();
  for (const page of pages) await write(page);
  return (PAGES * PAGE * 1_000) / (performance.now() - begun);
}

/** Rows a second of concurrent writers of single listings. */
async function writeSingly(writers: number): Promise<number> {
  const begun = performance.now();
  let written = 0;
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let turn = 0; performance.now() - begun < MILLISECONDS; turn++) {
        const number = (writer + turn * writers) % known;
        const [draft] = marketDrafts(SEED, number, 1);
        if (draft) await write([{ ...draft, listPrice: (draft.listPrice ?? 0) + ++round }]);
        written++;
      }
    }),
  );
  return (written * 1_000) / (performance.now() - begun);
}

createServer(async (request, response) => {
  const writers = Number(new URL(request.url ?? '', 'http://arm').searchParams.get('writers'));
  const rate = writers === 0 ? await replicate() : await writeSingly(writers);
  response.end(String(rate));
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', () => process.exit(0));
