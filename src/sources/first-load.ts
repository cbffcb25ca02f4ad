// First load of a source, seen alike by every process on its database.

import type { Clock } from '../lib/clock.ts';
import type { FindLoading } from '../listings/provenance/loading.ts';
import type { Database } from '../postgres/client/database.ts';
import { findUnfinishedLoad } from './store.ts';

/** Milliseconds that an answer is good for: every search asks. */
const LIFETIME = 1_000;
/** Milliseconds after which a load that does not move counts as given up, where this process does not read that source. */
const LOAD_ABANDONED = 3_600_000;

export interface FirstLoadOptions {
  readonly database: Database;
  readonly clock: Clock;
  /**
   * The id of the source that this process is configured with, whose first load is due as soon as the service starts;
   * null: none, so that only a load which another process has begun is seen.
   */
  readonly source: string | null;
}

/** Asks the database at most once a second. */
export function createFindLoading({ database, clock, source }: FirstLoadOptions): FindLoading {
  let known: { readonly until: number; readonly loading: ReturnType<FindLoading> } | null = null;
  return () => {
    if (known === null || clock.monotonic() >= known.until) {
      const movedSince = new Date(clock.now() - LOAD_ABANDONED).toISOString();
      const loading = database.read((sql) => findUnfinishedLoad(sql, source, movedSince));
      // A failed question is not remembered: the next search asks again.
      loading.catch(() => {
        known = null;
      });
      known = { until: clock.monotonic() + LIFETIME, loading };
    }
    return known.loading;
  };
}
