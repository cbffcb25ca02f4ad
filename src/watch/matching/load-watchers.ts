// All active watchers in memory, as they are at a position in the log of changes.

import { headSequence } from '../../changes/change-store.ts';
import type { Database } from '../../postgres/client/database.ts';
import { QUOTA_ACTION } from '../events/quota-entry.ts';
import type { BatchMatcher } from './batch-matcher.ts';
import { findEntryBefore, loadDefinitions, loadEntriesAfter, type WatcherEntry } from './definition-store.ts';
import type { WatcherDefinition } from './watcher-definition.ts';

export class LoadedWatchers {
  readonly matcher: BatchMatcher;
  readonly #database: Database;
  readonly #signal: AbortSignal;
  /** Sequence up to which every entry of the log is in memory. */
  #position: number;
  /** Whether later entries may be, too: the table is ahead of the log as it was when the load began. */
  #isAhead = true;

  private constructor(database: Database, matcher: BatchMatcher, position: number, signal: AbortSignal) {
    this.#database = database;
    this.matcher = matcher;
    this.#position = position;
    this.#signal = signal;
  }

  /** Adds all active watchers of the table to the matcher. Rejects with the signal's reason. */
  static async load(database: Database, matcher: BatchMatcher, signal: AbortSignal): Promise<LoadedWatchers> {
    const head = await database.read(headSequence);
    for await (const definitions of loadDefinitions(database)) {
      signal.throwIfAborted();
      for (const definition of definitions) matcher.add(definition);
    }
    return new LoadedWatchers(database, matcher, head, signal);
  }

  /**
   * Brings the watchers to what they are at this position of the matching, which never goes back. Returns the position to read the
   * log from. After a rejection they are of no use.
   */
  async moveTo(position: number): Promise<number> {
    if (!this.#isAhead && position < this.#position)
      throw new Error('The position of the matching has gone back');
    const head = await this.#database.read(headSequence);
    /** Watchers whose state at the position is known. */
    const settled = new Set<string>();
    let first: number | null = null;
    for await (const entries of loadEntriesAfter(this.#database, Math.min(this.#position, position))) {
      this.#signal.throwIfAborted();
      for (const entry of entries) {
        first ??= entry.sequence;
        const isPast = entry.sequence <= position;
        if (entry.action === QUOTA_ACTION || (!isPast && settled.has(entry.watcherId))) continue;
        if (isPast) this.matcher.follow(entry.action, entry.data);
        else if (this.#isAhead) await this.#rewind(entry, position);
        settled.add(entry.watcherId);
      }
    }
    this.#position = position;
    this.#isAhead = false;
    // While nothing was ever matched, what was before the first watcher concerns nobody.
    return position > 0 ? position : (first ?? head + 1) - 1;
  }

  /** Brings a watcher back to what it was before its first entry past the position. */
  async #rewind(first: WatcherEntry, position: number): Promise<void> {
    const earlier =
      first.action === 'created'
        ? null
        : await this.#database.read((sql) => findEntryBefore(sql, first.watcherId, position));
    const definition = earlier?.data ?? guessEarlier(first);
    if (definition?.status === 'active') this.matcher.add(definition);
    else this.matcher.remove(first.data.no);
  }
}

/** Where the log no longer has an earlier entry: what must have been for this one to follow. */
function guessEarlier({ action, data }: WatcherEntry): WatcherDefinition | null {
  if (action === 'created' || action === 'resumed') return null;
  return action === 'updated' || action === 'digest' ? data : { ...data, status: 'active' };
}
