// Cache of areas by id: a number belongs to its area for ever, a name is cached for some seconds.

import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { findAreaIds, findNamedAreas, type NamedArea } from './name-store.ts';

/** About 20 MB when full. */
const MAX_ENTRIES = 100_000;
/** Milliseconds after which a name is read again. */
const LIFETIME = 5_000;

export interface AreaIdCache {
  /** The areas with these ids, in their order; unknown ids are left out. `fresh` reads their names in any case. */
  named(ids: readonly string[], fresh: boolean): Promise<readonly NamedArea[]>;
  /** The ids of the areas with these numbers. */
  idsOf(nos: Iterable<number>): Promise<ReadonlyMap<number, string>>;
}

export function createAreaIdCache(database: Database, clock: Clock): AreaIdCache {
  const areas = new LRUCache<string, NamedArea>({
    max: MAX_ENTRIES,
    ttl: LIFETIME,
    // The cache takes a start of 0 for no start at all.
    perf: { now: () => clock.monotonic() + 1 },
    ttlResolution: 0,
  });
  const ids = new LRUCache<number, string>({ max: MAX_ENTRIES });
  return {
    async named(requested, fresh) {
      const cached = fresh ? [] : requested.flatMap((id) => areas.get(id) ?? []);
      if (cached.length === requested.length) return cached;
      const read = await findNamedAreas(database, requested);
      for (const area of read) areas.set(area.id, area);
      return read;
    },
    async idsOf(nos) {
      const found = new Map<number, string>();
      const missing = new Set<number>();
      for (const no of nos) {
        const id = ids.get(no);
        if (id === undefined) missing.add(no);
        else found.set(no, id);
      }
      if (missing.size === 0) return found;
      for (const { no, id } of await findAreaIds(database, [...missing])) {
        ids.set(no, id);
        found.set(no, id);
      }
      return found;
    },
  };
}
