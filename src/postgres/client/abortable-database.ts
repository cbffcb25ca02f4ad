// Database whose reads stop when a signal aborts.

import type { Database } from './database.ts';

/** The same database with one signal for all reads: once it aborts, they reject with its reason and PostgreSQL stops the statements. */
export function abortableDatabase(database: Database, signal: AbortSignal): Database {
  const both = (other: AbortSignal | undefined): AbortSignal =>
    other === undefined ? signal : AbortSignal.any([signal, other]);
  return {
    ...database,
    read: (work, options) => database.read(work, { ...options, signal: both(options?.signal) }),
  };
}
