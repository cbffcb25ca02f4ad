// Removal of a source: its listings and areas batch by batch, so that it can be stopped, killed and resumed.

import { deleteAnswersOf } from '../access/idempotency/answer-store.ts';
import { bumpAreaVersion, deleteAreasOf } from '../areas/write-store.ts';
import { updateAllPlacements } from '../ingest/area-writer.ts';
import { analyzeListings, notifyRemoved } from '../ingest/listing-store.ts';
import { deletePushed, deleteUnusedCurrencies, deleteUnusedNames } from '../ingest/removal/removal-store.ts';
import { removeListings } from '../ingest/removal/remove-listings.ts';
import { lockImport } from '../ingest/removal/source-lock-store.ts';
import type { Database, Sql, Transaction } from '../postgres/client/database.ts';
import type { HeldLease } from '../postgres/leases/held-lease.ts';
import { takeReaderLease } from './reader-lease.ts';
import { deleteRegistered } from './registry/registry-store.ts';
import {
  advanceRemoval,
  beginRemoval,
  finishRemoval,
  lockRemoval,
  type SourceRemoval,
} from './removal-store.ts';

/** A process reads or imports the source, or removes it already. The message is a sentence for the operator. */
export class SourceInUse extends Error {
  override readonly name = 'SourceInUse';
}

class RemovalStopped extends Error {
  override readonly name = 'RemovalStopped';
}

export interface RemovalOptions {
  readonly database: Database;
  readonly source: string;
  /** Whether to stop after the batch under way. */
  readonly isStopped?: () => boolean;
  /** Called at the end of each transaction; throws where another process does the work by now. */
  readonly hold?: (tx: Transaction) => Promise<void>;
  /** Called when it begins or goes on, and after each batch of listings. */
  readonly onProgress?: (removal: SourceRemoval) => void;
}

/** Listings to a transaction. */
const BATCH = 500;
/** Milliseconds; a batch is removed with all its history. */
const TIMEOUT = 60_000;

/**
 * Removes a source, or goes on with a removal that was interrupted. Returns what was removed; null if it was stopped.
 * Nobody reads or imports the source meanwhile. Throws SourceInUse.
 */
export async function removeSource(options: RemovalOptions): Promise<SourceRemoval | null> {
  const { database, source } = options;
  const lost = new AbortController();
  const guard = database.dedicated({ onClose: () => lost.abort() });
  let lease: HeldLease | null = null;
  try {
    lease = await takeReaderLease(database, source);
    if (lease === null)
      throw new SourceInUse(
        `A running process reads the source ${source}, or removes it already. Stop the process, or set its SOURCE to another one.`,
      );
    await requireNoImport(guard.sql, source);
    return await new Removal(options, lease, lost.signal).run();
  } catch (error) {
    if (error instanceof RemovalStopped) return null;
    throw error;
  } finally {
    await lease?.release();
    await guard.end(1);
  }
}

async function requireNoImport(sql: Sql, source: string): Promise<void> {
  for (const kind of ['listings', 'areas'] as const) {
    if (!(await lockImport(sql, kind, source)))
      throw new SourceInUse(`An import of ${kind} from ${source} is under way: wait for it to end.`);
  }
}

class Removal {
  readonly #options: RemovalOptions;
  readonly #lease: HeldLease;
  /** Aborted when the connection with the locks is lost. */
  readonly #lost: AbortSignal;

  constructor(options: RemovalOptions, lease: HeldLease, lost: AbortSignal) {
    this.#options = options;
    this.#lease = lease;
    this.#lost = lost;
  }

  async run(): Promise<SourceRemoval> {
    const { database, source, onProgress } = this.#options;
    let removal = await this.#begin();
    for (let count = BATCH; count > 0; ) {
      onProgress?.(removal);
      count = await this.#step(async (tx) => {
        const removed = await removeListings(tx, source, BATCH, database.clock.now());
        await advanceRemoval(tx, source, removed);
        return removed;
      });
      removal = { ...removal, removed: removal.removed + count };
    }
    if (removal.areas > 0) {
      await this.#step((tx) => deleteAreasOf(tx, source));
      await updateAllPlacements(database, { quiet: true, onProgress: () => this.#requireRunning() });
    }
    await this.#step(async (tx) => {
      // Nobody writes listings until this transaction ends, so that no currency and no name is missed.
      await bumpAreaVersion(tx);
      await deleteUnusedCurrencies(tx);
      await deleteUnusedNames(tx);
      await deletePushed(tx, source);
      // A later source of this name gets none of its answers.
      await deleteAnswersOf(tx, `source:${source}`);
      await finishRemoval(tx, source);
      await notifyRemoved(tx);
    });
    await database.write(analyzeListings, { timeout: 0 });
    return removal;
  }

  #begin(): Promise<SourceRemoval> {
    const { database, source, hold } = this.#options;
    return database.transaction(
      async (tx) => {
        // Its tokens end with it: nothing is pushed from here on.
        await deleteRegistered(tx, source);
        const removal = await beginRemoval(tx, source, new Date(database.clock.now()));
        await hold?.(tx);
        await this.#lease.hold(tx);
        return removal;
      },
      { timeout: TIMEOUT },
    );
  }

  /** One transaction. The row of the removal is its fence. */
  #step<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { database, source, hold } = this.#options;
    this.#requireRunning();
    return database.transaction(
      async (tx) => {
        if (!(await lockRemoval(tx, source)))
          throw new SourceInUse(`The source ${source} is read again meanwhile: it is not removed.`);
        const result = await work(tx);
        await hold?.(tx);
        await this.#lease.hold(tx);
        return result;
      },
      { timeout: TIMEOUT },
    );
  }

  #requireRunning(): void {
    if (this.#lost.aborted)
      throw new Error(
        'The connection to the database was lost: remove the source again, it goes on from here.',
      );
    if (this.#options.isStopped?.()) throw new RemovalStopped();
  }
}
