// Freshness of the whole catalogue: when any source last reported something.

import type { Database } from '../../postgres/client/database.ts';
import { findNewestConfirmation } from './confirmation-store.ts';

/** Milliseconds that an answer is good for: every search carries it. */
const LIFETIME = 1_000;

/** Asks the database at most once a second; null while there are no listings. */
export function freshnessOf(database: Database): () => Promise<string | null> {
  let known: { readonly until: number; readonly value: Promise<string | null> } | null = null;
  return () => {
    const now = database.clock.monotonic();
    if (!known || now >= known.until) {
      const value = database.read((sql) => findNewestConfirmation(sql));
      // A failed question is not kept: the next search asks again.
      value.catch(() => {
        known = null;
      });
      known = { until: now + LIFETIME, value };
    }
    return known.value;
  };
}
