// Confirmations of a source that reports no changes: its listings are as new as its last round.

import type { Clock } from '../lib/clock.ts';
import { advanceSource } from '../listings/provenance/confirmation-store.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import type { StoredPosition } from './store.ts';

export interface ConfirmationsOptions {
  readonly source: { readonly id: string };
  readonly database: Database;
  readonly clock: Clock;
}

/** Milliseconds between two confirmations: each is a write to disk. */
const CONFIRM_INTERVAL = 300_000;

export class Confirmations {
  readonly #options: ConfirmationsOptions;
  #confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ConfirmationsOptions) {
    this.#options = options;
  }

  /** Writes that the catalogue is up to date, where the source has reported no changes for a while. */
  async confirm(
    { updatedAt }: Pick<StoredPosition, 'updatedAt'>,
    hold: (tx: Transaction) => Promise<void>,
  ): Promise<void> {
    const { clock, database, source } = this.#options;
    const now = clock.now();
    const last = Math.max(this.#confirmedAt, updatedAt === null ? now : Date.parse(updatedAt));
    if (now - last < CONFIRM_INTERVAL) return;
    await database.transaction(async (tx) => {
      await advanceSource(tx, source.id, now);
      await hold(tx);
    });
    this.#confirmedAt = now;
  }
}
