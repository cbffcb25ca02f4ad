// Comparison of a source with a list of all its keys: what it no longer has is deleted, and what is missing or older here is fetched.

import type { Catalogue } from '../../ingest/listing-writer.ts';
import { endMissing } from '../../ingest/removal/end-missing.ts';
import { KeyList } from '../../ingest/removal/key-list.ts';
import { type Clock, MINUTE } from '../../lib/clock.ts';
import { eventLoop } from '../../lib/scheduler.ts';
import type { ListingDraft } from '../../listings/draft.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import type { SourceMetrics } from '../metrics.ts';
import { type KeyLists, type ListedRecord, LiveError, type Source } from '../source.ts';
import { type Comparison, findHouseListings, findOutdated, findStoredKeys } from './reconcile-store.ts';
import { completeRestored } from './restored.ts';
import { listingsOfVanished } from './vanished.ts';

export interface ReconcileParts {
  readonly source: Pick<Source, 'id' | 'records' | 'forget'> & { readonly keys: KeyLists };
  readonly catalogue: Pick<Catalogue, 'write'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: SourceMetrics;
  /** Listings that are fetched after one list at most; default 5,000. */
  readonly maxFetched?: number;
  /** Called at the end of each transaction; throws where another process reads the source by now. */
  readonly hold: (tx: Transaction) => Promise<void>;
}

export interface ReconcileOptions extends ReconcileParts {
  /** Whether somebody has looked: the guard refuses nothing. */
  readonly accept: boolean;
  /** The key after which listings are fetched first; null: at the beginning of the list. */
  readonly fetchAfter: string | null;
  readonly signal: AbortSignal;
}

/** How far a comparison is. */
export interface Step {
  readonly outcome: Comparison;
  /** The key after which the next comparison goes on to fetch; null: at the beginning. */
  readonly fetchAfter: string | null;
}

/** Keys that are looked up at once. */
const LOOKED_UP = 10_000;
/** Listings that are fetched after one list, and those of them that are fetched in one step. */
const MAX_FETCHED = 5_000;
const FETCHED_AT_ONCE = 50;

/**
 * Compares what is stored with all keys of its source, in steps between which others may work. The last step has the result. Stopped
 * early, what it did not get to is found by the next one. Throws LiveError.
 */
export async function* reconcile(options: ReconcileOptions): AsyncGenerator<Step> {
  const { source, clock, signal, fetchAfter } = options;
  const startedAt = clock.now();
  const keys = new KeyList();
  const wanted = new Wanted(fetchAfter, options.maxFetched ?? MAX_FETCHED);
  let outcome: Comparison = { ...NOTHING_COMPARED, startedAt: new Date(startedAt).toISOString() };
  let next = fetchAfter;
  const step = (change: Partial<Comparison>): Step => {
    outcome = { ...outcome, ...change };
    return { outcome, fetchAfter: next };
  };
  yield step({});
  const before = await source.keys.count(signal);
  for await (const records of source.keys.read(signal)) {
    await eventLoop.forEach(records, ({ key }) => keys.add(key));
    for (let from = 0; from < records.length; from += LOOKED_UP)
      await note(options, records.slice(from, from + LOOKED_UP), wanted);
    yield step({ listed: keys.size });
  }
  const after = before === null ? null : await source.keys.count(signal);
  // Records that came or left while the list was read are no sign that it is cut short.
  const counted = before === null || after === null ? before : Math.min(before, after);
  const toFetch = source.records === undefined ? [] : wanted.list();
  yield step({ state: 'fetching', counted, left: source.records === undefined ? 0 : wanted.size });
  for (let from = 0; from < toFetch.length; from += FETCHED_AT_ONCE) {
    const batch = toFetch.slice(from, from + FETCHED_AT_ONCE);
    await fetchBatch(options, batch);
    const fetched = from + batch.length;
    const left = wanted.size - fetched;
    next = left > 0 ? (batch.at(-1) ?? null) : null;
    yield step({ fetched, left });
  }
  const changed = await findVanished(options, new Set(toFetch));
  for (let from = 0; from < changed.length; from += FETCHED_AT_ONCE) {
    const batch = changed.slice(from, from + FETCHED_AT_ONCE);
    await fetchBatch(options, batch);
    yield step({ fetched: toFetch.length + from + batch.length });
  }
  yield step({ state: 'ending' });
  yield step(await endLeft(options, { keys, counted, startedAt }));
}

