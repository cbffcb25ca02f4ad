// SQL of the state of a database: read, changed, and put back where a final backup ended without an end.

import type { Database, Sql } from '../client/database.ts';
import { DatabaseNotServable, type DatabaseState, isServable, UNMARKED } from './database-state.ts';

/** Advisory lock of whoever takes a final backup of the database or restores it. */
const LOCK = 4_663_267_143;

/** The state of the database. */
export async function readState(sql: Sql): Promise<DatabaseState> {
  const [table] = await sql`select to_regclass('database_state') is not null as present`;
  if (table?.present !== true) return UNMARKED;
  const [row] = await sql<DatabaseState[]>`
    select state as name, since, backup_at as "backupAt" from database_state`;
  return row ?? UNMARKED;
}

/**
 * The state of the database. A final backup that ended without an end, as by kill -9, is over: the state before it is put
 * back first.
 */
export async function findState(database: Database): Promise<DatabaseState> {
  const state = await database.read(readState);
  if (state.name !== 'closing') return state;
  // Whoever takes a backup has the lock for as long as it lives.
  await database.write(
    (sql) => sql`
      update database_state set state = former_state, former_state = null, since = clock_timestamp()
      where state = 'closing' and pg_try_advisory_xact_lock(${LOCK})`,
  );
  return database.read(readState);
}

/** Throws DatabaseNotServable for a database that may not be served, and so not be written to by commands. */
export async function requireServable(database: Database): Promise<DatabaseState> {
  const state = await findState(database);
  if (isServable(state)) return state;
  throw new DatabaseNotServable(state);
}

/** Takes the lock of whoever changes what a database may be used for, until the session ends; false: another session has it. */
export async function takeStateLock(sql: Sql): Promise<boolean> {
  const [row] = await sql`select pg_try_advisory_lock(${LOCK}) as locked`;
  return row?.locked === true;
}

/** Marks the database as one of which a final backup is being taken. */
export async function markClosing(sql: Sql): Promise<void> {
  await sql`
    update database_state set state = 'closing', former_state = state, since = clock_timestamp()
    where state in ('serving', 'restored', 'copy')`;
}

/** Ends that: the database is closed, or what it was before; false: it was over. */
export async function endClosing(sql: Sql, isClosed: boolean): Promise<boolean> {
  const { count } = await sql`
    update database_state set state = case when ${isClosed} then 'closed' else former_state end, former_state = null,
      since = clock_timestamp()
    where state = 'closing'`;
  return count === 1;
}

/** Marks the database for good: `restoring` before anything is written, `restored` once everything is. */
export async function markRestore(
  sql: Sql,
  state: 'restoring' | 'restored',
  backupAt: string,
): Promise<void> {
  await sql`
    update database_state set state = ${state}, former_state = null, since = clock_timestamp(),
      backup_at = ${backupAt}::timestamptz`;
}

/** Accepts a database that was restored or closed; false: it is in another state. A copy stays one. */
export async function acceptState(sql: Sql, asCopy: boolean): Promise<boolean> {
  const { count } = await sql`
    update database_state set state = case when ${asCopy} then 'copy' else 'serving' end, since = clock_timestamp()
    where state in ('restored', 'closed')`;
  return count === 1;
}

/** A session of this database that may still write. */
export interface WritingSession {
  readonly pid: number;
  readonly application: string;
}

/**
 * Sessions other than those of whoever waits or watches: all of Freehold, and any other that has written in a transaction
 * that is still open.
 */
export async function listWriters(sql: Sql, passive: readonly string[]): Promise<readonly WritingSession[]> {
  return sql<WritingSession[]>`
    select pid, application_name as application from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
      and application_name <> all(${[...passive]}::text[])
      and (application_name like 'freehold%' or backend_xid is not null)
    order by pid`;
}
