// Replication of a source: a full load, then its changes, for as long as the service runs.

import type { Catalogue } from '../ingest/listing-writer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Database } from '../postgres/client/database.ts';
import type { HeldLease } from '../postgres/leases/held-lease.ts';
import { LEASE_TIMES, type LeaseTimes, WorkTaken } from '../postgres/leases/work-lease.ts';
import { ahead } from './ahead.ts';
import { Confirmations } from './confirmations.ts';
import type { SourceControl } from './control-store.ts';
import { renewStatistics } from './load-statistics.ts';
import { readLookups, useLookups } from './lookups/lookup-rounds.ts';
import { type Progress, progress, type SourceMetrics, sourceMetrics } from './metrics.ts';
import { writePage, writeReread } from './page-writer.ts';
import { takeReaderLease } from './reader-lease.ts';
import { Reconciler } from './reconcile/reconciler.ts';
import { forgetRecords, mapAgain, mapInstead } from './remap/remap-round.ts';
import { cancelRemoval } from './removal-store.ts';
import { backoff, describeFailure, type ReplicationStatus, STARTING } from './replication-status.ts';
import { Reporter } from './reporter.ts';
import { RoundTimer } from './round-timer.ts';
import { LiveError, type Source } from './source.ts';
import { readPosition, type StoredPosition } from './store.ts';

export interface ReplicationOptions {
  readonly source: Source;
  readonly catalogue: Pick<Catalogue, 'write' | 'writeAgain'>;
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
  /** What operators have requested; default: nothing. */
  readonly control?: SourceControl;
  /** How soon another process takes over; default: within ten seconds. */
  readonly lease?: LeaseTimes;
}

export interface Replication {
  status(): ReplicationStatus;
  /** Obeys what operators request from now on. */
  control(control: SourceControl): void;
  /** Resolves once a page that is being written is written. */
  stop(): Promise<void>;
}

/** Reads the source, now and until it is stopped. Of all processes that share a database, one does the reading. */
export function startReplication(options: ReplicationOptions): Replication {
  const replicator = new Replicator(options);
  const running = replicator.run();
  return {
    status: () => replicator.status,
    control: (control) => replicator.timer.obey(control),
    stop() {
      replicator.stopping.abort();
      return running;
    },
  };
}

class Replicator {
  readonly stopping = new AbortController();
  status: ReplicationStatus = STARTING;
  readonly #options: ReplicationOptions;
  readonly #metrics: SourceMetrics;
  #failures = 0;
  /** Whether the feed misbehaved in the last round: it is read slowly until one is complete. */
  #misbehaves = false;
  readonly #reporter: Reporter;
  readonly #reconciler: Reconciler;
  /** The way in which the stored listings were all read, as far as it is known. */
  #readAs: string | null = null;
  /** Whether this process reads all records, from the first one on. */
  #readsAll = false;
  readonly #confirmations: Confirmations;
  readonly timer: RoundTimer;

  constructor(options: ReplicationOptions) {
    this.#options = options;
    this.timer = new RoundTimer(options.clock, options.control);
    this.#metrics = sourceMetrics(options.metrics, options.clock, options.source.id);
    this.#reporter = new Reporter({ ...options, metrics: this.#metrics });
    this.#confirmations = new Confirmations(options);
    this.#reconciler = new Reconciler({ ...options, metrics: this.#metrics });
  }

  async run(): Promise<void> {
    const { signal } = this.stopping;
    const { interval, lease = LEASE_TIMES } = this.#options;
    while (!signal.aborted) {
      let wait = Math.min(interval, lease.renewal);
      try {
        const { isPaused } = this.timer;
        if (!isPaused) await this.#readWhileLeased(lease);
        if (!signal.aborted) this.#update({ state: isPaused ? 'paused' : 'waiting', failure: null });
      } catch (error) {
        wait = this.#fail(error);
      }
      await this.timer.rest(wait, signal);
    }
    this.#metrics.ended();
  }

