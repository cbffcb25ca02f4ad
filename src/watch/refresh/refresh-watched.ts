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

/** A source of watched listings, as far as this process can read it. */
export interface RefreshedSource {
  readonly id: string;
  readonly source: { readonly refreshesPerMinute: number } | null;
  readonly control: { readonly pausedAt: string | null };
}

export interface RefreshWatchedOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly tiers: Tiers;
  readonly sources: { list(): readonly RefreshedSource[] };
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

/** What is due of one source. */
interface Round {
  readonly source: string;
  readonly queue: Iterable<DueListing>;
  /** In a row. */
  failures: number;
}

/** Refreshes what is due, round by round. */
export class WatchedRefresher {
  readonly #options: RefreshWatchedOptions;
  readonly #signal: AbortSignal;
  readonly #count: (outcome: string) => void;
  /** Wall-clock milliseconds until which each source asked to wait. */
  readonly #resumeAt = new Map<string, number>();

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

  /** One round of all sources: one that is down delays no other. What it leaves undone is due in a later one. */
  async run(): Promise<void> {
    const rounds = this.#options.sources
      .list()
      .map(({ id, source, control }) =>
        source === null || control.pausedAt !== null ? null : this.#runOf(id, source.refreshesPerMinute),
      );
    const failed = (await Promise.allSettled(rounds)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #runOf(source: string, perMinute: number): Promise<void> {
    const { database, clock, tiers } = this.#options;
    const now = clock.now();
    if (perMinute <= 0 || now < (this.#resumeAt.get(source) ?? 0)) return;
    const intervals = Object.fromEntries(
      PLANS.flatMap((plan) => (tiers[plan].refresh === null ? [] : [[plan, tiers[plan].refresh]])),
    );
    const max = Math.ceil((perMinute * PAUSE) / MINUTE);
    const request = { source, intervals, now, perMinute, max };
    const due = await database.transaction((tx) => claimListings(tx, request), { repeatable: true });
    if (due.length === 0) return;
    const round: Round = { source, queue: due.values(), failures: 0 };
    await Promise.all(Array.from({ length: CONCURRENCY }, () => this.#work(round)));
    await database.write((sql) => deleteOldAttempts(sql, now - DAY, OLD_ATTEMPTS));
  }

  /** Refreshes listings of a queue that others take from, too. */
  async #work(round: Round): Promise<void> {
    for (const due of round.queue) {
      if (this.#signal.aborted || round.failures >= MAX_FAILURES) return;
      await this.#refresh(due, round);
    }
  }

  async #refresh(due: DueListing, round: Round): Promise<void> {
    const { database, catalogue, refresh } = this.#options;
    const stored = await catalogue.listing(due.id);
    if (stored === null) return;
    try {
      await refresh(stored, this.#signal);
    } catch (error) {
      if (this.#signal.aborted) return;
      return this.#fail(due, round, error);
    }
    round.failures = 0;
    this.#count('refreshed');
    await database.write((sql) => updateRefreshed(sql, due));
  }

  async #fail(due: DueListing, round: Round, error: unknown): Promise<void> {
    const { database, clock } = this.#options;
    const { code, retryAfter } = toLiveError(error);
    this.#count(code);
    // It is marked as deleted, and no longer due.
    if (code === 'not_found_upstream') return;
    const now = clock.now();
    if (retryAfter !== null) this.#resumeAt.set(round.source, now + retryAfter);
    round.failures = SOURCE_FAILURES.includes(code) ? MAX_FAILURES : round.failures + 1;
    const pause = Math.min(due.interval, MINUTE_OF_BUDGET * 2 ** Math.min(due.failures, 10));
    await database.write((sql) => updateFailed(sql, due, now + pause));
  }
}
