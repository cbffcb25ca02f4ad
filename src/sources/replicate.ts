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
import { type PageWriterOptions, writePage } from './page-writer.ts';
import { LiveError, type Source } from './source.ts';
import { type KeptPosition, type ReaderLock, readPosition, takeReaderLock } from './store.ts';

export interface ReplicationOptions {
  readonly source: Source;
  readonly catalogue: Pick<Catalogue, 'write'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly metrics: Metrics;
  /** Milliseconds between two rounds of changes. */
  readonly interval: number;
  /** Called after each page of the first load. */
  readonly onProgress?: (progress: Progress) => void;
  /** In [0, 1); tests make it certain. */
  readonly random?: () => number;
}

export interface ReplicationStatus {
  /** `waiting`: another process reads this source. */
  readonly state: 'starting' | 'waiting' | 'loading' | 'following' | 'failing';
  /** When the first load was complete, RFC 3339. */
  readonly loadedAt: string | null;
  /** When the catalogue was last known to be what the source has, RFC 3339. */
  readonly asOf: string | null;
  /** Why reading fails at present: a LiveError's code, or `database`. */
  readonly failure: string | null;
  readonly progress: Progress | null;
}

export interface Replication {
  status(): ReplicationStatus;
  /** Stops; resolves once a page that is being written is written. */
  stop(): Promise<void>;
}

/** Milliseconds after which a process that waits for another's first load looks again: it is not ready before. */
const LOAD_LOOK = 2_000;

/** PostgreSQL reads a sample of each table, whatever its size. */
const ANALYZE_DEADLINE = 300_000;

/** Milliseconds between two notes that a source which tells nothing new is as it was: each is a write to disk. */
const CONFIRMED_EVERY = 300_000;

/** Starts to read the source, now and until it is stopped. One process of all that share a database does the reading. */
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

