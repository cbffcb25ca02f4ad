// Writer of the record of use: what a process has counted, once, even where nobody can tell whether a transaction was committed.

import type { Database } from '../postgres/client/database.ts';
import type { AgentQuery, QueryBuffer } from './agent-query.ts';
import { insertQueries } from './query-store.ts';
import type { UsageCounter, UsageRow } from './usage-counter.ts';
import { addUsage, findTransactionState, readTransactionId } from './usage-store.ts';

/** Milliseconds. */
const TIMEOUT = 30_000;

interface Attempt {
  readonly rows: readonly UsageRow[];
  readonly queries: readonly AgentQuery[];
  /** Null: nothing can have been written. */
  transaction: string | null;
}

export class UsageWriter {
  readonly #database: Database;
  readonly #counter: UsageCounter;
  readonly #queries: QueryBuffer;
  /** One of which nobody knows whether it was written. */
  #unsure: Attempt | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor({ database }: { readonly database: Database }, counter: UsageCounter, queries: QueryBuffer) {
    this.#queries = queries;
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
    const queries = this.#queries.take();
    if (rows.length === 0 && queries.length === 0) return;
    const attempt: Attempt = { rows, queries, transaction: null };
    try {
      await this.#database.transaction(
        async (tx) => {
          attempt.transaction = await readTransactionId(tx);
          if (rows.length > 0) await addUsage(tx, rows);
          await insertQueries(tx, queries);
        },
        { timeout: TIMEOUT },
      );
    } catch (error) {
      if (attempt.transaction === null) this.#restore(attempt);
      else this.#unsure = attempt;
      throw error;
    }
  }

  /** Throws while nobody can tell. */
  async #settle(attempt: Attempt): Promise<void> {
    const { transaction } = attempt;
    const state = await this.#database.read((sql) => findTransactionState(sql, transaction ?? ''));
    if (state === 'in progress') throw new Error('A transaction of the record of use has not ended yet');
    this.#unsure = null;
    if (state !== 'committed') this.#restore(attempt);
  }

  #restore({ rows, queries }: Attempt): void {
    this.#counter.restore(rows);
    this.#queries.restore(queries);
  }
}
