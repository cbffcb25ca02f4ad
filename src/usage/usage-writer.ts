// Writer of the record of use: what a process has counted, once, even where nobody can tell whether a transaction was committed.

import type { Database } from '../postgres/client/database.ts';
import type { UsageCounter, UsageRow } from './usage-counter.ts';
import { addUsage, findTransactionState, readTransactionId } from './usage-store.ts';

/** Milliseconds. */
const TIMEOUT = 30_000;

interface Attempt {
  readonly rows: readonly UsageRow[];
  /** Null: nothing can have been written. */
  transaction: string | null;
}

export class UsageWriter {
  readonly #database: Database;
  readonly #counter: UsageCounter;
  /** One of which nobody knows whether it was written. */
  #unsure: Attempt | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor({ database }: { readonly database: Database }, counter: UsageCounter) {
    this.#database = database;
    this.#counter = counter;
  }

  /** Writes what the counter has, one call after another. Throws if it could not: the counter has it again. */
  write(): Promise<void> {
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => {});
    return written;
  }

  async #write(): Promise<void> {
    if (this.#unsure !== null) await this.#settle(this.#unsure);
    const rows = this.#counter.take();
    if (rows.length === 0) return;
    const attempt: Attempt = { rows, transaction: null };
    try {
      await this.#database.transaction(
        async (tx) => {
          attempt.transaction = await readTransactionId(tx);
          await addUsage(tx, rows);
        },
        { timeout: TIMEOUT },
      );
    } catch (error) {
      if (attempt.transaction === null) this.#counter.restore(rows);
      else this.#unsure = attempt;
      throw error;
    }
  }

  /** Throws while nobody can tell. */
  async #settle({ rows, transaction }: Attempt): Promise<void> {
    const state = await this.#database.read((sql) => findTransactionState(sql, transaction ?? ''));
    if (state === 'in progress') throw new Error('A transaction of the record of use has not ended yet');
    this.#unsure = null;
    if (state !== 'committed') this.#counter.restore(rows);
  }
}
