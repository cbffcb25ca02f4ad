// Market facts: what figures of the market are computed from, held in memory while people ask for figures, and kept up to date.

import { type ChangeEntry, isListingChange, stateBefore } from '../../changes/change.ts';
import { headAndSnapshot } from '../../changes/change-store.ts';
import { createFollower } from '../../changes/follower.ts';
import { findLoadedListings } from '../../changes/load-store.ts';
import { type Clock, HOUR, pause, withDeadline } from '../../lib/clock.ts';
import type { ChangeState } from '../../listings/change-state.ts';
import type { Database, Sql } from '../../postgres/client/database.ts';
import {
  megabytes,
  memoryLimit,
  sumBytes,
  TooLittleMemory,
} from '../../search/engine/lifecycle/engine-memory.ts';
import { SequenceWaiters } from '../../search/engine/lifecycle/sequence-waiters.ts';
import { copyFactsOf, expectedListings } from './fact-store.ts';
import { type Facts, FactWriter } from './fact-writer.ts';
import { type LoadFacts, loadFacts } from './load-facts.ts';

export interface MarketFactsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
  /** Called each time that figures begin to be computed from memory. */
  readonly onReady?: (listings: number) => void;
  /** Bytes that the process may use; default: what the system says. */
  readonly memory?: number;
  /** Loads the facts; default: in this thread. */
  readonly load?: LoadFacts | undefined;
}

export interface FactsStatus {
  /** Whether figures are computed from memory. */
  readonly isReady: boolean;
  readonly rows: number;
  readonly bytes: number;
  readonly loads: number;
  /** How often facts were given. */
  readonly answers: number;
}

/** Where facts come from; null: PostgreSQL computes figures itself. */
export interface FactSource {
  /** All facts that were committed when this was called; null while they are not in memory. Begins to load them. */
  current(signal?: AbortSignal): Promise<HeldFacts | null>;
}

/** Facts with a snapshot of the database all of whose commits are in them; they may have later ones too. */
export interface HeldFacts extends Facts {
  readonly snapshot: string;
}

/** One state of the facts for all that is asked of it: the one at the first question. */
export function oneState(facts: FactSource): FactSource {
  let found: Promise<HeldFacts | null> | undefined;
  return {
    current(signal) {
      found ??= facts.current(signal);
      return found;
    },
  };
}

/** Of a deployment that holds nothing in memory. */
export const NO_FACTS: FactSource = { current: async () => null };

/** Bytes of a listing with its periods and events, as measured; docs/operations.md tells operators. */
export const BYTES_PER_LISTING = 500;
/** Arrays grow by doubling, and the thread that loads them needs memory, too. */
const SHARE_WHILE_LOADED = 2;
/** Nobody asked for so long: the memory is given back. */
const IDLE = HOUR;
/** Milliseconds that a question waits for changes that were just committed. */
const LATEST_TIMEOUT = 250;
const RETRY_PAUSE = 1_000;
const BATCH = 100;
/** Rows that may be gone before everything is loaded again: a number, and a share of all. */
const MAX_GONE = { rows: 20_000, share: 0.25 };

export class MarketFacts implements FactSource {
  readonly #options: MarketFactsOptions;
  #waiters = new SequenceWaiters();
  #facts: Facts | null = null;
  /** Ends the following of the log; null: nobody asked. */
  #following: AbortController | null = null;
  #running = Promise.resolve();
  #keepUntilIdle = (): void => {};
  #isStopped = false;
  #loads = 0;
  #answers = 0;

  constructor(options: MarketFactsOptions) {
    this.#options = options;
  }

