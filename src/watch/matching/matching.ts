// Matching of watchers: turns the log of changes into events, for the shards that this process holds.

import { randomUUID } from 'node:crypto';
import type { ChangeEntry } from '../../changes/change.ts';
import { CHANGES_CHANNEL, headSequence, readChanges } from '../../changes/change-store.ts';
import { type Clock, pause, systemClock } from '../../lib/clock.ts';
import type { ChangeState } from '../../listings/change-state.ts';
import type { Database } from '../../postgres/client/database.ts';
import { listen } from '../../postgres/client/listen.ts';
import type { EventBatch, ShardPosition } from '../events/event.ts';
import { LostLease, writeEvents } from '../events/write-store.ts';
import { BatchMatcher, type MatchedBatch } from './batch-matcher.ts';
import { findLeases } from './lease-store.ts';
import { loadShard } from './load-shard.ts';
import { createMatchingReads } from './matching-reads.ts';
import { ShardLeases } from './shard-leases.ts';

export interface MatchingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
  /** Called between the steps of a batch, for tests that stop the process there. */
  readonly onStep?: (step: MatchingStep) => void | Promise<void>;
}

/** `checked`: the leases were found to be held; `written`: all but the commit. */
export type MatchingStep = 'read' | 'matched' | 'checked' | 'written' | 'committed';

export interface MatchingStatus {
  readonly shards: number;
  readonly watchers: number;
  /** Changes that the slowest shard of this process has not passed yet, as of the last look at the log. */
  readonly lag: number;
  /** Milliseconds since the oldest of them was written; 0 without any. */
  readonly lagTime: number;
  readonly changes: number;
  readonly events: number;
  /** Milliseconds spent in matching. */
  readonly matchTime: number;
}

/** Entries of one transaction. */
const BATCH = 500;
/** Milliseconds by the system's clock, as all that is about the database: without a notification until the log is read all the same. */
const POLL = 1_000;
const RETRY = 500;
/** Milliseconds for one transaction of events. */
const WRITE_TIMEOUT = 30_000;

export class Matching {
  readonly #options: MatchingOptions;
  readonly #leases: ShardLeases;
  readonly #matcher: BatchMatcher;
  readonly #stopping = new AbortController();
  /** Shards whose watchers are in memory, with the fence that they were loaded under. */
  readonly #loaded = new Map<number, number>();
  readonly #positions = new Map<number, number>();
  #wake: () => void = () => {};
  #status = { lag: 0, lagTime: 0, changes: 0, events: 0, matchTime: 0 };
  #running: Promise<void> = Promise.resolve();

  constructor(options: MatchingOptions) {
    this.#options = options;
    this.#matcher = new BatchMatcher(createMatchingReads(options.database, (read) => this.#retried(read)));
    this.#leases = new ShardLeases({ ...options, holder: randomUUID(), onChange: () => this.#wake() });
  }

  start(): void {
    const { database, report } = this.#options;
    const wake = () => this.#wake();
    const listener = listen(database, CHANGES_CHANNEL, wake, wake, { onError: report });
    this.#leases.start();
    this.#running = this.#run().finally(() => listener.close());
  }

