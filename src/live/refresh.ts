// Live refresh of one listing: one fetch shared by all waiting readers, with a deadline, written through to the catalogue.

import { Bulkhead, BulkheadFull } from '../lib/bulkhead.ts';
import { withDeadline } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import { SingleFlight } from '../lib/single-flight.ts';
import type { ListingDraft } from '../listings/draft.ts';
import { findListing, type StoredListing } from '../listings/store.ts';
import { LiveError, type LiveFailure, type Source, sourceTimeout } from '../sources/source.ts';
import {
  createWriteThrough,
  type ListingOfSource,
  type WriteThrough,
  type WriteThroughOptions,
} from '../sources/write-through.ts';
import type { FlightEnd } from './flight-store.ts';
import { ABANDONED, type Flights } from './flights.ts';

export interface RefreshOptions extends WriteThroughOptions {
  /** The source with this id; null: this process reads none. */
  readonly findSource: (id: string) => Source | null;
  /** Those that all processes share; absent: this one fetches for itself. */
  readonly flights?: Pick<Flights, 'start' | 'join'>;
  readonly log: Pick<Log, 'error'>;
  /** Whether operators have paused the reading of a source; default: never. */
  readonly isPaused?: (id: string) => boolean;
  /** Whether any source may be read now; default: always. */
  readonly mayFetch?: () => boolean;
  readonly metrics: Metrics;
  /** Milliseconds; default 8,000. */
  readonly deadline?: number;
  /** Concurrent fetches; default 16. */
  readonly concurrency?: number;
}

/**
 * Fetches a listing from its source, stored here or not. Returns it as stored then; throws LiveError, or the signal's reason. One that
 * the source does not have is marked as deleted first.
 */
export type Refresh = (listing: ListingOfSource, signal: AbortSignal) => Promise<StoredListing>;

const DEADLINE = 8_000;
const CONCURRENCY = 16;
const MAX_QUEUED = 1_000;

export function createRefresh(options: RefreshOptions): Refresh {
  const refresher = new ListingRefresher(options);
  return (stored, signal) => refresher.refresh(stored, signal);
}

class ListingRefresher {
  readonly #options: RefreshOptions;
  readonly #flights = new SingleFlight<StoredListing>();
  readonly #bulkhead: Bulkhead;
  readonly #writeThrough: WriteThrough;
  readonly #countOutcome: (outcome: string) => void;

