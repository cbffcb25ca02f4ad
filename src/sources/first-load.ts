// First load of a source, as every process on its database sees it.

import type { Clock } from '../lib/clock.ts';
import type { FindLoading, Loading } from '../listings/provenance/loading.ts';
import type { Database } from '../postgres/client/database.ts';
import { findUnfinishedLoad } from './store.ts';

/** Milliseconds that a result is cached: every search reads it. */
const LIFETIME = 1_000;
/** Milliseconds without progress after which the load of another process counts as abandoned. */
const LOAD_ABANDONED = 3_600_000;

export interface FirstLoadOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** The id of the source of this process's settings, whose first load is due as soon as the service starts; null: none. */
  readonly source: string | null;
  /** Ids of further sources that are read, whose first load is due while nothing is loaded; default: none. */
  readonly others?: () => readonly string[];
  /** Whether searches of this process know all that is stored, once they do or are late; default: they do. */
  readonly untilSearched?: () => Promise<boolean>;
}

/** Asks the database at most once a second. */
export function createFindLoading(options: FirstLoadOptions): FindLoading {
  const { database, clock, source, others = () => [], untilSearched = async () => true } = options;
  let known: { readonly until: number; readonly loading: ReturnType<FindLoading> } | null = null;
  let last: Loading | null = null;
  const find = async (): Promise<Loading | null> => {
    const movedSince = new Date(clock.now() - LOAD_ABANDONED).toISOString();
    const loading = await database.read((sql) => findUnfinishedLoad(sql, source, others(), movedSince));
    // Whoever hears that it has ended finds all of it.
    if (loading === null && last !== null && !(await untilSearched())) return last;
    last = loading;
    return loading;
  };
  return () => {
    if (known === null || clock.monotonic() >= known.until) {
      const loading = find();
      // A failure is not cached.
      loading.catch(() => {
        known = null;
      });
      known = { until: clock.monotonic() + LIFETIME, loading };
    }
    return known.loading;
  };
}