class Replicator {
  readonly stopping = new AbortController();
  status: ReplicationStatus = {
    state: 'starting',
    loadedAt: null,
    asOf: null,
    failure: null,
    progress: null,
  };
  readonly #options: ReplicationOptions;
  readonly #measured: SourceMetrics;
  readonly #writing: PageWriterOptions;
  #failures = 0;
  #confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReplicationOptions) {
    this.#options = options;
    this.#measured = sourceMetrics(options.metrics, options.clock);
    this.#writing = { ...options, measured: this.#measured };
  }

  get #stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      let wait = this.#options.interval;
      try {
        await this.#readWhileLocked();
        if (!this.#stopped) this.#set({ state: 'waiting', failure: null });
        if (this.status.loadedAt === null) wait = Math.min(wait, LOAD_LOOK);
      } catch (error) {
        wait = this.#failed(error);
      }
      await this.#pause(wait);
    }
  }

  /** Reads round after round while this process is the one that reads; returns when it is another. */
  async #readWhileLocked(): Promise<void> {
    const { database, source } = this.#options;
    const lost = new AbortController();
    const kept = await database.read((sql) => readPosition(sql, source.id));
    this.#set({ loadedAt: kept.loadedAt, asOf: kept.updatedAt });
    const lock = await takeReaderLock(database, source.id, () => lost.abort());
    if (lock === null) return;
    const signal = AbortSignal.any([lost.signal, this.stopping.signal]);
    try {
      while (!signal.aborted) await this.#round(lock, signal);
    } finally {
      await lock.release();
    }
  }

  async #round(lock: ReaderLock, signal: AbortSignal): Promise<void> {
    let wait = this.#options.interval;
    try {
      await lock.confirm();
      await this.#readToEnd(signal);
    } catch (error) {
      if (!signal.aborted) wait = this.#failed(error);
    }
    if (!signal.aborted) await pause(this.#options.clock, wait, signal);
  }

  /** One round: from the kept position to the source's end, page by page. */
  async #readToEnd(signal: AbortSignal): Promise<void> {
    const { source, database } = this.#options;
    let kept = await database.read((sql) => readPosition(sql, source.id));
    const meter = this.#meter(kept);
    if (this.#failures === 0) this.#reading(kept);
    const { position } = kept;
    for await (const page of ahead((wanted) => source.pages(position, wanted), signal)) {
      const loading = kept.loadedAt === null;
      kept = await writePage(this.#writing, page, kept);
      if (loading && kept.loadedAt !== null) await this.#renewStatistics();
      this.#measured.fieldErrors(source.fieldErrors);
      // Told before `reading` may say that the load is complete.
      meter(kept, page.drafts.length, page.total ?? null);
      this.#reading(kept);
      if (signal.aborted) return;
    }
    this.#measured.caughtUp();
    this.#reading(kept);
    await this.#confirm(kept);
    this.#set({ progress: null, asOf: new Date(this.#options.clock.now()).toISOString() });
  }

  /** After the first load; without it searches are only estimated and planned worse, until autovacuum comes by. */
  async #renewStatistics(): Promise<void> {
    const { database, log, source } = this.#options;
    await database.write(analyzeListings, { timeout: ANALYZE_DEADLINE }).catch((error: unknown) => {
      log.warn({ source: source.id, err: error }, 'The statistics of the database could not be renewed');
    });
  }

  /** Notes that the source is as it was, where it has told nothing for a while. */
  async #confirm({ updatedAt }: KeptPosition): Promise<void> {
    const { clock, database, source } = this.#options;
    const now = clock.now();
    const last = Math.max(this.#confirmedAt, updatedAt === null ? now : Date.parse(updatedAt));
    if (now - last < CONFIRMED_EVERY) return;
    await database.write((sql) => advanceSource(sql, source.id, now));
    this.#confirmedAt = now;
  }

  #meter(start: KeptPosition) {
    const { clock, onProgress } = this.#options;
    const from = clock.monotonic();
    const loading = start.loadedAt === null;
    let here = 0;
    let known: number | null = null;
    return (kept: KeptPosition, records: number, total: number | null) => {
      if (!loading) return;
      here += records;
      known = total ?? known;
      const now = progress(kept.loaded, here, clock.monotonic() - from, known);
      this.#set({ progress: now });
      onProgress?.(now);
    };
  }

  /** A page has come, or nothing speaks against it. */
  #reading(kept: KeptPosition): void {
    const { log, source } = this.#options;
    if (this.status.failure !== null) log.info({ source: source.id }, 'The source can be read again');
    if (kept.loadedAt !== null && this.status.loadedAt === null) {
      const unreadable = Object.fromEntries(source.fieldErrors);
      log.info({ source: source.id, records: kept.loaded, unreadable }, 'The first load is complete');
    }
    this.#failures = 0;
    const { loadedAt } = kept;
    this.#set({ state: loadedAt === null ? 'loading' : 'following', failure: null, loadedAt });
  }

  /** Notes a failure, in the log once for each change, and gives the milliseconds to wait. */
  #failed(error: unknown): number {
    const { log, source, random = Math.random } = this.#options;
    const code = error instanceof LiveError ? error.code : 'database';
    if (this.status.failure !== code)
      log.warn({ source: source.id, code, err: error }, 'The source cannot be read');
    this.#measured.failed(code);
    this.#set({ state: 'failing', failure: code });
    return backoff(++this.#failures, error instanceof LiveError ? error.retryAfter : null, random());
  }

  #set(change: Partial<ReplicationStatus>): void {
    this.status = { ...this.status, ...change };
  }

  #pause(milliseconds: number): Promise<void> {
    return pause(this.#options.clock, milliseconds, this.stopping.signal);
  }
}

/** Milliseconds before the next attempt: 1, 2, 4 ... 32 seconds, or longer where the source asks for it, plus up to a quarter. */
export function backoff(failures: number, retryAfter: number | null, random: number): number {
  const wait = Math.max(Math.min(1_000 * 2 ** (failures - 1), 32_000), retryAfter ?? 0);
  return Math.round(wait * (1 + 0.25 * random));
}
