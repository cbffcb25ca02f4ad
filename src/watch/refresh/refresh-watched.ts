// Refresh of watched listings: fetched from their source at the interval of the tier, within the budget of the source.

import { PLANS, type Tiers } from '../../access/tiers/tiers.ts';
import { type Clock, DAY, MINUTE } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { startPeriodicWork } from '../../lib/periodic-work.ts';
import type { ListingReads } from '../../listings/store.ts';
import { type Refresh, toLiveError } from '../../live/refresh.ts';
import type { Database } from '../../postgres/client/database.ts';
import {
  claimListings,
  type DueListing,
  deleteOldAttempts,
  MINUTE_OF_BUDGET,
  updateFailed,
  updateRefreshed,
} from './refresh-store.ts';

export interface RefreshWatchedOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly tiers: Tiers;
  readonly source: { readonly id: string; readonly refreshesPerMinute: number };
  readonly catalogue: Pick<ListingReads, 'listing'>;
  readonly refresh: Refresh;
  readonly report: (error: unknown) => void;
}

/** Milliseconds between two rounds; the budget of a minute is spread over them. */
const PAUSE = 10_000;
/** Fetches at once: a part of those that readers share. */
const CONCURRENCY = 4;
/** Failures in a row after which a round ends: the source is down, or nearly so. */
const MAX_FAILURES = 3;
/** Failures that are the source's, whatever the listing. */
const SOURCE_FAILURES: readonly string[] = [
  'upstream_rate_limited',
  'upstream_unauthorized',
  'upstream_unavailable',
];
const OLD_ATTEMPTS = 1_000;

/** Refreshes what is due, now and until it is stopped. */
export function startRefreshWatched(options: RefreshWatchedOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const refresher = new WatchedRefresher(options, stopping.signal);
  const work = startPeriodicWork({
    clock: options.clock,
    report: options.report,
    pause: PAUSE,
    work: () => refresher.run(),
  });
  return {
    stop() {
      stopping.abort();
      return work.stop();
    },
  };
}

/** Refreshes what is due, round by round. */
export class WatchedRefresher {
  readonly #options: RefreshWatchedOptions;
  readonly #signal: AbortSignal;
  readonly #count: (outcome: string) => void;
  /** Wall-clock milliseconds until which the source asked to wait. */
  #resumeAt = 0;
  #failures = 0;

  constructor(options: RefreshWatchedOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    const counter = options.metrics.counter(
      'freehold_watch_refreshes_total',
      'Live refreshes of watched listings, by outcome.',
      ['outcome'],
    );
    this.#count = (outcome) => counter.inc({ outcome });
  }

  /** One round. What it leaves undone is due in a later one. */
  async run(): Promise<void> {
    const { database, clock, source, tiers } = this.#options;
    const now = clock.now();
    const perMinute = source.refreshesPerMinute;
    if (perMinute <= 0 || now < this.#resumeAt) return;
    const intervals = Object.fromEntries(
      PLANS.flatMap((plan) => (tiers[plan].refresh === null ? [] : [[plan, tiers[plan].refresh]])),
    );
    const max = Math.ceil((perMinute * PAUSE) / MINUTE);
    const request = { source: source.id, intervals, now, perMinute, max };
    const due = await database.transaction((tx) => claimListings(tx, request));
    if (due.length === 0) return;
    this.#failures = 0;
    const queue = due.values();
    await Promise.all(Array.from({ length: CONCURRENCY }, () => this.#work(queue)));
    await database.write((sql) => deleteOldAttempts(sql, now - DAY, OLD_ATTEMPTS));
  }

  /** Refreshes listings of a queue that others take from, too. */
  async #work(queue: Iterable<DueListing>): Promise<void> {
    for (const due of queue) {
      if (this.#signal.aborted || this.#failures >= MAX_FAILURES) return;
      await this.#refresh(due);
    }
  }

  async #refresh(due: DueListing): Promise<void> {
    const { database, catalogue, refresh } = this.#options;
    const stored = await catalogue.listing(due.id);
    if (stored === null) return;
    try {
      await refresh(stored, this.#signal);
    } catch (error) {
      if (this.#signal.aborted) return;
      return this.#fail(due, error);
    }
    this.#failures = 0;
    this.#count('refreshed');
    await database.write((sql) => updateRefreshed(sql, due));
  }

  async #fail(due: DueListing, error: unknown): Promise<void> {
    const { database, clock } = this.#options;
    const { code, retryAfter } = toLiveError(error);
    this.#count(code);
    // It is marked as deleted, and no longer due.
    if (code === 'not_found_upstream') return;
    const now = clock.now();
    if (retryAfter !== null) this.#resumeAt = now + retryAfter;
    this.#failures = SOURCE_FAILURES.includes(code) ? MAX_FAILURES : this.#failures + 1;
    const pause = Math.min(due.interval, MINUTE_OF_BUDGET * 2 ** Math.min(due.failures, 10));
    await database.write((sql) => updateFailed(sql, due, now + pause));
  }
}
