// Remap of a source: what it sent is mapped again, page by page, without a request.

import type { Catalogue } from '../../ingest/listing-writer.ts';
import {
  findRawRecords,
  isEveryRecordKept,
  isStillSent,
  type StoredRawRecords,
} from '../../ingest/raw/raw-record-store.ts';
import type { Clock } from '../../lib/clock.ts';
import { eventLoop } from '../../lib/scheduler.ts';
import type { ListingDraft } from '../../listings/draft.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import { useLookups } from '../lookups/lookup-rounds.ts';
import type { Source } from '../source.ts';
import { readPosition, writePosition } from '../store.ts';
import { advanceRemap, beginRemap, findRemap, type Remap } from './remap-store.ts';

export interface RemapOptions {
  readonly source: Pick<Source, 'id' | 'reading' | 'requested' | 'map' | 'lookups'>;
  readonly catalogue: Pick<Catalogue, 'writeAgain'>;
  readonly database: Database;
  readonly clock: Clock;
  /** Called at the end of each transaction; throws WorkTaken where another process reads the source by now. */
  readonly hold: (tx: Transaction) => Promise<void>;
  /** Whether to stop after the page under way: the rest is mapped when it goes on. */
  readonly isStopped: () => boolean;
  /** Called after each page. */
  readonly onProgress?: (remap: Remap) => void;
  /** Listings to a transaction; default 500. */
  readonly page?: number;
}

const PAGE = 500;
/** Milliseconds. */
const TIMEOUT = 60_000;

/** A source sent one of the records meanwhile. */
class SentMeanwhile extends Error {
  override readonly name = 'SentMeanwhile';
}

/**
 * Goes on with the remap that was requested of a source, and returns how far it came; null: none is. Where the mapping has changed
 * since it began, it begins again. At its end the stored listings are those that a first load would bring now.
 */
export async function remap(options: RemapOptions): Promise<Remap | null> {
  const { source, database, onProgress, isStopped } = options;
  let state = await database.read((sql) => findRemap(sql, source.id));
  if (state === null || state.finishedAt !== null || source.map === undefined) return null;
  await database.read((sql) => useLookups(sql, source));
  if (state.reading !== readingOf(source)) state = await begin(options, state);
  while (state.finishedAt === null) {
    const known: Remap = state;
    state = await mapPage(options, known).catch((error: unknown) => {
      if (error instanceof SentMeanwhile) return known;
      throw error;
    });
    onProgress?.(state);
    if (isStopped()) break;
  }
  return state;
}

const readingOf = ({ reading = '' }: RemapOptions['source']): string => reading;

async function begin({ source, database, clock, hold }: RemapOptions, state: Remap): Promise<Remap> {
  const at = new Date(clock.now());
  const reading = readingOf(source);
  await database.transaction(async (tx) => {
    await beginRemap(tx, source.id, reading, at);
    await hold(tx);
  });
  return { ...state, afterKey: '', mapped: 0, changed: 0, reading, beganAt: at.toISOString() };
}

async function mapPage(options: RemapOptions, before: Remap): Promise<Remap> {
  const { source, catalogue, database, clock, hold, page: limit = PAGE } = options;
  const page = await database.read((sql) => findRawRecords(sql, source.id, before.afterKey, limit), {
    timeout: TIMEOUT,
  });
  const { drafts, gone } = await mapRecords(source, page);
  const isLast = page.length < limit;
  return database.transaction(
    async (tx) => {
      const staying = page.filter(({ key }) => !gone.has(key));
      const ending = page.filter(({ key }) => gone.has(key));
      if (!(await isStillSent(tx, source.id, ending))) throw new SentMeanwhile();
      const written = await catalogue.writeAgain(tx, source.id, drafts, clock.now(), [...gone]);
      // Whoever writes one of them has locked its listing, as this transaction has by now.
      if (!(await isStillSent(tx, source.id, staying))) throw new SentMeanwhile();
      const after = {
        ...before,
        afterKey: page.at(-1)?.key ?? before.afterKey,
        mapped: before.mapped + page.length,
        changed: before.changed + written.created + written.changed + written.removed,
        finishedAt: isLast ? new Date(clock.now()).toISOString() : null,
      };
      await advanceRemap(tx, source.id, after);
      if (isLast) await noteReading(tx, source);
      await hold(tx);
      return { ...after, total: Math.max(after.total, after.mapped) };
    },
    { timeout: TIMEOUT, planned: 'once' },
  );
}

async function mapRecords(
  { map }: RemapOptions['source'],
  page: readonly StoredRawRecords[],
): Promise<{ readonly drafts: readonly ListingDraft[]; readonly gone: ReadonlySet<string> }> {
  const drafts: ListingDraft[] = [];
  const gone = new Set<string>();
  await eventLoop.forEach(page, ({ key, records }) => {
    const mapped = map?.(records);
    if (mapped?.isGone) gone.add(key);
    else if (mapped?.draft) drafts.push(mapped.draft);
  });
  return { drafts, gone };
}

/** Notes that all stored listings are read as the source reads now, if they are. */
async function noteReading(tx: Transaction, source: RemapOptions['source']): Promise<void> {
  const stored = await readPosition(tx, source.id);
  const { loadedAt, requested } = stored;
  if (loadedAt === null || requested === null || requested !== source.requested) return;
  if (!(await isEveryRecordKept(tx, source.id))) return;
  await writePosition(tx, source.id, { ...stored, reading: source.reading ?? null, reread: null });
}
