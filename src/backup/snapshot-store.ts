// SQL of the snapshot of a backup: one state of the database, read over several connections.

import { type Clock, MINUTE, poll } from '../lib/clock.ts';
import type { Database, DedicatedConnection, Sql, Transaction } from '../postgres/client/database.ts';
import {
  isLockedByOne,
  PARTITION_LOCK,
  SCHEMA_LOCK,
  tryLock,
  tryShare,
} from '../postgres/client/schema-locks.ts';
import { runTransaction } from '../postgres/client/transaction.ts';
import { BackupFailure } from './backup-failure.ts';

/** Milliseconds to wait for changes of partitions that are under way. */
const PARTITION_TIMEOUT = MINUTE;

/**
 * Of the transactions that read: one snapshot, and text that any server reads as the same values. A transaction is idle while the
 * disk or whoever reads the archive is slow; the hour is for a process that was stopped.
 */
const SETTINGS = `
  set local idle_in_transaction_session_timeout = '1h';
  set local lock_timeout = '10s';
  set local row_security = off;
  set local extra_float_digits = 1;
  set local intervalstyle = 'postgres';
  set local bytea_output = 'hex';
  set local synchronize_seqscans = off`;
/** A setting that servers before 17 do not have. */
const NO_TRANSACTION_TIMEOUT = `select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'`;

export interface Snapshot {
  /** The transaction that has it. */
  readonly tx: Transaction;
  /** As pg_export_snapshot names it. */
  readonly id: string;
}

/**
 * Runs work with a snapshot of the database, while migrations and changes of partitions wait. Throws BackupFailure where it would
 * have to wait for them, or another backup is under way.
 */
export function withSnapshot<T>(
  database: Database,
  signal: AbortSignal,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  return withConnection(database, signal, async (connection) => {
    // Of the session: they outlast the transaction, and end with the connection.
    await takeLocks(connection.sql, database.clock);
    return runTransaction(connection, async (tx) => {
      await tx.unsafe(`set transaction isolation level repeatable read, read only; ${SETTINGS}`);
      await tx.unsafe(NO_TRANSACTION_TIMEOUT);
      const [row] = await tx<{ id: string }[]>`select pg_export_snapshot() as id`;
      return work({ tx, id: row?.id ?? '' });
    });
  });
}

/** Runs work over a connection of its own that sees the same snapshot. */
export function joinSnapshot<T>(
  database: Database,
  id: string,
  signal: AbortSignal,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return withConnection(database, signal, (connection) =>
    runTransaction(connection, async (tx) => {
      if (!/^[\w-]+$/.test(id)) throw new RangeError('No snapshot has such a name');
      await tx.unsafe(
        `set transaction isolation level repeatable read, read only; set transaction snapshot '${id}'; ${SETTINGS}`,
      );
      await tx.unsafe(NO_TRANSACTION_TIMEOUT);
      return work(tx);
    }),
  );
}

/** Process ids of the server's end of a transaction. */
export async function backendPid(sql: Sql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid ?? 0;
}

/** When the signal aborts, the connection is closed, which makes PostgreSQL stop. */
async function withConnection<T>(
  database: Database,
  signal: AbortSignal,
  work: (connection: DedicatedConnection) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const connection = database.dedicated();
  const destroy = () => connection.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  try {
    return await work(connection);
  } finally {
    signal.removeEventListener('abort', destroy);
    if (connection.closed) connection.destroy();
    else await connection.end(1);
  }
}

async function takeLocks(sql: Sql, clock: Clock): Promise<void> {
  const attempt = async () => {
    if (await tryLock(sql, PARTITION_LOCK)) return true;
    if (await isLockedByOne(sql, PARTITION_LOCK))
      throw new BackupFailure('Another backup of this database is under way. Wait until it is done.');
    return undefined;
  };
  if ((await poll(attempt, { clock, limit: PARTITION_TIMEOUT, every: 50 })) !== true)
    throw new BackupFailure(
      'The service has been changing partitions of its tables for a minute. Run the backup again when it is done.',
    );
  if (!(await tryShare(sql, SCHEMA_LOCK)))
    throw new BackupFailure(
      'The schema of the database is being updated. Run the backup again when the service is ready.',
    );
}
