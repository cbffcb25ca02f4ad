// Replication of a source: a full load, then its changes, for as long as the service runs.

import { analyzeListings } from '../ingest/listing-store.ts';
import type { Catalogue } from '../ingest/listing-writer.ts';
import { type Clock, pause } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import { advanceSource } from '../listings/provenance/confirmation-store.ts';
import type { Database } from '../postgres/client/database.ts';
import { ahead } from './ahead.ts';
import { type Progress, progress, type SourceMetrics, sourceMetrics } from './metrics.ts';
import { writePage, writeReread } from './page-writer.ts';
import { cancelRemoval } from './removal-store.ts';
import { Reporter } from './reporter.ts';
import { LiveError, type Source } from './source.ts';
import { readPosition, type StoredPosition, takeReaderLock } from './store.ts';

export interface ReplicationOptions {
  readonly source: Source;
  readonly catalogue: Pick<Catalogue, 'write'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly metrics: Metrics;
  /** Milliseconds between two reads of changes. */
  readonly interval: number;
  /** Called after each page of the first load. */
  readonly onProgress?: (progress: Progress) => void;
  /** In [0, 1); default Math.random. */
  readonly random?: () => number;
}

export interface ReplicationStatus {
  /** `waiting`: another process reads this source. `paused`: nobody does before a restored database is accepted. */
  readonly state: 'starting' | 'waiting' | 'loading' | 'following' | 'failing' | 'paused';
  /** When the first load was complete, RFC 3339. */
  readonly loadedAt: string | null;
  /** When the catalogue last matched the source, RFC 3339. */
  readonly asOf: string | null;
  /** Why reading fails: a LiveError's fault or code, or `database`. */
  readonly failure: string | null;
  /** What the failure says of itself; null where it says nothing more. */
  readonly detail: string | null;
  /** Why all records cannot be read again; reading changes goes on meanwhile. */
  readonly rereadFailure: string | null;
  readonly progress: Progress | null;
}

export interface Replication {
  status(): ReplicationStatus;
  /** Resolves once a page that is being written is written. */
  stop(): Promise<void>;
}

/** Milliseconds after which a process that waits for another's first load checks again: it is not ready before. */
const LOAD_CHECK_INTERVAL = 2_000;

/** Milliseconds; ANALYZE reads a sample of each table, whatever its size. */
const ANALYZE_DEADLINE = 300_000;

/** Milliseconds between two confirmations of a source that reports no changes: each is a write to disk. */
const CONFIRM_INTERVAL = 300_000;

/** Reads the source, now and until it is stopped. Of all processes that share a database, one does the reading. */
export function startReplication(options: ReplicationOptions): Replication {
  const replicator = new Replicator(options);
  const running = replicator.run();
  return {
    status: () => replicator.status,
    stop() {
      replicator.stopping.abort();
      return running;
    },
  };
}

const STARTING: ReplicationStatus = {
  state: 'starting',
  loadedAt: null,
  asOf: null,
  failure: null,
  detail: null,
  rereadFailure: null,
  progress: null,
};

/** Of a source that is not read because the database was restored and is not accepted yet, or is a copy. */
export const WAITING_FOR_ACCEPT: ReplicationStatus = { ...STARTING, state: 'paused' };

