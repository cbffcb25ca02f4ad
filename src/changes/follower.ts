// Follower of the log of changes: every entry after a sequence, in order, once each. For parts of a process that keep a copy
// of listings, such as a search engine in memory. Matching reads the log itself, since each of its shards has a position.

import { pause } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { listen } from '../postgres/client/listen.ts';
import type { ChangeEntry } from './change.ts';
import { readChanges, retainedFrom } from './change-store.ts';

export interface FollowerOptions {
  /** The sequence after which to begin; 0 for all that is retained. */
  readonly from: number;
  /** Called for each loss of the database, and where entries were dropped before they were read. */
  readonly report: (error: unknown) => void;
  /** Entries read at once; default 500. */
  readonly batchSize?: number;
}

export interface Follower<State> {
  /** Batches of entries until the signal aborts; the position moves when the next batch is asked for. */
  entries(signal: AbortSignal): AsyncGenerator<readonly ChangeEntry<State>[]>;
  /** The sequence of the last entry of a batch that was done with: begin after it to miss nothing. */
  readonly position: number;
}

/** Milliseconds. Notifications may be lost, so the log is read without one too. */
const POLL_INTERVAL = 1_000;
const RETRY_PAUSE = 250;
const BATCH_SIZE = 500;

/** Prepares a follower; it listens while its entries are read. Several may follow one log. */
export function createFollower<State>(database: Database, options: FollowerOptions): Follower<State> {
  const { report, batchSize = BATCH_SIZE } = options;
  const { clock } = database;
  let position = options.from;

  /** Reports entries that were dropped unread: retention is longer than any reader should be away. */
  async function reportDropped(): Promise<void> {
    const retained = await database.read(retainedFrom);
    if (retained <= position + 1) return;
    report(
      new Error(
        `The log of changes begins at ${retained}: changes since ${position + 1} were dropped unread`,
      ),
    );
  }

  async function* entries(signal: AbortSignal): AsyncGenerator<readonly ChangeEntry<State>[]> {
    let wake = (): void => {};
    const onChange = (): void => wake();
    const listener = listen(database, 'changes', onChange, onChange, { onError: report });
    try {
      while (!signal.aborted) {
        const woken = new AbortController();
        wake = () => woken.abort();
        const batch = await read().catch(report);
        const [first, last] = [batch?.at(0), batch?.at(-1)];
        if (batch && first && last) {
          if (first.sequence > position + 1) await reportDropped().catch(report);
          yield batch;
          position = last.sequence;
          continue;
        }
        const wait = batch === undefined ? RETRY_PAUSE : POLL_INTERVAL;
        await pause(clock, wait, AbortSignal.any([signal, woken.signal]));
      }
    } finally {
      await listener.close();
    }
  }

  const read = () => database.read((sql) => readChanges<State>(sql, position, batchSize));

  return {
    entries,
    get position() {
      return position;
    },
  };
}
