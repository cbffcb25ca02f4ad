// What answers searches of a database, without a service around it.

import assert from 'node:assert/strict';
import { createSearch, type SearchParts } from '../../../src/app/search.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { createMetrics } from '../../../src/lib/metrics.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { createLocalBuilder } from '../../../src/search/engine/segments/build-base.ts';
import { AnalyticsQueue } from '../../../src/search/summaries/analytics-queue.ts';

/** PostgreSQL; nothing is remembered between two questions. */
export function searchParts(database: Database, clock: Clock = database.clock): SearchParts {
  const analytics = new AnalyticsQueue(database, clock);
  return createSearch({
    database,
    clock,
    analytics,
    cache: { version: () => null, onRemoved: () => {} },
    metrics: createMetrics(),
    report: assert.ifError,
    builder: createLocalBuilder(database),
    settings: { engine: 'postgres', cacheMegabytes: 0 },
  });
}
