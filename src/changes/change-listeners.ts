// Listeners to the changes of single listings: one follower of the log for all of them, which runs while there are any.

import type { Database } from '../postgres/client/database.ts';
import { isListingChange, type ListingChange } from './change.ts';
import { headSequence } from './change-store.ts';
import { createFollower } from './follower.ts';

/** Calls back with changes, in order. It must not throw. */
export type ChangeListener<State> = (change: ListingChange<State>) => void;

export interface ChangeListenersOptions {
  readonly database: Database;
  readonly report: (error: unknown) => void;
}

interface Following {
  readonly leaving: AbortController;
  /** Resolves once changes are heard; rejects if the log cannot be read. */
  readonly started: Promise<void>;
}

export class ChangeListeners<State> {
  readonly #options: ChangeListenersOptions;
  readonly #listeners = new Map<string, Set<ChangeListener<State>>>();
  #following: Following | null = null;
  /** Resolves when no follower reads any more. */
  #ended = Promise.resolve();

  constructor(options: ChangeListenersOptions) {
    this.#options = options;
  }

  /**
   * Calls a listener with the changes of a listing that are committed from now on, by any process, until the returned function
   * is called, which may be called twice. Nobody is notified of those of a first load. Rejects if the log cannot be read.
   */
  async listen(listingId: string, listener: ChangeListener<State>): Promise<() => void> {
    const listeners = this.#listeners.get(listingId) ?? new Set();
    this.#listeners.set(listingId, listeners.add(listener));
    const leave = () => this.#leave(listingId, listener);
    this.#following ??= this.#follow();
    try {
      await this.#following.started;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Ends all listening. */
  async close(): Promise<void> {
    this.#listeners.clear();
    this.#stop();
    await this.#ended;
  }

  #leave(listingId: string, listener: ChangeListener<State>): void {
    const listeners = this.#listeners.get(listingId);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#listeners.delete(listingId);
    if (this.#listeners.size === 0) this.#stop();
  }

  #stop(): void {
    this.#following?.leaving.abort();
    this.#following = null;
  }

  #follow(): Following {
    const { database, report } = this.#options;
    const leaving = new AbortController();
    const head = database.read(headSequence, { planned: 'once' });
    const reading = head.then(
      (from) => this.#read(from, leaving.signal).catch(report),
      () => {},
    );
    this.#ended = Promise.all([this.#ended, reading]).then(() => {});
    return { leaving, started: head.then(() => {}) };
  }

  async #read(from: number, signal: AbortSignal): Promise<void> {
    const follower = createFollower<State>(this.#options.database, { from, report: this.#options.report });
    for await (const entries of follower.entries(signal)) {
      if (signal.aborted) return;
      for (const entry of entries)
        if (isListingChange(entry) && !entry.quiet)
          for (const listener of this.#listeners.get(entry.listingId) ?? []) listener(entry);
    }
  }
}
