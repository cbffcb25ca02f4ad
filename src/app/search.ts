// Wiring of searches: what answers them, and the names of areas that they share.

import { type AreaIdCache, createAreaIdCache } from '../areas/area-cache.ts';
import type { Clock } from '../lib/clock.ts';
import type { CachedReads } from '../listings/property-cache.ts';
import type { Database } from '../postgres/client/database.ts';
import { SEARCH_REMEDY } from '../search/http/handler.ts';
import type { SearchBackend } from '../search/query/search-backend.ts';
import { rememberAnswers } from '../search/sql/remembered-backend.ts';
import { createSqlBackend } from '../search/sql/sql-backend.ts';
import type { AnalyticsQueue } from '../search/summaries/analytics-queue.ts';

export interface SearchWiring {
  readonly database: Database;
  readonly clock: Clock;
  /** Where questions about all results wait. */
  readonly analytics: AnalyticsQueue;
  /** Its version changes with every listing written, which ends what is remembered. */
  readonly cache: Pick<CachedReads, 'version'>;
}

export interface SearchParts {
  readonly backend: SearchBackend;
  readonly areas: AreaIdCache;
}

export function createSearch({ database, clock, analytics, cache }: SearchWiring): SearchParts {
  const areas = createAreaIdCache(database, clock);
  const sql = createSqlBackend({ database, queue: analytics.database(SEARCH_REMEDY), areas });
  const memory = { version: () => cache.version(), monotonic: () => clock.monotonic() };
  return { areas, backend: rememberAnswers(sql, memory) };
}