  async current(signal?: AbortSignal): Promise<HeldFacts | null> {
    const { database, clock } = this.#options;
    this.#start();
    if (this.#facts === null) return null;
    const onTimeout = () => new Error('The facts of the market are behind the log of changes');
    const waiters = this.#waiters;
    try {
      const { snapshot } = await withDeadline(
        { clock, milliseconds: LATEST_TIMEOUT, parent: signal, onTimeout },
        async (limited) => {
          const head = await database.read(headAndSnapshot, { planned: 'once' });
          await waiters.wait(head.sequence, limited);
          return head;
        },
      );
      if (this.#facts === null) return null;
      this.#answers++;
      return { ...this.#facts, snapshot };
    } catch {
      signal?.throwIfAborted();
      return null;
    }
  }

  status(): FactsStatus {
    const { tables } = this.#facts ?? {};
    return {
      isReady: tables !== undefined,
      rows: [...(tables?.rental ?? []), ...(tables?.sale ?? [])].reduce(
        (sum, part) => sum + part.columns.rows,
        0,
      ),
      bytes: sumBytes(tables),
      loads: this.#loads,
      answers: this.#answers,
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#release();
    await this.#running;
  }

  #start(): void {
    if (this.#isStopped) return;
    this.#keepUntilIdle();
    this.#keepUntilIdle = this.#options.clock.after(IDLE, () => this.#release());
    if (this.#following !== null) return;
    const following = new AbortController();
    this.#following = following;
    this.#running = this.#running.then(() => this.#run(following.signal));
  }

  #release(): void {
    this.#keepUntilIdle();
    this.#following?.abort();
    this.#following = null;
    this.#forget();
  }

  #forget(): void {
    this.#facts = null;
    this.#waiters = new SequenceWaiters();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { database, report } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#loadAndFollow(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#forget();
        report(error);
        // Memory does not grow: PostgreSQL goes on until the process is restarted.
        if (error instanceof TooLittleMemory) return;
        await pause(database.clock, RETRY_PAUSE, signal);
      }
    }
  }

  /** Resolves when so much is gone that all should be loaded again, or the signal aborts. */
  async #loadAndFollow(signal: AbortSignal): Promise<void> {
    const { database, report, onReady } = this.#options;
    this.#requireMemory(await database.read(expectedListings));
    const { load = (left: AbortSignal) => loadFacts(database, left) } = this.#options;
    const loaded = await load(signal);
    const { sequence: from } = loaded;
    const writer = await FactWriter.of(loaded);
    if (signal.aborted) return;
    this.#loads++;
    this.#publish(writer.facts(from));
    onReady?.(writer.rows.all);
    const follower = createFollower<ChangeState>(database, {
      from,
      report,
      batchSize: BATCH,
      endsAtGap: true,
    });
    for await (const entries of follower.entries(signal)) {
      await this.#apply(writer, entries, signal);
      if (signal.aborted) return;
      this.#publish(writer.facts(entries.at(-1)?.sequence ?? from));
      const { all, gone } = writer.rows;
      if (gone > Math.max(MAX_GONE.rows, MAX_GONE.share * all)) break;
    }
    this.#forget();
  }

  #publish(facts: Facts): void {
    this.#facts = facts;
    this.#waiters.pass(facts.sequence);
  }

  /** Reads the properties of the changed listings again, as they are now: what they will be is in a later entry. */
  async #apply(
    writer: FactWriter,
    entries: readonly ChangeEntry<ChangeState>[],
    signal: AbortSignal,
  ): Promise<void> {
    const { database, report } = this.#options;
    const changes = entries.filter(isListingChange);
    const loads = entries.filter((entry) => entry.kind === 'load');
    if (changes.length + loads.length === 0) return;
    const properties = changes.flatMap((change) => [
      change.propertyId,
      stateBefore(change)?.listing.propertyId ?? change.propertyId,
    ]);
    const read = async (sql: Sql) => {
      writer.discard();
      const loaded = [];
      for (const load of loads) loaded.push(...(await findLoadedListings(sql, load)));
      const all = new Set([...properties, ...loaded.map(({ propertyId }) => propertyId)]);
      await copyFactsOf(sql, writer.appender, [...all]);
      return [...changes, ...loaded].map(({ listingId }) => listingId);
    };
    while (!signal.aborted) {
      const replaced = await database.read(read, { timeout: 0, signal }).catch((error: unknown) => {
        if (!signal.aborted) report(error);
      });
      if (replaced) return writer.replace(replaced);
      await pause(database.clock, RETRY_PAUSE, signal);
    }
  }

  #requireMemory(listings: number): void {
    const { memory = memoryLimit() } = this.#options;
    const needed = process.memoryUsage.rss() + listings * BYTES_PER_LISTING * SHARE_WHILE_LOADED;
    if (needed <= memory) return;
    throw new TooLittleMemory(
      `Figures of the market among ${listings} listings need ${megabytes(needed)} of memory with what the process holds already, ` +
        `and it may use ${megabytes(memory)}. PostgreSQL computes them, which takes longer`,
    );
  }
}