class Replicator {
  readonly stopping = new AbortController();
  status: ReplicationStatus = STARTING;
  readonly #options: ReplicationOptions;
  readonly #metrics: SourceMetrics;
  #failures = 0;
  /** Whether the feed misbehaved in the last round: it is read slowly until one is complete. */
  #misbehaves = false;
  readonly #reporter: Reporter;
  /** Whether the stored listings were all read in the way in which the source reads now. */
  #isReadAsNow = false;
  /** Whether this process reads all records, from the first one on. */
  #readsAll = false;
  #confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReplicationOptions) {
    this.#options = options;
    this.#metrics = sourceMetrics(options.metrics, options.clock);
    this.#reporter = new Reporter(options);
  }

  async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      let wait = this.#options.interval;
      try {
        await this.#readWhileLocked();
        if (!signal.aborted) this.#update({ state: 'waiting', failure: null });
        if (this.status.loadedAt === null) wait = Math.min(wait, LOAD_CHECK_INTERVAL);
      } catch (error) {
        wait = this.#fail(error);
      }
      await pause(this.#options.clock, wait, signal);
    }
  }

  /** Reads round after round while this process holds the lock; returns when another process holds it. */
  async #readWhileLocked(): Promise<void> {
    const { database, source, clock, interval, log } = this.#options;
    const lost = new AbortController();
    const { loadedAt, updatedAt } = await database.read((sql) => readPosition(sql, source.id));
    this.#update({ loadedAt, asOf: updatedAt });
    const lock = await takeReaderLock(database, source.id, () => lost.abort());
    if (lock === null) return;
    const signal = AbortSignal.any([lost.signal, this.stopping.signal]);
    try {
      if (await database.transaction((tx) => cancelRemoval(tx, source.id)))
        log.info(
          { source: source.id },
          'The source is configured again: its removal ends, and it is loaded again',
        );
      await this.#reporter.start();
      while (!signal.aborted) {
        let wait = interval;
        try {
          await lock.confirm();
          await this.#readToEnd(signal);
          wait -= await this.#readAgain(signal);
        } catch (error) {
          if (!signal.aborted) wait = this.#fail(error);
        }
        await this.#reporter.report(this.status);
        if (!signal.aborted) await pause(clock, wait, signal);
      }
    } finally {
      await lock.release();
    }
  }

  /** One round: from the stored position to the source's end, page by page. */
  async #readToEnd(signal: AbortSignal): Promise<void> {
    const { source, database, clock } = this.#options;
    let stored = await database.read((sql) => readPosition(sql, source.id));
    const load = stored.loadedAt === null ? { startedAt: clock.monotonic(), records: 0 } : null;
    if (this.#failures === 0) this.#recover(stored);
    const { position } = stored;
    const slowly = this.#misbehaves;
    this.#readsAll ||= position === null;
    for await (const page of ahead((wanted) => source.pages(position, wanted, slowly), signal)) {
      const wasLoading = stored.loadedAt === null;
      stored = await writePage({ ...this.#options, metrics: this.#metrics }, page, stored);
      if (wasLoading && stored.loadedAt !== null) await this.#analyze();
      this.#metrics.fieldErrors(source.fieldErrors);
      // The progress comes before the status says that the load is complete.
      if (load !== null) {
        load.records += page.drafts.length;
        this.#reportProgress(stored, load.records, clock.monotonic() - load.startedAt);
      }
      // A feed that misbehaves may send good pages until it does so again.
      if (!this.#misbehaves) this.#recover(stored);
      if (signal.aborted) return;
    }
    this.#misbehaves = false;
    this.#hasReadAll();
    this.#metrics.caughtUp();
    this.#recover(stored);
    await this.#confirm(stored);
    this.#update({ progress: null, asOf: new Date(clock.now()).toISOString() });
  }

  /**
   * Reads all records again where they were read in another way: page by page, slowly, and until the next round of changes is
   * due. What fails here leaves the changes as they are. Returns the milliseconds that it took, at most those of a round.
   */
  async #readAgain(signal: AbortSignal): Promise<number> {
    const { source, database, clock, interval, log } = this.#options;
    if (source.reading === undefined || this.#isReadAsNow) return 0;
    let stored = await database.read((sql) => readPosition(sql, source.id));
    this.#isReadAsNow = stored.reading === source.reading;
    if (stored.loadedAt === null || this.#isReadAsNow) return 0;
    const startedAt = clock.monotonic();
    const taken = () => Math.min(interval, clock.monotonic() - startedAt);
    if (stored.reread === null)
      log.info({ source: source.id }, 'All records of the source are read again, in the background');
    try {
      const from = stored.reread?.position ?? null;
      this.#readsAll ||= from === null;
      for await (const page of ahead((wanted) => source.pages(from, wanted, true), signal)) {
        stored = await writeReread({ ...this.#options, metrics: this.#metrics }, page, stored);
        if (signal.aborted || taken() === interval) return interval;
      }
      this.#hasReadAll();
      this.#update({ rereadFailure: null });
      log.info({ source: source.id }, 'All records of the source have been read again');
    } catch (error) {
      if (signal.aborted) return 0;
      const failure = nameOf(error);
      if (this.status.rereadFailure !== failure)
        log.warn(
          { source: source.id, code: failure, err: error },
          'The source cannot be read again as a whole',
        );
      this.#metrics.failed(failure);
      this.#update({ rereadFailure: failure, detail: detailOf(error) });
    }
    return taken();
  }

  #hasReadAll(): void {
    if (this.#readsAll) this.#reporter.forgetEarlier();
    this.#readsAll = false;
  }

  /** Without new statistics after the first load, searches are planned worse until autovacuum runs. */
  async #analyze(): Promise<void> {
    const { database, log, source } = this.#options;
    await database.write(analyzeListings, { timeout: ANALYZE_DEADLINE }).catch((error: unknown) => {
      log.warn({ source: source.id, err: error }, 'The statistics of the database could not be renewed');
    });
  }

  /** Writes that the catalogue is up to date, where the source has reported no changes for a while. */
  async #confirm({ updatedAt }: StoredPosition): Promise<void> {
    const { clock, database, source } = this.#options;
    const now = clock.now();
    const last = Math.max(this.#confirmedAt, updatedAt === null ? now : Date.parse(updatedAt));
    if (now - last < CONFIRM_INTERVAL) return;
    await database.write((sql) => advanceSource(sql, source.id, now));
    this.#confirmedAt = now;
  }

  #reportProgress({ loaded, total }: StoredPosition, records: number, milliseconds: number): void {
    const current = progress(loaded, records, milliseconds, total);
    this.#update({ progress: current });
    this.#options.onProgress?.(current);
  }

  /** Ends a failure, if there was one, and notes how far the source is read. */
  #recover({ loadedAt, loaded }: StoredPosition): void {
    const { log, source } = this.#options;
    if (this.status.failure !== null) log.info({ source: source.id }, 'The source can be read again');
    if (loadedAt !== null && this.status.loadedAt === null) {
      const unreadable = Object.fromEntries(source.fieldErrors);
      log.info({ source: source.id, records: loaded, unreadable }, 'The first load is complete');
    }
    this.#failures = 0;
    const detail = this.status.rereadFailure === null ? null : this.status.detail;
    this.#update({ state: loadedAt === null ? 'loading' : 'following', failure: null, detail, loadedAt });
  }

  /** Logs a failure once for each change of its code, and returns the milliseconds to wait. */
  #fail(error: unknown): number {
    const { log, source, random = Math.random } = this.#options;
    const code = nameOf(error);
    if (this.status.failure !== code)
      log.warn({ source: source.id, code, err: error }, 'The source cannot be read');
    this.#metrics.failed(code);
    this.#update({ state: 'failing', failure: code, detail: detailOf(error) });
    this.#misbehaves ||=
      error instanceof LiveError && (error.fault !== null || error.code === 'parse_failed');
    return backoff(++this.#failures, error instanceof LiveError ? error.retryAfter : null, random());
  }

  #update(change: Partial<ReplicationStatus>): void {
    this.status = { ...this.status, ...change };
  }
}

const nameOf = (error: unknown): string =>
  error instanceof LiveError ? (error.fault ?? error.code) : 'database';

const detailOf = (error: unknown): string | null => (error instanceof LiveError ? error.message : null);

/** Milliseconds before the next attempt: 1, 2, 4 ... 32 seconds, or longer where the source asks for it, plus up to a quarter. */
export function backoff(failures: number, retryAfter: number | null, random: number): number {
  const wait = Math.max(Math.min(1_000 * 2 ** (failures - 1), 32_000), retryAfter ?? 0);
  return Math.round(wait * (1 + 0.25 * random));
}
