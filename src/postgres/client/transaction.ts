// Transactions on a connection: committed as a whole or not at all.

import type { Connection } from './connection.ts';
import type { Sql } from './sql.ts';

/** The SQL of a transaction: all of it is committed, or none. */
export interface Transaction extends Sql {
  /** Runs a part that may fail alone: it is rolled back and its error thrown, and the transaction goes on. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

/** What an operation does on a connection. `end`: monotonic milliseconds at which it times out. */
export type Work<T> = (connection: Connection, end: number) => Promise<T>;

/** The server gives up this many milliseconds before we do, so that a slow statement costs no connection. */
const HEAD_START = 300;

/** Milliseconds of a statement on the server; 0 is no limit. */
export const statementTimeout = (timeout: number): number =>
  timeout === 0 ? 0 : Math.max(1, timeout - HEAD_START);

/** A timeout of its own needs a transaction to carry it; otherwise a statement goes out alone. */
export const statements = <T>(work: (sql: Sql) => Promise<T>, timeout?: number): Work<T> =>
  timeout === undefined ? ({ sql }) => work(sql) : inTransaction(work, { timeout });

/** Work in a transaction, of which each statement may take that many milliseconds. */
export const inTransaction =
  <T>(
    work: (tx: Transaction) => Promise<T>,
    { timeout, ...limits }: TransactionLimits & { readonly timeout?: number | undefined },
  ): Work<T> =>
  (connection) => {
    const limit = timeout === undefined ? undefined : statementTimeout(timeout);
    return runTransaction(connection, work, { ...limits, statementTimeout: limit });
  };

interface TransactionLimits {
  /** Milliseconds of each statement; undefined: those of the session, as of the next limit. */
  readonly statementTimeout?: number | undefined;
  /** Milliseconds that the transaction may wait for its next statement. */
  readonly idleTimeout?: number | undefined;
  /** Called when COMMIT is about to be sent: from then on nobody knows, until its answer comes, whether it was made. */
  readonly onCommit?: (() => void) | undefined;
}

/**
 * Runs a transaction: commits when `work` resolves and rolls back when it throws. The driver's own `begin` is not used: when the
 * connection breaks it writes to a closed socket, which ends the process (postgres.js 3.4.9).
 */
export async function runTransaction<T>(
  connection: Connection,
  work: (tx: Transaction) => Promise<T>,
  { statementTimeout, idleTimeout, onCommit }: TransactionLimits = {},
): Promise<T> {
  const { sql } = connection;
  const limits = [
    statementTimeout === undefined ? '' : `; set local statement_timeout = ${statementTimeout}`,
    idleTimeout === undefined ? '' : `; set local idle_in_transaction_session_timeout = ${idleTimeout}`,
  ];
  await sql.unsafe(`begin${limits.join('')}`);
  const result = await work(createTransaction(sql)).catch(async (error: unknown) => {
    // On a lost connection the server has rolled back already.
    if (!connection.closed) await sql.unsafe('rollback');
    throw error;
  });
  onCommit?.();
  const { command } = await sql.unsafe('commit');
  // PostgreSQL rolls back, without an error, when `work` ignored that a statement had failed.
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back: one of its statements had failed');
  return result;
}

function createTransaction(sql: Sql): Transaction {
  let count = 0;
  const savepoint: Transaction['savepoint'] = async (work) => {
    const name = `savepoint_${++count}`;
    await sql.unsafe(`savepoint ${name}`);
    try {
      return await work();
    } catch (error) {
      await sql.unsafe(`rollback to savepoint ${name}`);
      throw error;
    }
  };
  return Object.assign(sql, { savepoint });
}