  /** Reads round after round while this process has the lease; returns when another process has it. */
  async #readWhileLeased(times: LeaseTimes): Promise<void> {
    const { database, source, interval } = this.#options;
    const { loadedAt, updatedAt } = await database.read((sql) => readPosition(sql, source.id));
    this.#update({ loadedAt, asOf: updatedAt });
    const lease = await takeReaderLease(database, source.id, times);
    if (lease === null) return this.#metrics.ended();
    const signal = AbortSignal.any([lease.lost, this.timer.untilPaused(), this.stopping.signal]);
    try {
      await this.#begin(lease);
      while (!signal.aborted) {
        let wait = interval;
        try {
          this.timer.begin();
          await readLookups(this.#options, lease.hold, signal);
          await this.#readToEnd(lease, signal);
          wait -= await this.#readAgain(lease, signal);
          wait -= await this.#compare(lease, signal);
        } catch (error) {
          if (error instanceof WorkTaken) return;
          if (!signal.aborted) wait = this.#fail(error);
        }
        if (!signal.aborted) wait -= await mapAgain(this.#options, lease.hold, signal);
        if (!signal.aborted) await this.#reporter.report(this.status, lease.hold);
        await this.timer.rest(wait, signal);
      }
    } finally {
      await lease.release();
    }
  }

  async #begin(lease: HeldLease): Promise<void> {
    const { database, source, log } = this.#options;
    const isAgain = await database.transaction(async (tx) => {
      const isCancelled = await cancelRemoval(tx, source.id);
      await lease.hold(tx);
      return isCancelled;
    });
    if (isAgain)
      log.info({ source: source.id }, 'The source is configured again: its removal ends, and it is loaded');
    await forgetRecords(this.#options, lease.hold);
    await database.read((sql) => useLookups(sql, source));
    this.#metrics.begins(this.status.asOf);
    await this.#reporter.start();
    await this.#reconciler.start();
  }

  /** One round: from the stored position to the source's end, page by page. */
  async #readToEnd({ hold }: HeldLease, signal: AbortSignal): Promise<void> {
    const { source, database, clock } = this.#options;
    let stored = await database.read((sql) => readPosition(sql, source.id));
    const load = stored.loadedAt === null ? { startedAt: clock.monotonic(), records: 0 } : null;
    if (this.#failures === 0) this.#recover(stored);
    const { position } = stored;
    const slowly = this.#misbehaves;
    this.#readsAll ||= position === null;
    for await (const page of ahead((wanted) => source.pages(position, wanted, slowly), signal)) {
      const wasLoading = stored.loadedAt === null;
      stored = await writePage({ ...this.#options, metrics: this.#metrics, hold }, page, stored);
      if (wasLoading && stored.loadedAt !== null) await renewStatistics(this.#options);
      this.#metrics.fieldErrors(source.fieldErrors);
      if (source.eventCounts !== undefined) this.#metrics.events(source.eventCounts);
      if (page.followed !== undefined) this.#metrics.followed(page.followed);
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
    await this.#confirmations.confirm(stored, hold);
    this.#update({ progress: null, asOf: new Date(clock.now()).toISOString() });
  }

  /**
   * Reads all records again where they were read in another way: page by page, slowly, and until the next round of changes is
   * due. What fails here leaves the changes as they are. Returns the milliseconds that it took, at most those of a round.
   */
  async #readAgain({ hold }: HeldLease, signal: AbortSignal): Promise<number> {
    const { source, database, clock, interval, log } = this.#options;
    if (source.reading === undefined || source.reading === this.#readAs) return 0;
    let stored = await database.read((sql) => readPosition(sql, source.id));
    this.#readAs = stored.reading;
    if (stored.loadedAt === null || stored.reading === source.reading) return 0;
    if (stored.reread === null && (await mapInstead(this.#options))) return 0;
    const startedAt = clock.monotonic();
    const taken = () => Math.min(interval, clock.monotonic() - startedAt);
    if (stored.reread === null)
      log.info({ source: source.id }, 'All records of the source are read again, in the background');
    try {
      const from = stored.reread?.position ?? null;
      this.#readsAll ||= from === null;
      for await (const page of ahead((wanted) => source.pages(from, wanted, true), signal)) {
        stored = await writeReread({ ...this.#options, metrics: this.#metrics, hold }, page, stored);
        if (signal.aborted || taken() === interval) return interval;
      }
      this.#hasReadAll();
      this.#update({ rereadFailure: null });
      log.info({ source: source.id }, 'All records of the source have been read again');
    } catch (error) {
      if (signal.aborted) return 0;
      if (error instanceof WorkTaken) throw error;
      const { code: failure, ...more } = describeFailure(error);
      if (this.status.rereadFailure !== failure)
        log.warn(
          { source: source.id, code: failure, err: error },
          'The source cannot be read again as a whole',
        );
      this.#metrics.failed(failure);
      this.#update({ rereadFailure: failure, ...more });
    }
    return taken();
  }

  /** Compares with all keys, if it is time, until the next round of changes is due. */
  #compare({ hold }: HeldLease, signal: AbortSignal): Promise<number> {
    const { loadedAt } = this.status;
    return this.#reconciler.run({
      hold,
      signal,
      loadedAt,
      control: this.timer.control,
      limit: this.#options.interval,
    });
  }

  #hasReadAll(): void {
    if (this.#readsAll) this.#reporter.forgetEarlier();
    this.#readsAll = false;
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
    this.#update({
      state: loadedAt === null ? 'loading' : 'following',
      failure: null,
      detail,
      sample: null,
      loadedAt,
    });
  }

  /** Logs a failure once for each change of its code, and returns the milliseconds to wait. */
  #fail(error: unknown): number {
    const { log, source, random = Math.random } = this.#options;
    const { code, ...more } = describeFailure(error);
    if (this.status.failure !== code)
      log.warn({ source: source.id, code, err: error }, 'The source cannot be read');
    this.#metrics.failed(code);
    this.#update({ state: 'failing', failure: code, ...more });
    this.#misbehaves ||=
      error instanceof LiveError && (error.fault !== null || error.code === 'parse_failed');
    const retryAfter = error instanceof LiveError ? error.retryAfter : null;
    this.timer.fail(retryAfter ?? 0);
    return backoff(++this.#failures, retryAfter, random());
  }

  #update(change: Partial<ReplicationStatus>): void {
    this.status = { ...this.status, ...change };
  }
}
