// Closing of a database for its final backup: nobody writes while it is taken, and nobody serves it afterwards.

import { poll } from '../../lib/clock.ts';
import type { Database, DedicatedConnection } from '../client/database.ts';
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
 * Runs `work` while no process writes to the database, and closes the database: no process serves it until it is accepted again.
 * If `work` fails before, the database is what it was. Throws DatabaseNotServable for one that is not served now, and
 * ClosingError where processes do not stop in time, or the database was served again meanwhile.
 * @param work calls `close` once the backup is whole and before it has its name, so that there is never a final backup of a
 * database that is still served
 */
export async function closeAround<T>(
  database: Database,
  options: ClosingOptions,
  work: (close: () => Promise<void>) => Promise<T>,
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
    // Closed and accepted again, or moved, it would act on the outside.
    if (state.name === 'copy')
      throw new ClosingError(
        'This database is a copy, which nothing may take the place of: make a backup without --final, restore it, and ' +
          'run `freehold restore accept --as-copy`.',
      );
    await markClosing(session.sql);
    try {
      await untilNobodyWrites(database, options);
      return await work(() => close(session));
    } catch (error) {
      // Where this fails too, the first process to look puts the state back.
      await endClosing(session.sql, false).catch(() => {});
      throw error;
    }
  } finally {
    await session.end(1);
  }
}

/** Without the session, and so its lock, any process may have put the state back and written since. */
async function close({ sql, closed }: DedicatedConnection): Promise<void> {
  if (!closed && (await endClosing(sql, true))) return;
  throw new ClosingError(
    'The connection that keeps the database closed was lost while the final backup was taken, and the service may have ' +
      'written meanwhile. Nothing of the backup was left: run the command again.',
  );
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
