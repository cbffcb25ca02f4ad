// Transaction on one connection: begun, then committed or rolled back as a whole.
import type { Connection, Transaction } from './connection.ts';
import type { Sql } from './sql.ts';

/**
 * Commits when `work` resolves and rolls back when it throws. The driver's own frame is not used: when the connection
 * breaks it writes to a socket that is gone, which ends the process (postgres.js 3.4.9).
 */
export async function transact<T>(
  connection: Connection,
  work: (tx: Transaction) => Promise<T>,
  statementTimeout?: number,
): Promise<T> {
  const { sql } = connection;
  const limit = statementTimeout === undefined ? '' : `; set local statement_timeout = ${statementTimeout}`;
  await sql.unsafe(`begin${limit}`);
  const result = await work(transactionOn(sql)).catch(async (error: unknown) => {
    // On a lost connection the server has rolled back already.
    if (!connection.gone) await sql.unsafe('rollback');
    throw error;
  });
  const { command } = await sql.unsafe('commit');
  // PostgreSQL answers so, without an error, when a statement had failed and `work` went on as if it had not.
  if (command !== 'COMMIT')
    throw new Error('The transaction was rolled back: one of its statements had failed');
  return result;
}

function transactionOn(sql: Sql): Transaction {
  let number = 0;
  const savepoint: Transaction['savepoint'] = async (work) => {
    const name = `part_${++number}`;
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
