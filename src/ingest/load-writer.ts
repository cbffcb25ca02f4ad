// Writer of what a first load creates: rows copied into the tables slice by slice, while the next slice is made.

import { writeNames } from '../areas/name-store.ts';
import { appendLoad, type BatchPosition } from '../changes/change-store.ts';
import { eventLoop } from '../lib/scheduler.ts';
import { recordText } from '../listings/lean-record.ts';
import type { CopyValue } from '../postgres/client/copy-lines.ts';
import { copyRows } from '../postgres/client/copy-rows.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { copyHistory } from '../timeline/copy-store.ts';
import { writtenSnapshot } from './listing-change.ts';
import { historyOf, ListingsCreatedMeanwhile } from './listing-store.ts';
import { type SearchName, searchNames } from './rows/search-names.ts';
import { searchRow, textRow } from './rows/search-row.ts';
import { addCurrencies, addSearchNames, type StoredSearchRow } from './rows/search-row-store.ts';
import { type ListingWrite, listingRow } from './write-plan.ts';

/** Listings whose rows are made before they are sent. */
const SLICE = 500;
/** SQLSTATE of PostgreSQL. */
const UNIQUE_VIOLATION = '23505';

/**
 * Writes listings that a first load creates, whose properties the transaction has locked, as one entry of the log. Nothing else may
 * use the connection meanwhile.
 */
export async function writeLoaded(
  tx: Transaction,
  writes: readonly ListingWrite[],
  observedAt: number,
): Promise<void> {
  if (writes.length === 0) return;
  const position = await appendLoad(tx, writes.length, observedAt);
  const all: SliceRows[] = [];
  let copying: Promise<void> = Promise.resolve();
  for (let first = 0; first < writes.length; first += SLICE) {
    const slice = await sliceRows(writes.slice(first, first + SLICE), observedAt, {
      batchId: position.batchId,
      ordinal: position.ordinal + first,
    });
    all.push(slice);
    copying = copying.then(() => copySlice(tx, slice));
    copying.catch(() => {}); // Thrown where it is awaited.
  }
  await copying;
  const rows = all.flatMap(({ search }) => search);
  await Promise.all([
    addCurrencies(tx, rows),
    addSearchNames(
      tx,
      all.flatMap(({ names }) => names),
    ),
    writeNames(
      tx,
      all.flatMap(({ words }) => words),
    ),
  ]);
}

/** A row by its columns. */
type CopiedRow = Readonly<Record<string, CopyValue>>;

interface SliceRows {
  readonly writes: readonly ListingWrite[];
  readonly listings: readonly CopiedRow[];
  readonly search: readonly (StoredSearchRow & CopiedRow)[];
  readonly texts: readonly CopiedRow[];
  readonly names: readonly SearchName[];
  readonly words: readonly string[];
}

async function sliceRows(
  writes: readonly ListingWrite[],
  observedAt: number,
  { batchId, ordinal }: BatchPosition,
): Promise<SliceRows> {
  const listings: CopiedRow[] = [];
  const search: (StoredSearchRow & CopiedRow)[] = [];
  const texts: CopiedRow[] = [];
  const names: SearchName[] = [];
  const words: string[] = [];
  await eventLoop.forEach(writes, (write) => {
    const snapshot = writtenSnapshot(write, observedAt);
    const row = searchRow(snapshot);
    const position = { change_batch_id: batchId, change_ordinal: ordinal + listings.length };
    const record = recordText(write.record);
    const stored = listingRow(write, observedAt);
    listings.push({ ...stored, ...position, record, digest: `\\x${stored.digest}` });
    search.push({ ...row, version: write.version });
    const text = textRow(snapshot);
    texts.push(text.row as CopiedRow);
    words.push(...text.names);
    names.push(...searchNames(snapshot, row));
  });
  return { writes, listings, search, texts, names, words };
}

/** One after another: a COPY has the connection to itself. */
async function copySlice(tx: Transaction, { writes, listings, search, texts }: SliceRows): Promise<void> {
  try {
    await copyRows(tx, 'listing', listings);
    await copyRows(tx, 'listing_search', search);
    await copyRows(tx, 'listing_text', texts);
    await copyHistory(tx, writes.map(historyOf));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION)
      throw new ListingsCreatedMeanwhile();
    throw error;
  }
}
