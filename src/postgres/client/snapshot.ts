// Snapshot: several reads of one and the same state of the database.

import type { Database, OperationOptions } from './database.ts';

/**
 * Runs work on a database whose reads, one after another, all see the state that the first of them sees. Its other operations
 * are those of the given database.
 */
export function readSnapshot<T>(
  database: Database,
  work: (snapshot: Database) => Promise<T>,
  options: OperationOptions = {},
): Promise<T> {
  return database.transaction(async (tx) => {
    await tx`set transaction isolation level repeatable read, read only`;
    return work({ ...database, read: (statements) => statements(tx) });
  }, options);
}
