// Owns one listing made fresh: one fetch for everyone who waits, in bounded time, written through to the catalogue.

import type { Catalogue, StoredListing } from '../catalogue/catalogue.ts';
import type { ListingDraft } from '../catalogue/draft.ts';
import type { Clock } from '../lib/clock.ts';
import { Flights } from '../lib/flight.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Database, Transaction } from '../postgres/database.ts';
import { withDeadline } from '../sources/deadline.ts';
import { LiveError, type Source } from '../sources/source.ts';
import { Bulkhead, BulkheadFull } from './bulkhead.ts';

export interface RefreshOptions {
  /** Null: this service has no source, and answers what it has. */
  readonly source: Source | null;
  readonly catalogue: Pick<Catalogue, 'apply' | 'remove' | 'listing'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  readonly metrics: Metrics;
  /** Milliseconds; default 8,000. */
  readonly deadline?: number;
  /** Fetches at once; default 16. */
  readonly atOnce?: number;
}

/** Asks the source for a listing. Gives the listing as it is stored then; throws LiveError, or the signal's reason. */
export type Refresh = (stored: StoredListing, signal: AbortSignal) => Promise<StoredListing>;

const DEADLINE = 8_000;
const AT_ONCE = 16;
const LONGEST_LINE = 1_000;
/** Together with the deadline this stays below the ten seconds that a stream may take. */
const WRITE_DEADLINE = 1_500;

export function createRefresh(options: RefreshOptions): Refresh {
  const refresher = new Refresher(options);
  return (stored, signal) => refresher.refresh(stored, signal);
}

class Refresher {
  readonly #options: RefreshOptions;
  readonly #flights = new Flights<StoredListing>();
  readonly #bulkhead: Bulkhead;
  readonly #outcome: (outcome: string) => void;

  constructor(options: RefreshOptions) {
    this.#options = options;
    this.#bulkhead = new Bulkhead({ places: options.atOnce ?? AT_ONCE, line: LONGEST_LINE });
    const counter = options.metrics.counter(
      'freehold_live_fetches_total',
      'Listings asked for live, by outcome.',
      ['outcome'],
    );
    this.#outcome = (outcome) => counter.inc({ outcome });
  }

  async refresh(stored: StoredListing, signal: AbortSignal): Promise<StoredListing> {
    const { source } = this.#options;
    if (!source?.live || source.id !== stored.source) {
      throw new LiveError(
        'live_unsupported',
        'This listing’s source cannot be asked for one listing at a time.',
      );
    }
    return this.#flights.join(stored.id, signal, (shared) => this.#run(source, stored, shared));
  }

  async #run(source: Source, stored: StoredListing, signal: AbortSignal): Promise<StoredListing> {
    const { catalogue } = this.#options;
    try {
      const draft = await this.#fetch(source, stored.listingKey, signal);
      const fresh = await this.#store(stored, (tx, at) => catalogue.apply(tx, source.id, [draft], at));
      this.#outcome('live');
      return fresh;
    } catch (error) {
      const failure = liveError(error);
      this.#outcome(signal.aborted ? 'abandoned' : failure.code);
      if (failure.code === 'not_found_upstream') await this.#remove(stored);
      throw failure;
    }
  }

  /** The one place where a listing is fetched: a circuit breaker would stand around `source.fetchOne`. */
  #fetch(source: Source, key: string, signal: AbortSignal): Promise<ListingDraft> {
    const { clock, deadline = DEADLINE } = this.#options;
    return withDeadline(clock, deadline, signal, (limited) =>
      this.#bulkhead.run(limited, () => source.fetchOne(key, limited)),
    );
  }

  /**
   * Writes what was fetched and reads the listing back. Without the write there is no honest version to answer with,
   * so its failure fails the fetch; the log has the cause, since the source is not to blame.
   */
  async #store(stored: StoredListing, write: Write): Promise<StoredListing> {
    const { database, catalogue, clock, log } = this.#options;
    const { signal } = new AbortController();
    try {
      return await withDeadline(clock, WRITE_DEADLINE, signal, async () => {
        await database.transaction((tx) => write(tx, clock.now()), { timeout: WRITE_DEADLINE });
        const fresh = await catalogue.listing(stored.id);
        if (fresh === null) throw new Error('The listing is gone after it was written');
        return fresh;
      });
    } catch (error) {
      log.error({ listing: stored.id, err: error }, 'A listing that was fetched live could not be stored');
      throw new LiveError('fetch_failed', 'The fresh copy could not be stored.', { cause: error });
    }
  }

  /** Best effort: should it fail, the next reader of this listing finds it missing again. */
  async #remove(stored: StoredListing): Promise<void> {
    const { catalogue } = this.#options;
    const write: Write = (tx, at) => catalogue.remove(tx, stored.source, [stored.listingKey], at);
    await this.#store(stored, write).catch(() => {});
  }
}

type Write = (tx: Transaction, at: number) => Promise<unknown>;

function liveError(error: unknown): LiveError {
  if (error instanceof LiveError) return error;
  if (error instanceof BulkheadFull) {
    return new LiveError('upstream_unavailable', 'Too many listings are being fetched at present.', {
      cause: error,
    });
  }
  return new LiveError('fetch_failed', 'The listing could not be fetched.', { cause: error });
}
