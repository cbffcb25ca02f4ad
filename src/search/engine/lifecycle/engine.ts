// Engine: the listings on the market in memory, loaded from the database and kept up to date by the log of changes.

import { headSequence } from '../../../changes/change-store.ts';
import { createFollower, type Follower, LogGap } from '../../../changes/follower.ts';
import { type Clock, pause, withDeadline } from '../../../lib/clock.ts';
import type { ChangeState } from '../../../listings/change-state.ts';
import type { Database } from '../../../postgres/client/database.ts';
import type { Generation } from '../columns/segment.ts';
import type { Base, BaseBuilder } from '../segments/build-base.ts';
import type { LoadProgress } from '../segments/load-store.ts';
import { bytesOf, memoryLimit, requireMemory, TooLittleMemory } from './engine-memory.ts';
import { IndexManager, MAX_TAIL } from './index-manager.ts';
import { rowChanges } from './row-changes.ts';
import type { EngineState, EngineStatus, SearchEngine } from './search-engine.ts';
import { SequenceWaiters } from './sequence-waiters.ts';

export interface SearchEngineOptions {
  readonly database: Database;
  /** Closed with the engine. */
  readonly builder: BaseBuilder;
  /** For limits of waiting. */
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
  /** Called each time that searches begin to be answered from memory. */
  readonly onReady?: (rows: number) => void;
  /** Called each time that listings were loaded: the database may be another one than before. */
  readonly onLoad?: () => void;
  /** Bytes that the process may use; default: what the system says. */
  readonly memory?: number;
  readonly maxTail?: typeof MAX_TAIL;
}

/** Listings that are loaded so fast that a start waits for them. */
const FEW_ROWS = 20_000;
/** Entries of the log that are read at once. */
const BATCH = 100;
/** Milliseconds between a failed load and the next. */
const RETRY_PAUSE = 1_000;
/** Milliseconds that a start waits for a database that does not answer. */
const START_TIMEOUT = 2_000;

export function createSearchEngine(options: SearchEngineOptions): SearchEngine {
  return new Engine(options);
}

class Engine implements SearchEngine {
  readonly #options: SearchEngineOptions;
  readonly #stopping = new AbortController();
  readonly #waiters = new SequenceWaiters();
  readonly #started = Promise.withResolvers<void>();
  #running = Promise.resolve();
  /** Ends the following of the log for another load. */
  #reload = new AbortController();

  #isOff = false;
  #generation: Generation | null = null;
  #manager: IndexManager | null = null;
  #follower: Follower<ChangeState> | null = null;
  /** Whether the log went on from where the last load ended. */
  #hasFollowed = false;
  #progress: LoadProgress | null = null;
  #failure: string | null = null;
  /** Monotonic milliseconds: whatever was committed before is in the last base. */
  #loadedAt = 0;
  #loads = 0;
  #rebuilds = 0;
  #rebuildTime = 0;

  constructor(options: SearchEngineOptions) {
    this.#options = options;
  }

  generation(): Generation | null {
    return this.#generation;
  }

  status(): EngineStatus {
    const generation = this.#generation;
    return {
      state: this.#state(),
      progress: this.#progress,
      failure: this.#failure,
      sequence: generation?.sequence ?? 0,
      lagMs: this.lagMs(),
      rows: generation === null ? 0 : rowsOf(generation),
      tailRows: this.#manager?.tailRows ?? 0,
      bytes: generation === null ? 0 : bytesOf(generation),
      loads: this.#loads,
      rebuilds: this.#rebuilds,
      rebuildTime: this.#rebuildTime,
    };
  }