  /** Finishes the batch under way and gives the leases back at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#leases.stop();
  }

  status(): MatchingStatus {
    return { ...this.#status, shards: this.#loaded.size, watchers: this.#matcher.watchers };
  }

  async #run(): Promise<void> {
    const { report } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      try {
        await this.#updateShards();
        if (await this.#step()) continue;
        await pause(systemClock, POLL, AbortSignal.any([signal, woken.signal]));
      } catch (error) {
        if (!(error instanceof LostLease)) report(error);
        await pause(systemClock, RETRY, signal);
      }
    }
  }

  /** Loads the watchers of shards that were leased, and drops those of shards that were lost. */
  async #updateShards(): Promise<void> {
    const { database } = this.#options;
    const held = this.#leases.held();
    const lost = [...this.#loaded].filter(([shard, fence]) => held.get(shard)?.fence !== fence);
    for (const [shard] of lost) this.#loaded.delete(shard);
    for (const [shard] of lost) this.#positions.delete(shard);
    if (lost.length > 0) this.#matcher.removeShards(new Set(lost.map(([shard]) => shard)));
    const gained = [...held.values()].filter(({ shard }) => !this.#loaded.has(shard));
    const advanced: ShardPosition[] = [];
    for (const { shard, fence } of gained) {
      if (this.#stopping.signal.aborted) return;
      // As of now: the position may have moved since the lease was renewed.
      const [lease] = await database.read((sql) => findLeases(sql, [shard]));
      if (lease?.fence !== fence) continue;
      const position = await loadShard(database, lease, this.#matcher);
      this.#loaded.set(shard, fence);
      this.#positions.set(shard, position);
      if (position > lease.position) advanced.push({ shard, fence, position });
    }
    if (gained.length === 0) return;
    this.#matcher.pack();
    // Readers wait for the slowest shard: one that skipped what concerns nobody says so at once.
    if (advanced.length > 0)
      await database.transaction((tx) =>
        writeEvents(tx, { events: [], contents: [], withdrawals: [], positions: advanced }),
      );
  }

  /** Matches the next entries that some shard has not passed, and writes their events; false: there are none. */
  async #step(): Promise<boolean> {
    const { database, onStep, clock } = this.#options;
    if (this.#positions.size === 0) return false;
    const from = Math.min(...this.#positions.values());
    const entries = await database.read((sql) => readChanges<ChangeState>(sql, from, BATCH), {
      planned: 'once',
    });
    await this.#measureLag(entries, from);
    if (entries.length === 0) return false;
    await onStep?.('read');
    const begun = clock.monotonic();
    const batch = await this.#matcher.match(entries, this.#positions).catch((error: unknown) => {
      this.#unload();
      throw error;
    });
    this.#status.matchTime += clock.monotonic() - begun;
    await onStep?.('matched');
    await this.#write(batch);
    await onStep?.('committed');
    this.#status.changes += entries.length;
    this.#status.events += batch.events.length;
    return true;
  }

  /** Forgets all watchers: those in memory are past a batch that was not written. */
  #unload(): void {
    this.#matcher.removeShards(new Set(this.#loaded.keys()));
    this.#loaded.clear();
    this.#positions.clear();
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

  /** Writes until it is known to be written: what is in memory is already past the batch. */
  async #write(batch: MatchedBatch): Promise<void> {
    const { database, report, onStep } = this.#options;
    for (;;) {
      const pending = await this.#pending(batch).catch(report);
      if (pending?.positions.length === 0) break;
      await onStep?.('checked');
      try {
        if (pending)
          await database.transaction(
            async (tx) => {
              await writeEvents(tx, pending);
              await onStep?.('written');
            },
            { timeout: WRITE_TIMEOUT },
          );
        if (pending) break;
      } catch (error) {
        if (!(error instanceof LostLease)) report(error);
      }
      if (this.#stopping.signal.aborted) return this.#unload();
      await pause(systemClock, RETRY);
    }
    for (const [shard, position] of this.#positions)
      this.#positions.set(shard, Math.max(position, batch.end));
  }

  /** What of a batch is still to be written: for shards that are still held and have not passed it. */
  async #pending(batch: MatchedBatch): Promise<EventBatch> {
    const { database } = this.#options;
    const leases = await database.read((sql) => findLeases(sql, [...this.#positions.keys()]));
    const due = leases.filter(
      ({ shard, fence, position }) => this.#loaded.get(shard) === fence && position < batch.end,
    );
    const shards = new Set(due.map(({ shard }) => shard));
    return {
      events: batch.events.filter(({ shard }) => shards.has(shard)).map(({ draft }) => draft),
      contents: batch.contents,
      withdrawals: batch.withdrawals,
      positions: due.map(({ shard, fence }) => ({ shard, fence, position: batch.end })),
    };
  }
}
