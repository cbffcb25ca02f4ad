// Follower of the log of changes: every entry after a sequence, in order, once each.

import { pause } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { listen } from '../postgres/client/listen.ts';
import type { ChangeEntry } from './change.ts';
import { headSequence, readChanges, retainedFrom } from './change-store.ts';

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
  /** The sequence of the newest change in the log. */
  head(): Promise<number>;
  /** The sequence of the last entry that was handed out and done with. */
  readonly position: number;
  /** Seconds between now and the oldest entry that is known and not done with; 0: none is. */
  lagSeconds(): number;
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
  let oldestUnread: number | null = null;

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
    let wake = Promise.withResolvers<void>();
    const listener = listen(
      database,
      'changes',
      () => wake.resolve(),
      () => wake.resolve(),
      { onError: report },
    );
    try {
      while (!signal.aborted) {
        wake = Promise.withResolvers();
        const batch = await read().catch((error: unknown) => {
          report(error);
          return null;
        });
        const [first, last] = [batch?.at(0), batch?.at(-1)];
        if (first && last) {
          if (first.sequence > position + 1) await reportDropped().catch(report);
          oldestUnread = first.at;
          yield batch ?? [];
          [position, oldestUnread] = [last.sequence, null];
          continue;
        }
        await Promise.race([
          pause(clock, batch === null ? RETRY_PAUSE : POLL_INTERVAL, signal),
          wake.promise,
        ]);
      }
    } finally {
      await listener.close();
    }
  }

  const read = () => database.read((sql) => readChanges<State>(sql, position, batchSize));

  return {
    entries,
    head: () => database.read(headSequence),
    get position() {
      return position;
    },
    lagSeconds: () => (oldestUnread === null ? 0 : Math.max(0, clock.now() - oldestUnread) / 1_000),
  };
}