  constructor(options: RefreshOptions) {
    this.#options = options;
    this.#writeThrough = createWriteThrough(options);
    this.#bulkhead = new Bulkhead({
      maxConcurrent: options.concurrency ?? CONCURRENCY,
      maxQueue: MAX_QUEUED,
    });
    const counter = options.metrics.counter(
      'freehold_live_fetches_total',
      'Live fetches of listings, by outcome.',
      ['outcome'],
    );
    this.#countOutcome = (outcome) => counter.inc({ outcome });
  }

  async refresh(stored: ListingOfSource, signal: AbortSignal): Promise<StoredListing> {
    const source = this.#options.findSource(stored.source);
    if (!source?.live) {
      throw new LiveError('live_unsupported', 'The source of this listing does not support live reads.');
    }
    if (this.#options.isPaused?.(source.id))
      throw new LiveError(
        'upstream_unavailable',
        'The operator of this service has paused reading from this source.',
      );
    if (this.#options.mayFetch?.() === false)
      throw new LiveError(
        'upstream_unavailable',
        'This service was restored from a backup, and reads no source before its operator accepts it.',
      );
    return this.#flights.run(stored.id, signal, (shared) => this.#join(source, stored, shared));
  }

  /** Waits for the fetch of another process, if there is one, and fetches in the time that is left otherwise. */
  async #join(source: Source, stored: ListingOfSource, signal: AbortSignal): Promise<StoredListing> {
    const { clock, flights, deadline = DEADLINE } = this.#options;
    if (flights === undefined) return this.#run(source, stored, signal, deadline);
    const own = await flights.start(stored.id);
    const end = clock.monotonic() + deadline;
    const joined =
      own ??
      (await withDeadline(
        { clock, milliseconds: deadline, parent: signal, onTimeout: sourceTimeout },
        (limited) => flights.join(stored.id, limited),
      ));
    if (joined.state === 'ended') return this.#readShared(stored, joined.end);
    let ended = ABANDONED;
    try {
      const fresh = await this.#run(source, stored, signal, end - clock.monotonic());
      ended = { outcome: 'live', message: null, retryAfter: null };
      return fresh;
    } catch (error) {
      if (error instanceof LiveError && !signal.aborted)
        ended = { outcome: error.code, message: error.message, retryAfter: error.retryAfter };
      throw error;
    } finally {
      await joined.flight.end(ended);
    }
  }

  /** What another process has stored. Throws its failure. */
  async #readShared(
    { id }: ListingOfSource,
    { outcome, message, retryAfter }: FlightEnd,
  ): Promise<StoredListing> {
    const { database, untilSearched } = this.#options;
    this.#countOutcome('shared');
    if (outcome !== 'live') throw new LiveError(outcome as LiveFailure, message ?? '', { retryAfter });
    await untilSearched?.();
    const fresh = await database.read((sql) => findListing(sql, id), { planned: 'once' });
    if (fresh === null) throw new LiveError('not_found_upstream', 'The listing has been removed meanwhile.');
    return fresh;
  }

  async #run(
    source: Source,
    stored: ListingOfSource,
    signal: AbortSignal,
    milliseconds: number,
  ): Promise<StoredListing> {
    try {
      const fresh = await this.#fetchAndStore(source, stored, signal, milliseconds);
      this.#countOutcome('live');
      return fresh;
    } catch (error) {
      const failure = toLiveError(error);
      this.#countOutcome(signal.aborted ? 'abandoned' : failure.code);
      if (failure.code === 'not_found_upstream') await this.#remove(stored);
      throw failure;
    }
  }

  /** A listing whose stored photos were erased meanwhile is fetched once more, with them. */
  async #fetchAndStore(
    source: Source,
    stored: ListingOfSource,
    signal: AbortSignal,
    milliseconds: number,
    isAgain = false,
  ): Promise<StoredListing> {
    const { clock } = this.#options;
    const end = clock.monotonic() + milliseconds;
    const draft = await this.#fetch(source, stored, signal, milliseconds);
    const fresh = await this.#writeThrough
      .store(stored, draft, Math.max(0, end - clock.monotonic()))
      .catch((error) => this.#failUnwritten(stored, error));
    if (isAgain || source.forget === undefined || !lacksPhotos(draft, fresh)) return fresh;
    source.forget([stored.listingKey]);
    return this.#fetchAndStore(source, stored, signal, end - clock.monotonic(), true);
  }

  #fetch(
    source: Source,
    { listingKey, record }: ListingOfSource,
    signal: AbortSignal,
    milliseconds: number,
  ): Promise<ListingDraft> {
    const { clock } = this.#options;
    return withDeadline({ clock, milliseconds, parent: signal, onTimeout: sourceTimeout }, (limited) =>
      this.#bulkhead.run(limited, () => source.fetchOne(listingKey, limited, record?.provider.listingId)),
    );
  }

  /** Best effort: if it fails, the next reader of this listing triggers it again. */
  async #remove(stored: ListingOfSource): Promise<void> {
    await this.#writeThrough.remove(stored).catch((error) => this.#logUnwritten(stored, error));
  }

  /** A copy that was not stored is not sent; the log has the cause. */
  #failUnwritten(stored: ListingOfSource, cause: unknown): never {
    this.#logUnwritten(stored, cause);
    throw new LiveError('fetch_failed', 'The fresh copy could not be stored.', { cause });
  }

  #logUnwritten(stored: ListingOfSource, error: unknown): void {
    this.#options.log.error({ listing: stored.id, err: error }, 'A fetched listing could not be stored');
  }
}

/** Whether the source counts photos that it did not send, as those that are stored already. */
const lacksPhotos = ({ photos }: ListingDraft, { record }: StoredListing): boolean =>
  photos === null && record.photos.length === 0 && (record.photoCount ?? 0) > 0;

/** Why a listing could not be fetched; other errors become a general LiveError. */
export function toLiveError(error: unknown): LiveError {
  if (error instanceof LiveError) return error;
  if (error instanceof BulkheadFull) {
    return new LiveError('upstream_unavailable', 'Too many listings are being fetched at the moment.', {
      cause: error,
    });
  }
  return new LiveError('fetch_failed', 'The listing could not be fetched.', { cause: error });
}
