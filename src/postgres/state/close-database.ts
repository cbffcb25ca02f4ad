// Closing of a database for its final backup: nobody writes while it is taken, and nobody serves it afterwards.

import { poll } from '../../lib/clock.ts';
import type { Database } from '../client/database.ts';
import { DatabaseNotServable, isServable } from './database-state.ts';
import {
  endClosing,
  listWriters,
  markClosing,
  readState,
  takeStateLock,
  type WritingSession,
} from './state-store.ts';
import { WATCH_NAME } from './state-watch.ts';

export interface ClosingOptions {
  /** Application name of the sessions of whoever takes the backup. */
  readonly application: string;
  /** Milliseconds to wait for processes that write to stop; default 60,000. */
  readonly timeout?: number;
  /** Called once before the wait. */
  readonly onWait?: () => void;
}

/** Longer than requests under way may take. */
const TIMEOUT = 60_000;
const LOOK_INTERVAL = 100;

/** The database cannot be closed; the message contains the remedy. */
export class ClosingError extends Error {
  override readonly name = 'ClosingError';
}

/**
 * Runs `work` while no process writes to the database, and closes the database once it has succeeded: no process serves it
 * until it is accepted again. If it fails, the database is what it was. Throws DatabaseNotServable for one that is not served
 * now, and ClosingError where processes do not stop in time.
 */
export async function closeAround<T>(
  database: Database,
  options: ClosingOptions,
  work: () => Promise<T>,
): Promise<T> {
  const session = database.dedicated();
  try {
    if (!(await takeStateLock(session.sql)))
      throw new ClosingError(
        'Another final backup of this database is being taken. Wait until it is complete.',
      );
    // One that ended without an end: the lock is ours now.
    await endClosing(session.sql, false);
    const state = await readState(session.sql);
    if (!isServable(state)) throw new DatabaseNotServable(state);
    await markClosing(session.sql);
    try {
      await untilNobodyWrites(database, options);
      const result = await work();
      await endClosing(session.sql, true);
      return result;
    } catch (error) {
      // Where this fails too, the first process to look puts the state back.
      await endClosing(session.sql, false).catch(() => {});
      throw error;
    }
  } finally {
    await session.end(1);
  }
}

async function untilNobodyWrites(
  database: Database,
  { application, timeout = TIMEOUT, onWait }: ClosingOptions,
): Promise<void> {
  let writers: readonly WritingSession[] = [];
  const hasStopped = async () => {
    writers = await database.read((sql) => listWriters(sql, [WATCH_NAME, application]));
    return writers.length === 0 || undefined;
  };
  if (await hasStopped()) return;
  onWait?.();
  if (await poll(hasStopped, { clock: database.clock, limit: timeout, every: LOOK_INTERVAL })) return;
  const listed = writers.map(({ pid, application: name }) => `${name || 'another program'} (session ${pid})`);
  throw new ClosingError(
    `These still use the database after ${Math.round(timeout / 1_000)} seconds: ${listed.join(', ')}. ` +
      'Stop these programs, then run the command again; meanwhile the service answers as before.',
  );
}
