// Matching of watchers: turns the log of changes into events, in the one process that has the lease of this work. The others keep
// the watchers in memory, too, so that one of them takes over without loading them first.

import type { ChangeEntry } from '../../changes/change.ts';
import { CHANGES_CHANNEL, headSequence, readChanges } from '../../changes/change-store.ts';
import { type Clock, pause, systemClock } from '../../lib/clock.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import { type Licences, readerOfOwner } from '../../licence/licences.ts';
import type { ChangeState } from '../../listings/change-state.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import { listen } from '../../postgres/client/listen.ts';
import { WorkLease, WorkTaken } from '../../postgres/leases/work-lease.ts';
import type { EventBatch } from '../events/event.ts';
import { findPosition, MATCHING_LEASE, movePosition, PositionMoved } from '../events/position-store.ts';
import { writeEvents } from '../events/write-store.ts';
import { BatchMatcher, type IsOpen } from './batch-matcher.ts';
import { findWrittenEvents } from './former-shards-store.ts';
import { LoadedWatchers } from './load-watchers.ts';
import { createMatchingReads, type FindOwnerReach } from './matching-reads.ts';

export interface MatchingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
  /** What is open to the owners of watchers: read again before each batch, so that it is as new as its changes. */
  readonly licences: Pick<Licences, 'refresh' | 'reachOf'>;
  /** Milliseconds for which a process is the matcher without a renewal; default six seconds. */
  readonly lease?: number;
  /** Milliseconds between two looks of a process that stands by at what has become of the watchers; default ten seconds. */
  readonly follow?: number;
  /** Called between the steps of a batch, for tests that stop the process there. */
  readonly onStep?: (step: MatchingStep) => void | Promise<void>;
}

/** `written`: all but the commit. */
export type MatchingStep = 'read' | 'matched' | 'written' | 'committed';

export interface MatchingStatus {
  /** Whether this process is the one that matches. */
  readonly isMatcher: boolean;
  readonly watchers: number;
  /** Watchers in the memory of a process that stands by. */
  readonly standbyWatchers: number;
  /** Changes that have not become events yet, as of the last look at the log. */
  readonly lag: number;
  /** Milliseconds since the oldest of them was written; 0 without any. */
  readonly lagTime: number;
  readonly changes: number;
  readonly events: number;
  /** Milliseconds spent in matching. */
  readonly matchTime: number;
}

/** The work of the process that has the lease. */
interface Matched {
  /** The fence of the lease under which it took over. */
  readonly fence: number;
  readonly matcher: BatchMatcher;
  /** Up to here the log has become events. */
  position: number;
}

/** Milliseconds by the system's clock, as all that is about the database. */
const LEASE = 6_000;
const RENEWAL = 1_000;
/** Entries of one transaction. */
const BATCH = 500;
/** Milliseconds until the log is read all the same without a notification. */
const POLL = 1_000;
const RETRY = 500;
/** Milliseconds: what has become of the watchers in so much time is left to read when a process takes over. */
const FOLLOW = 10_000;
/** Milliseconds for one transaction of events. */
const WRITE_TIMEOUT = 30_000;

export class Matching {
  readonly #options: MatchingOptions;
  readonly #lease: WorkLease;
  readonly #stopping = new AbortController();
  #renewal: PeriodicWork | null = null;
  #matched: Matched | null = null;
  /** The watchers of a process that stands by, or is about to take over. */
  #spare: LoadedWatchers | null = null;
  #followedAt = 0;
  #isWriting = false;
  #wake: () => void = () => {};
  #status = { lag: 0, lagTime: 0, changes: 0, events: 0, matchTime: 0 };
  #running: Promise<void> = Promise.resolve();

  constructor(options: MatchingOptions) {
    this.#options = options;
    this.#lease = new WorkLease(options.database, MATCHING_LEASE, options.lease ?? LEASE);
  }