/** Where a comparison begins. */
export const NOTHING_COMPARED: Omit<Comparison, 'startedAt'> = {
  state: 'listing',
  endedAt: null,
  listed: 0,
  counted: null,
  stored: 0,
  missing: 0,
  kept: 0,
  ended: 0,
  fetched: 0,
  left: 0,
  examples: [],
  refused: null,
  failure: null,
  detail: null,
};

/** Keys of listings to fetch: those behind the last one of the comparison before come first, so that each has its turn. */
class Wanted {
  readonly #fetchAfter: string | null;
  readonly #max: number;
  readonly #before: string[] = [];
  readonly #behind: string[] = [];
  #isBehind: boolean;
  size = 0;

  constructor(fetchAfter: string | null, max: number) {
    this.#fetchAfter = fetchAfter;
    this.#max = max;
    this.#isBehind = fetchAfter === null;
  }

  /** Notes the keys of `outdated`, in the order of these records. */
  add(records: readonly ListedRecord[], outdated: ReadonlySet<string>): void {
    for (const { key } of records) {
      if (outdated.has(key)) {
        this.size += 1;
        const list = this.#isBehind ? this.#behind : this.#before;
        if (list.length < this.#max) list.push(key);
      }
      this.#isBehind ||= key === this.#fetchAfter;
    }
  }

  list(): readonly string[] {
    return [...this.#behind, ...this.#before].slice(0, this.#max);
  }
}

async function note(
  { database, source }: ReconcileOptions,
  records: readonly ListedRecord[],
  wanted: Wanted,
): Promise<void> {
  const outdated = await database.read((sql) => findOutdated(sql, source.id, records, source.keys.late));
  wanted.add(records, new Set(outdated));
}

async function fetchBatch(options: ReconcileOptions, keys: readonly string[]): Promise<void> {
  const { source, signal } = options;
  for await (const { drafts, gone } of source.records?.(keys, signal) ?? [])
    await write(options, drafts, gone);
}

/** Keys of listings with an open house that the source no longer names, but for those that were fetched. */
async function findVanished(
  { source, database, clock, signal, maxFetched = MAX_FETCHED }: ReconcileOptions,
  fetched: ReadonlySet<string>,
): Promise<readonly string[]> {
  if (source.records === undefined || source.keys.openHouses === undefined) return [];
  const now = clock.now();
  const listed = await source.keys.openHouses(signal).catch((error: unknown) => {
    // A resource that cannot be read keeps nothing else from being compared.
    if (error instanceof LiveError && !signal.aborted) return null;
    throw error;
  });
  if (listed === null) return [];
  const stored = await database.read((sql) => findHouseListings(sql, source.id, new Date(now)), {
    timeout: MINUTE,
  });
  return listingsOfVanished(stored, listed, now)
    .filter((key) => !fetched.has(key))
    .slice(0, maxFetched);
}

async function endLeft(
  options: ReconcileOptions,
  { keys, counted, startedAt }: { keys: KeyList; counted: number | null; startedAt: number },
): Promise<Partial<Comparison>> {
  const { database, source, accept, signal, clock } = options;
  const doubt =
    counted !== null && counted > keys.size
      ? `the source counts ${counted} records and names ${keys.size}`
      : null;
  const ended = await endMissing({
    keys,
    doubt,
    accept,
    findStored: (after, limit) =>
      database.read((sql) => findStoredKeys(sql, source.id, startedAt, after, limit)),
    end: (missing) => write(options, [], missing),
    isStopped: () => signal.aborted,
  });
  const state = ended.refused === null ? 'done' : 'refused';
  return { ...ended, state, endedAt: new Date(clock.now()).toISOString() };
}

/** Returns how many listings were removed. */
async function write(
  options: ReconcileOptions,
  read: readonly ListingDraft[],
  gone: readonly string[],
): Promise<number> {
  const { source, catalogue, database, clock, metrics, hold } = options;
  const drafts = await completeRestored(options, read);
  const written = await database.transaction(
    async (tx) => {
      const result = await catalogue.write(tx, source.id, drafts, clock.now(), gone);
      await hold(tx);
      return result;
    },
    { timeout: MINUTE, planned: 'once' },
  );
  for (const kind of ['created', 'changed', 'unchanged', 'removed'] as const)
    metrics.records(kind, written[kind]);
  return written.removed;
}
