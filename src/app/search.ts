// Wiring of searches: the engine in memory, PostgreSQL behind it, and the names of areas that they share.

import { type AreaIdCache, createAreaIdCache } from '../areas/area-cache.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { CachedReads } from '../listings/property-cache.ts';
import { findListings } from '../listings/store.ts';
import type { Database } from '../postgres/client/database.ts';
import type { Generation } from '../search/engine/columns/segment.ts';
import { createSearchEngine } from '../search/engine/lifecycle/engine.ts';
import type { MAX_TAIL } from '../search/engine/lifecycle/index-manager.ts';
import { NO_ENGINE, type SearchEngine } from '../search/engine/lifecycle/search-engine.ts';
import { createEngineBackend } from '../search/engine/questions/engine-backend.ts';
import type { BaseBuilder } from '../search/engine/segments/build-base.ts';
import { SEARCH_REMEDY } from '../search/http/handler.ts';
import { RecordCache } from '../search/http/record-cache.ts';
import type { ResolvedSearch } from '../search/query/plan.ts';
import type { SearchBackend, SearchSessions } from '../search/query/search-backend.ts';
import { rememberAnswers } from '../search/sql/remembered-backend.ts';
import { createSqlBackend, matchingAmong } from '../search/sql/sql-backend.ts';
import { type AnalyticsQueue, OWN_ACCOUNT } from '../search/summaries/analytics-queue.ts';
import { createBackendSwitch } from '../search/switch/backend-switch.ts';
import { measureEngine, measureRecords } from './search-metrics.ts';

export interface SearchWiring {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly report: (error: unknown) => void;
  readonly onReady?: (rows: number) => void;
  readonly settings: Config['search'];
  /** Makes the columns of the engine, and is closed with it. */
  readonly builder: BaseBuilder;
  readonly maxTail?: typeof MAX_TAIL;
  /** Where questions about all results wait. */
  readonly analytics: AnalyticsQueue;
  /** Its version changes with every listing written, which ends what is remembered. */
  readonly cache: Pick<CachedReads, 'version' | 'onRemoved'>;
}

export interface SearchParts {
  readonly backend: SearchSessions;
  readonly areas: AreaIdCache;
  readonly records: RecordCache;
  readonly engine: SearchEngine;
  /** Whether searches know what was written before, once they do or are late. */
  untilSearched(): Promise<boolean>;
  /** Resolves once searches are answered, or will not be for some time. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Milliseconds. */
const SEARCHED_LIMIT = 250;

export function createSearch(wiring: SearchWiring): SearchParts {
  const { database, clock, analytics, cache, settings } = wiring;
  const areas = createAreaIdCache(database, clock);
  const memory = { version: () => cache.version(), monotonic: () => clock.monotonic() };
  const askerOf = ({ context, maxWait }: ResolvedSearch) => ({
    caller: context?.caller ?? OWN_ACCOUNT,
    request: context,
    remedy: SEARCH_REMEDY,
    maxWait,
  });
  const queued = createSqlBackend({ database, queue: (search) => analytics.database(askerOf(search)) });
  const sql = rememberAnswers(queued, memory);
  // PostgreSQL reads records with their page.
  const bytes = settings.engine === 'memory' ? settings.cacheMegabytes * 1e6 : 0;
  const records = new RecordCache({ bytes, monotonic: () => clock.monotonic() });
  cache.onRemoved(() => records.clear());
  measureRecords(wiring.metrics, records);
  const engine =
    settings.engine === 'memory'
      ? createSearchEngine({ ...wiring, onLoad: () => records.clear() })
      : NO_ENGINE;
  const engineOver = (generation: Generation): SearchBackend =>
    createEngineBackend({
      generation,
      findListings: (ids, signal) =>
        database.read((statements) => findListings(statements, ids), {
          planned: 'once',
          ...(signal && { signal }),
        }),
      findMatching: matchingAmong(createSqlBackend({ database, queue: () => database })),
      areaIds: (nos) => areas.idsOf(nos),
      scan: (search, expensiveAfter, work) => {
        const { signal, context } = search;
        const after = context?.isContinued ? Number.POSITIVE_INFINITY : expensiveAfter;
        return analytics.scan(askerOf(search), { expensiveAfter: after, signal, left: context?.left }, work);
      },
    });
  const onAnswer = measureEngine(wiring.metrics, engine);
  const backend = createBackendSwitch({ sql, engine, engineOver, onAnswer });
  return {
    areas,
    records,
    engine,
    backend,
    untilSearched: () => engine.catchUp(SEARCHED_LIMIT),
    start: () => engine.start(),
    stop: () => engine.stop(),
  };
}