  start(): void {
    const { database, report } = this.#options;
    const wake = () => this.#wake();
    const listener = listen(database, CHANGES_CHANNEL, wake, wake, { onError: report });
    this.#renewal = startPeriodicWork({
      clock: systemClock,
      pause: RENEWAL,
      report,
      work: () => this.#renew(),
    });
    this.#running = this.#run().finally(() => listener.close());
  }

  /** Finishes the batch under way and gives the lease back at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#renewal?.stop();
    await this.#lease.release().catch(this.#options.report);
  }

  status(): MatchingStatus {
    const watchers = this.#matched?.matcher.watchers ?? 0;
    const standbyWatchers = this.#spare?.matcher.watchers ?? 0;
    return { ...this.#status, isMatcher: this.#matched !== null, watchers, standbyWatchers };
  }

  async #renew(): Promise<void> {
    // A transaction of events renews the lease itself, and would be waited for.
    if (this.#isWriting) return;
    const before = this.#lease.fence;
    await this.#lease.acquire();
    if (this.#lease.fence !== before) this.#wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      try {
        const matched = await this.#takeOverIfDue();
        if (matched !== null && (await this.#step(matched))) continue;
        await pause(systemClock, POLL, AbortSignal.any([signal, woken.signal]));
      } catch (error) {
        if (signal.aborted) return;
        this.#report(error);
        await pause(systemClock, RETRY, signal);
      }
    }
  }

  /** The work, taken over first where this process has just taken the lease; null: another process matches. */
  async #takeOverIfDue(): Promise<Matched | null> {
    if (this.#matched !== null && this.#matched.fence === this.#lease.fence) return this.#matched;
    this.#unload();
    const spare = this.#spare ?? (await this.#load());
    const { fence } = this.#lease;
    const { database, follow = FOLLOW } = this.#options;
    const isFollowDue = systemClock.monotonic() >= this.#followedAt + follow;
    if (fence === null && !isFollowDue) {
      this.#spare = spare;
      return null;
    }
    // What fails in between leaves them of no use.
    this.#spare = null;
    const from = await database.read(findPosition);
    const position = await spare.moveTo(from);
    if (fence === null) {
      this.#spare = spare;
      this.#followedAt = systemClock.monotonic();
      return null;
    }
    const { matcher } = spare;
    matcher.isWritten = await database.read(findWrittenEvents);
    // Readers wait for the position: one that skips what concerns nobody moves at once.
    if (position > from)
      await database.transaction(async (tx) => {
        await this.#lease.hold(tx, fence);
        await movePosition(tx, from, position);
        await writeEvents(tx, { events: [], contents: [], withdrawals: [] });
      });
    this.#matched = { fence, matcher, position };
    return this.#matched;
  }

  #load(): Promise<LoadedWatchers> {
    const { database, licences } = this.#options;
    const reachOf: FindOwnerReach = (owner) => licences.reachOf('watchers', readerOfOwner(owner));
    const reads = createMatchingReads(database, (read) => this.#retried(read), reachOf);
    const isOpen: IsOpen = (owner, licence) => reachOf(owner).has(Number(licence));
    this.#followedAt = systemClock.monotonic();
    return LoadedWatchers.load(database, new BatchMatcher(reads, isOpen), this.#stopping.signal);
  }

  /** Matches the next entries and writes their events; false: there are none. */
  async #step(matched: Matched): Promise<boolean> {
    const { database, onStep, clock } = this.#options;
    const { position, matcher } = matched;
    const entries = await database.read((sql) => readChanges<ChangeState>(sql, position, BATCH), {
      planned: 'once',
    });
    await this.#measureLag(entries, position);
    const end = entries.at(-1)?.sequence;
    if (end === undefined) return false;
    await this.#options.licences.refresh();
    await onStep?.('read');
    try {
      const start = clock.monotonic();
      const batch = await matcher.match(entries);
      this.#status.matchTime += clock.monotonic() - start;
      await onStep?.('matched');
      await this.#write(matched, batch, end);
      this.#status.events += batch.events.length;
    } catch (error) {
      // Those in memory are past a batch that was not written.
      this.#unload();
      throw error;
    }
    await onStep?.('committed');
    matched.position = end;
    this.#status.changes += entries.length;
    return true;
  }

  #unload(): void {
    this.#matched = null;
    this.#status.lag = 0;
    this.#status.lagTime = 0;
  }

  #report(error: unknown): void {
    // Another process matches from now on.
    if (!(error instanceof WorkTaken)) this.#options.report(error);
  }

  /** Reads until it succeeds or the matching stops. */
  async #retried<T>(read: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await read();
      } catch (error) {
        if (this.#stopping.signal.aborted) throw error;
        this.#options.report(error);
        await pause(systemClock, RETRY, this.#stopping.signal);
      }
    }
  }

  async #measureLag(entries: readonly ChangeEntry<ChangeState>[], from: number): Promise<void> {
    const [first] = entries;
    const head =
      entries.length < BATCH ? from + entries.length : await this.#options.database.read(headSequence);
    this.#status.lag = head - from;
    this.#status.lagTime = first === undefined ? 0 : Math.max(0, this.#options.clock.now() - first.at);
  }

  /** Writes until it is known to be written, since loading again takes long. Throws WorkTaken once another process matches. */
  async #write({ fence, position }: Matched, batch: EventBatch, end: number): Promise<void> {
    const { database } = this.#options;
    for (;;) {
      this.#isWriting = true;
      try {
        await database.transaction((tx) => this.#writeBatch(tx, batch, { fence, from: position, to: end }), {
          timeout: WRITE_TIMEOUT,
          idleTimeout: this.#options.lease ?? LEASE,
        });
        return;
      } catch (error) {
        const isOver = error instanceof WorkTaken || error instanceof PositionMoved;
        if (isOver || this.#stopping.signal.aborted) throw error;
        this.#options.report(error);
      } finally {
        this.#isWriting = false;
      }
      await pause(systemClock, RETRY, this.#stopping.signal);
    }
  }

  async #writeBatch(
    tx: Transaction,
    batch: EventBatch,
    { fence, from, to }: { readonly fence: number; readonly from: number; readonly to: number },
  ): Promise<void> {
    await this.#lease.hold(tx, fence);
    // It is there already where the answer of an earlier commit was lost.
    if (!(await movePosition(tx, from, to))) return;
    await writeEvents(tx, batch);
    await this.#options.onStep?.('written');
    // A large batch may have taken longer than the lease.
    await this.#lease.hold(tx, fence);
  }
}
