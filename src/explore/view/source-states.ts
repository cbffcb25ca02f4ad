// States of the sources that views name, read at most once a second.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { findSourceStates, type ViewSource } from './view-store.ts';

/** Sets of sources that views have. */
const MAX_SETS = 1_000;
/** Milliseconds. */
const LIFETIME = 1_000;

/** The sources with these ids; `fresh`: as they are now. Throws DATABASE_UNAVAILABLE. */
export type ReadSources = (ids: readonly string[], fresh: boolean) => Promise<readonly ViewSource[]>;

export function createReadSources(database: Database, clock: Pick<Clock, 'monotonic'>): ReadSources {
  // The cache takes a start of 0 for no start at all.
  const lifetime = { ttl: LIFETIME, perf: { now: () => clock.monotonic() + 1 }, ttlResolution: 0 };
  const known = new LRUCache<string, readonly ViewSource[]>({ max: MAX_SETS, ...lifetime });
  return async (ids, fresh) => {
    const key = JSON.stringify(ids);
    const found = fresh ? undefined : known.get(key);
    if (found !== undefined) return found;
    const read = await findSourceStates(database, ids);
    known.set(key, read);
    return read;
  };
}
