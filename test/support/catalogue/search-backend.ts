// What answers searches of a database, without a service around it.

import { createSearch, type SearchParts } from '../../../src/app/search.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { AnalyticsQueue } from '../../../src/search/summaries/analytics-queue.ts';

/** Nothing is remembered between two questions. */
export function searchParts(database: Database, clock: Clock = database.clock): SearchParts {
  const analytics = new AnalyticsQueue(database, clock);
  return createSearch({ database, clock, analytics, cache: { version: () => null } });
}
