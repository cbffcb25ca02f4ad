// Worker of queued events: reads the listings of a source that events named, in one process at a time.

import { listingId } from '../ingest/identity.ts';
import { type Clock, DAY, MINUTE } from '../lib/clock.ts';
import { type Refresh, toLiveError } from '../live/refresh.ts';
import type { Database } from '../postgres/client/database.ts';
import type { HeldLease } from '../postgres/leases/held-lease.ts';
import { startLeasedWork } from '../postgres/leases/leased-work.ts';
import type { LiveFailure } from '../sources/source.ts';
import { readPosition } from '../sources/store.ts';
import type { EventMetrics, WorkedOutcome } from './event-metrics.ts';
import { countQueued, deleteQueued, findDue, postpone, type QueuedRecord } from './event-store.ts';

export interface EventWorkerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly source: { readonly id: string };
  readonly refresh: Refresh;
  readonly eventMetrics: EventMetrics;
  readonly report: (error: unknown) => void;
}

/** Milliseconds between two looks at the queue. */
const PAUSE = 2_000;
/** Listings read at once: a part of those that readers share. */
const BATCH = 4;
/** Reads of a listing that may fail; after that it is left to the next round that reads everything. */
const MAX_ATTEMPTS = 5;
/** Milliseconds until a failed read is tried again; doubled with each. */
const RETRY = 15_000;
const MAX_RETRY = 10 * MINUTE;
/** Milliseconds after which an event says nothing that the rounds of changes have not brought. */
const MAX_AGE = DAY;

/** Failures of the source whatever the listing: nothing else is read before it has had a pause. */
const OF_SOURCE: readonly LiveFailure[] = [
  'upstream_rate_limited',
  'upstream_unauthorized',
  'upstream_unavailable',
];

/** Works off the events of a source, now and until it is stopped. */
export function startEventWorker(options: EventWorkerOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const worker = new EventWorker(options, stopping.signal);
  const work = startLeasedWork({
    ...options,
    name: `events of ${options.source.id}`,
    pause: PAUSE,
    isDue: () => worker.isDue(),
    work: (lease, isOver) => worker.run(lease, isOver),
  });
  return {
    stop() {
      stopping.abort();
      return work.stop();
    },
  };
}

/** What became of one read. Null: the source failed, and the listing waits as before. */
type Outcome = WorkedOutcome | null;

class EventWorker {
  readonly #options: EventWorkerOptions;
  readonly #signal: AbortSignal;
  /** Milliseconds since the epoch until which the source is left alone. */
  #resumeAt = 0;
  #pauses = 0;

  constructor(options: EventWorkerOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Whether there is something to read, and the source can be read. */
  async isDue(): Promise<boolean> {
    const { database, clock, source, eventMetrics } = this.#options;
    const { waiting, due, oldest } = await database.read((sql) =>
      countQueued(sql, source.id, new Date(clock.now())),
    );
    eventMetrics.waiting(source.id, waiting, oldest);
    return due > 0 && !this.#isPaused && (await this.#isLoaded());
  }

  /** One round: until nothing is due, or the source fails. */
  async run(lease: HeldLease, isOver: () => boolean): Promise<void> {
    while (!isOver() && (await this.#workBatch(lease)));
  }

  /** During a first load nobody is notified, and all listings come anyway. */
  async #isLoaded(): Promise<boolean> {
    const { database, source } = this.#options;
    return (await database.read((sql) => readPosition(sql, source.id))).loadedAt !== null;
  }

  get #isPaused(): boolean {
    return this.#signal.aborted || this.#options.clock.now() < this.#resumeAt;
  }

  /** Reads the next listings; false where nothing else is to be read in this round. */
  async #workBatch(lease: HeldLease): Promise<boolean> {
    const { database, clock, source, eventMetrics } = this.#options;
    if (this.#isPaused) return false;
    const due = await database.read((sql) => findDue(sql, source.id, new Date(clock.now()), BATCH));
    if (due.length === 0) return false;
    const worked = await Promise.all(
      due.map(async (record) => ({ record, outcome: await this.#work(record) })),
    );
    await lease.transaction(async (tx) => {
      for (const { record, outcome } of worked) {
        if (outcome === 'failed') await postpone(tx, source.id, record, this.#retryAt(record));
        else if (outcome !== null) await deleteQueued(tx, source.id, record);
      }
    });
    for (const { outcome } of worked) if (outcome !== null) eventMetrics.worked(source.id, outcome);
    return true;
  }

  #retryAt({ attempts }: QueuedRecord): Date {
    return new Date(this.#options.clock.now() + Math.min(RETRY * 2 ** attempts, MAX_RETRY));
  }

  async #work({ key, attempts, receivedAt }: QueuedRecord): Promise<Outcome> {
    const { clock, source, refresh } = this.#options;
    if (clock.now() - receivedAt > MAX_AGE) return 'left';
    try {
      await refresh({ id: listingId(source.id, key), source: source.id, listingKey: key }, this.#signal);
      this.#pauses = 0;
      return 'refreshed';
    } catch (error) {
      if (this.#signal.aborted) return null;
      const { code, retryAfter } = toLiveError(error);
      if (code === 'not_found_upstream') return 'gone';
      if (code === 'live_unsupported') return 'left';
      if (OF_SOURCE.includes(code)) {
        this.#pause(retryAfter);
        return null;
      }
      return attempts + 1 < MAX_ATTEMPTS ? 'failed' : 'left';
    }
  }

  /** Those of one batch fail together, and count as one. */
  #pause(retryAfter: number | null): void {
    const now = this.#options.clock.now();
    if (now >= this.#resumeAt) this.#pauses++;
    const wait = Math.min(RETRY * 2 ** (this.#pauses - 1), MAX_RETRY);
    this.#resumeAt = Math.max(this.#resumeAt, now + Math.max(wait, retryAfter ?? 0));
  }
}