  lagMs(): number | null {
    if (this.#generation === null) return null;
    return this.#options.database.clock.monotonic() - (this.#follower?.completeAt ?? this.#loadedAt);
  }

  #state(): EngineState {
    if (this.#isOff) return 'off';
    if (this.#generation !== null) return 'ready';
    return this.#failure === null ? 'filling' : 'unusable';
  }

  waitFor(sequence: number, signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(sequence, signal);
  }

  async catchUp(limit: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#generation === null) return true;
    const { database, clock } = this.#options;
    const onTimeout = () => new Error('The engine is behind the log of changes');
    try {
      await withDeadline({ clock, milliseconds: limit, parent: signal, onTimeout }, async (limited) =>
        this.waitFor(await database.read(headSequence, { planned: 'once' }), limited),
      );
      return true;
    } catch {
      signal?.throwIfAborted();
      return false;
    }
  }

  start(): Promise<void> {
    this.#running = this.#run();
    const timeout = pause(this.#options.database.clock, START_TIMEOUT, this.#stopping.signal);
    return Promise.race([this.#started.promise, timeout]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#started.resolve();
    await this.#options.builder.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { database, report } = this.#options;
    const stopping = this.#stopping.signal;
    while (!stopping.aborted && !this.#isOff) {
      this.#reload = new AbortController();
      const signal = AbortSignal.any([stopping, this.#reload.signal]);
      try {
        await this.#loadAndFollow(signal);
      } catch (error) {
        if (signal.aborted) continue;
        report(error);
        this.#failure = messageOf(error);
        if (error instanceof TooLittleMemory) this.#turnOff(error.message);
        // A log that was put back ends earlier than what was passed.
        if (error instanceof LogGap) this.#waiters.pass(Number.NEGATIVE_INFINITY);
        this.#started.resolve();
        // Whoever lost its place in the log serves what it has until it is loaded again. A gap right after a load may be there
        // after the next one too.
        if (!(error instanceof LogGap && this.#hasFollowed)) await pause(database.clock, RETRY_PAUSE, signal);
      } finally {
        this.#progress = null;
      }
    }
  }

  async #loadAndFollow(signal: AbortSignal): Promise<void> {
    const { database, report } = this.#options;
    const ending = new AbortController();
    const { from, follower, manager } = await this.#begin(signal, ending.signal);
    try {
      await manager.apply([], from);
      for await (const entries of follower.entries(signal)) {
        const changes = await rowChanges(database, entries, { report, signal });
        if (signal.aborted) return;
        await manager.apply(changes, entries.at(-1)?.sequence ?? from);
      }
    } finally {
      this.#hasFollowed = follower.completeAt !== null || follower.position > from;
      ending.abort();
      await manager.idle();
    }
  }

  /** Loads, and is done before anything is followed: whoever follows would hold what was loaded long after it was replaced. */
  async #begin(signal: AbortSignal, ending: AbortSignal) {
    const { database, report } = this.#options;
    const loadedAt = database.clock.monotonic();
    const base = await this.#load(signal);
    const head = await database.read(headSequence);
    const { sequence: from } = base;
    const follower = createFollower<ChangeState>(database, {
      from,
      report,
      batchSize: BATCH,
      endsAtGap: true,
    });
    const manager = this.#createManager(base, AbortSignal.any([signal, ending]), (generation) => {
      // Nobody is shown less than was there when it was loaded, nor what is out of use since changes began to be applied.
      if (signal.aborted || generation.sequence < head) return;
      this.#manager = manager;
      this.#follower = follower;
      this.#loadedAt = loadedAt;
      this.#publish(generation);
    });
    return { from, follower, manager };
  }

  #createManager(
    base: Base,
    signal: AbortSignal,
    onGeneration: (generation: Generation) => void,
  ): IndexManager {
    const { builder, database, report, maxTail = MAX_TAIL } = this.#options;
    return new IndexManager(base, {
      signal,
      maxTail,
      onGeneration,
      merge: async (generation) => {
        requireMemory(rowsOf(generation), this.#memory);
        return builder.merge(generation, signal);
      },
      onFailure: (error) => {
        report(error);
        if (error instanceof TooLittleMemory) this.#turnOff(error.message);
      },
      onRebuilt: (milliseconds) => {
        this.#rebuilds++;
        this.#rebuildTime += milliseconds;
      },
      monotonic: () => database.clock.monotonic(),
    });
  }

  async #load(signal: AbortSignal): Promise<Base> {
    const refused = new AbortController();
    const onProgress = (progress: LoadProgress): void => {
      this.#progress = progress;
      if (progress.total > FEW_ROWS) this.#started.resolve();
      try {
        // The total is what the planner believes, which may be far too many: nobody is refused for that.
        requireMemory(progress.rows, this.#memory, progress.total);
      } catch (error) {
        refused.abort(error);
      }
    };
    const either = AbortSignal.any([signal, refused.signal]);
    const base = await this.#options.builder.load(onProgress, either).catch((error: unknown) => {
      refused.signal.throwIfAborted();
      throw error;
    });
    // A file of columns is read without progress.
    requireMemory(base.segments.rental.rows + base.segments.sale.rows, this.#memory);
    this.#loads++;
    this.#options.onLoad?.();
    return base;
  }

  get #memory(): number {
    return this.#options.memory ?? memoryLimit();
  }

  #publish(generation: Generation): void {
    if (this.#generation === null) this.#options.onReady?.(rowsOf(generation));
    this.#generation = generation;
    this.#failure = null;
    this.#progress = null;
    this.#waiters.pass(generation.sequence);
    this.#started.resolve();
  }

  #turnOff(reason: string): void {
    this.#isOff = true;
    this.#failure = reason;
    this.#generation = null;
    this.#manager = null;
    this.#reload.abort();
    this.#started.resolve();
  }
}

const rowsOf = ({ tables }: Generation): number => tables.rental.live + tables.sale.live;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
