// Follower of the log of changes: every entry after a sequence, in order, once each. For parts of a process that keep a copy
// of listings, such as a search engine in memory. Matching reads the log itself, since its position is written with its events.

import { pause } from '../lib/clock.ts';
import type { Database, Sql } from '../postgres/client/database.ts';
import { listen } from '../postgres/client/listen.ts';
import { type ChangeEntry, firstSequenceOf } from './change.ts';
import { CHANGES_CHANNEL, headSequence, readChanges, retainedFrom } from './change-store.ts';

export interface FollowerOptions {
  /** The sequence after which to begin; 0 for all that is retained. */
  readonly from: number;
  /** Called for each loss of the database, and where entries were dropped before they were read. */
  readonly report: (error: unknown) => void;
  /** Entries read at once; default 500. */
  readonly batchSize?: number;
  /** Whether `entries` ends with LogGap where entries were dropped before they were read, instead of going on; default false. */
  readonly endsAtGap?: boolean;
}

/** Some of the entries that were to be read next are no longer in the log. */
export class LogGap extends Error {
  override readonly name = 'LogGap';
}

export interface Follower<State> {
  /** Batches of entries until the signal aborts; the position moves when the next batch is asked for. */
  entries(signal: AbortSignal): AsyncGenerator<readonly ChangeEntry<State>[]>;
  /** The sequence of the last entry of a batch that was done with: begin after it to miss nothing. */
  readonly position: number;
  /** Monotonic milliseconds of the database's clock: up to then nothing is missing before `position`; null: not known yet. */
  readonly completeAt: number | null;
}

interface NextEntries<State> {
  readonly batch: readonly ChangeEntry<State>[];
  readonly gap: LogGap | undefined;
}

/** Milliseconds. Notifications may be lost, so the log is read without one too. */
const POLL_INTERVAL = 1_000;
const RETRY_PAUSE = 250;
const BATCH_SIZE = 500;

/** What no other entry has. */
const markOf = (entry: ChangeEntry<unknown>): string => `${entry.at} ${entry.kind} ${subjectOf(entry)}`;

function subjectOf(entry: ChangeEntry<unknown>): string | number {
  if (entry.kind === 'watcher') return entry.watcherId;
  return entry.kind === 'load' ? entry.batchId : entry.listingId;
}

/** Prepares a follower; it listens while its entries are read. Several may follow one log. */
export function createFollower<State>(database: Database, options: FollowerOptions): Follower<State> {
  const { report, batchSize = BATCH_SIZE, endsAtGap = false } = options;
  const { clock } = database;
  let position = options.from;
  /** The entry at `position`; null: none was read. */
  let last: string | null = null;
  let completeAt: number | null = null;

  /** What is missing where the log should go on: retention is longer than any reader should be away. */
  async function findGap(sql: Sql): Promise<LogGap | undefined> {
    const [retained, head] = [await retainedFrom(sql), await headSequence(sql)];
    if (retained > position + 1)
      return new LogGap(
        `The log of changes begins at ${retained}: changes since ${position + 1} were dropped unread`,
      );
    if (head < position)
      return new LogGap(`The log of changes ends at ${head}, and was read up to ${position} before`);
  }

  async function readEntries(sql: Sql): Promise<NextEntries<State>> {
    // The last one again: a database that was put back to an earlier state has another one there by now, if any.
    const again = last === null ? 0 : 1;
    const read = await readChanges<State>(sql, position - again, batchSize + again);
    const found = read[0]?.sequence === position ? markOf(read[0]) : null;
    if (last !== null && found !== null && found !== last)
      return {
        batch: [],
        gap: new LogGap(`The log of changes has another entry ${position} than was read before`),
      };
    const batch = found === null ? read : read.slice(1);
    const [first] = batch;
    // Where nothing is left to be read, something may have been dropped a moment ago.
    const isWhole = first === undefined ? !endsAtGap : firstSequenceOf(first) <= position + 1;
    const gap = isWhole ? undefined : await findGap(sql);
    return { batch, gap };
  }
  const readNext = () => database.read(readEntries, { planned: 'once' });

  async function* entries(signal: AbortSignal): AsyncGenerator<readonly ChangeEntry<State>[]> {
    let wake = (): void => {};
    const onChange = (): void => wake();
    const listener = listen(database, CHANGES_CHANNEL, onChange, onChange, { onError: report });
    try {
      while (!signal.aborted) {
        const woken = new AbortController();
        wake = () => woken.abort();
        const at = clock.monotonic();
        const next = await readNext().catch(report);
        if (next?.gap && endsAtGap) throw next.gap;
        if (next?.gap) {
          report(next.gap);
          last = null;
        }
        const newest = next?.batch.at(-1);
        if (next && newest) {
          yield next.batch;
          position = newest.sequence;
          last = markOf(newest);
        }
        if (next && next.batch.length < batchSize) completeAt = at;
        if (newest) continue;
        const wait = next === undefined ? RETRY_PAUSE : POLL_INTERVAL;
        await pause(clock, wait, AbortSignal.any([signal, woken.signal]));
      }
    } finally {
      await listener.close();
    }
  }

  return {
    entries,
    get position() {
      return position;
    },
    get completeAt() {
      return completeAt;
    },
  };
}
