// Database whose reads stop when a signal aborts.

import type { Database } from './database.ts';

/** The database for one who may leave: as the signal aborts, reads reject with its reason and PostgreSQL stops working on them. */
export function untilAborted(database: Database, signal: AbortSignal): Database {
  const both = (other: AbortSignal | undefined): AbortSignal =>
    other === undefined ? signal : AbortSignal.any([signal, other]);
  return {
    ...database,
    read: (work, options) => database.read(work, { ...options, signal: both(options?.signal) }),
  };
}
