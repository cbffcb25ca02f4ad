// Writer of pages: a page's listings and the position after it in one transaction.

import { isDeepStrictEqual } from 'node:util';
import type { Catalogue } from '../ingest/listing-writer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import type { SourceMetrics } from './metrics.ts';
import { completeRestored } from './reconcile/restored.ts';
import { feedFault, type LiveError, type Source, type SourcePage } from './source.ts';
import { countListings, type StoredPosition, writePosition } from './store.ts';

export interface PageWriterOptions {
  readonly source: Pick<Source, 'id' | 'reading' | 'requested' | 'records' | 'forget'>;
  readonly catalogue: Pick<Catalogue, 'write'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Pick<SourceMetrics, 'records'>;
  /** Called at the end of each transaction; throws WorkTaken where another process reads the source by now. */
  readonly hold: (tx: Transaction) => Promise<void>;
}

/** Milliseconds; a page has up to a thousand listings with all their children. */
const TRANSACTION_DEADLINE = 60_000;

/**
 * Writes a page and returns the position after it. A page without records that leaves the position as it is writes nothing.
 * Throws the LiveError of a first load that ends with fewer records than the source counts: it begins again with the next round.
 */
export async function writePage(
  options: PageWriterOptions,
  page: SourcePage,
  before: StoredPosition,
): Promise<StoredPosition> {
  const { source, clock } = options;
  const after = positionAfter(source, page, before, new Date(clock.now()).toISOString());
  const moves = !isDeepStrictEqual({ ...after, total: before.total, updatedAt: before.updatedAt }, before);
  if (!moves && page.drafts.length === 0 && page.gone.length === 0) return before;
  const isFirstLoad = before.loadedAt === null;
  const isEnd = isFirstLoad && after.loadedAt !== null;
  const missing = await writeTogether(options, page, isFirstLoad, async (tx) => {
    const stored = isEnd && after.total !== null ? await countListings(tx, source.id) : null;
    const lacks = stored === null ? 0 : Math.max(0, (after.total ?? 0) - stored - after.skipped);
    const next = lacks === 0 ? after : { ...after, ...UNREAD };
    if (moves) await replacePosition(tx, source.id, next);
    return lacks;
  });
  if (missing > 0) throw incomplete(after.total, missing);
  return moves ? { ...after, version: before.version + 1 } : before;
}

/** Where a load begins again. */
const UNREAD = { position: null, loaded: 0, skipped: 0, total: null, loadedAt: null } as const;

/**
 * Writes a page of the records that are read again, with the position after it, and returns that. Throws the LiveError of a
 * source that sends fewer records than it counts: they are read again from the beginning.
 */
export async function writeReread(
  options: PageWriterOptions,
  page: SourcePage,
  before: StoredPosition,
): Promise<StoredPosition> {
  const { source } = options;
  const known = page.restarted ? null : before.reread;
  const reread = {
    position: page.next,
    records: (known?.records ?? 0) + page.drafts.length,
    skipped: (known?.skipped ?? 0) + (page.skipped ?? 0),
    total: totalAfter(page, known?.total ?? null),
  };
  const missing = page.last ? Math.max(0, (reread.total ?? 0) - reread.records - reread.skipped) : 0;
  const isComplete = page.last && missing === 0;
  const after = {
    ...before,
    reread: page.last ? null : reread,
    reading: isComplete ? (source.reading ?? null) : before.reading,
    requested: isComplete ? (source.requested ?? null) : before.requested,
  };
  await writeTogether(options, page, false, (tx) => replacePosition(tx, source.id, after));
  if (missing > 0) throw incomplete(reread.total, missing);
  return { ...after, version: before.version + 1 };
}

const incomplete = (total: number | null, missing: number): LiveError =>
  feedFault('incomplete_load', `The source counts ${total} records, and ${missing} of them did not come.`);

/** Writes the listings of a page and what belongs to them in one transaction. */
async function writeTogether<T>(
  options: PageWriterOptions,
  page: SourcePage,
  quiet: boolean,
  also: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const { source, catalogue, database, clock, metrics, hold } = options;
  const drafts = await completeRestored(options, page.drafts);
  const { written, result } = await database.transaction(
    async (tx) => {
      const written = await catalogue.write(tx, source.id, drafts, clock.now(), page.gone, quiet);
      const result = await also(tx);
      await hold(tx);
      return { written, result };
    },
    { timeout: TRANSACTION_DEADLINE, planned: 'once' },
  );
  for (const kind of ['created', 'changed', 'unchanged', 'removed'] as const)
    metrics.records(kind, written[kind]);
  return result;
}

async function replacePosition(tx: Transaction, source: string, position: StoredPosition): Promise<void> {
  if (!(await writePosition(tx, source, position)))
    throw new Error('Another process has read this source meanwhile');
}

/** The first load is complete with the first page that is a last one. */
function positionAfter(
  source: PageWriterOptions['source'],
  page: SourcePage,
  before: StoredPosition,
  now: string,
): StoredPosition {
  const moved = { ...before, position: page.next, updatedAt: now };
  if (before.loadedAt !== null) return moved;
  const begins = page.restarted || before.position === null;
  const known = begins ? { ...before, loaded: 0, skipped: 0, total: null } : before;
  return {
    ...moved,
    reading: begins ? (source.reading ?? null) : before.reading,
    requested: begins ? (source.requested ?? null) : before.requested,
    loaded: known.loaded + page.drafts.length,
    skipped: known.skipped + (page.skipped ?? 0),
    total: totalAfter(page, known.total),
    loadedAt: page.last ? now : null,
  };
}

/** At the end the smaller number counts: what came meanwhile is read as a change, and what left is not missing. */
function totalAfter({ total, last }: SourcePage, before: number | null): number | null {
  if (total === undefined || before === null) return total ?? before;
  return last ? Math.min(total, before) : total;
}
