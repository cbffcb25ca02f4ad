// Metrics of searches: the engine in memory, what answers, what waits, and the cache of records.

import type { Metrics } from '../lib/metrics.ts';
import { memoryLimit, neededMemory } from '../search/engine/lifecycle/engine-memory.ts';
import type { EngineStatus, SearchEngine } from '../search/engine/lifecycle/search-engine.ts';
import type { RecordCache } from '../search/http/record-cache.ts';
import type { AnalyticsQueue } from '../search/summaries/analytics-queue.ts';

/** Returns what counts answers. */
export function measureEngine(
  metrics: Metrics,
  engine: Pick<SearchEngine, 'status'>,
): (backend: 'memory' | 'postgres') => void {
  const gauge = (name: string, help: string, value: (status: EngineStatus) => number) =>
    metrics.gauge(`freehold_search_engine_${name}`, help, () => value(engine.status()));
  const counter = (name: string, help: string, value: (status: EngineStatus) => number) =>
    metrics.observableCounter(`freehold_search_engine_${name}_total`, help, () => value(engine.status()));
  gauge('ready', '1 if searches on the market are answered from memory.', ({ state }) =>
    Number(state === 'ready'),
  );
  gauge('rows', 'Listings that the search engine holds.', ({ rows }) => rows);
  gauge('tail_rows', 'Rows written since the last rebuild.', ({ tailRows }) => tailRows);
  gauge('bytes', 'Bytes of the columns of the search engine.', ({ bytes }) => bytes);
  gauge('needed_bytes', 'Bytes of memory that a process needs to load these listings.', ({ rows }) =>
    neededMemory(rows),
  );
  gauge('limit_bytes', 'Bytes of memory that this process may use, of its container or of the machine.', () =>
    memoryLimit(),
  );
  gauge('sequence', 'Sequence of the newest change that the search engine has.', ({ sequence }) => sequence);
  gauge(
    'lag_seconds',
    'Changes that are older are all in the search engine; NaN while it holds nothing.',
    ({ lagMs }) => (lagMs ?? Number.NaN) / 1000,
  );
  counter('loads', 'Loads of the search engine from the database.', ({ loads }) => loads);
  counter('rebuilds', 'Rebuilds of the columns with the changes since.', ({ rebuilds }) => rebuilds);
  counter('rebuild_seconds', 'Seconds that the rebuilds took.', ({ rebuildTime }) => rebuildTime / 1000);
  const answers = metrics.counter('freehold_search_answers_total', 'Answered questions of searches.', [
    'backend',
  ]);
  return (backend) => answers.inc({ backend });
}

export function measureRecords(metrics: Metrics, records: Pick<RecordCache, 'status'>): void {
  const counter = (name: string, help: string, value: () => number) =>
    metrics.observableCounter(`freehold_search_cache_${name}_total`, help, value);
  counter('hits', 'Records of pages that were cached.', () => records.status().hits);
  counter('misses', 'Records of pages that had to be read.', () => records.status().misses);
  metrics.gauge('freehold_search_cache_bytes', 'Bytes of cached records.', () => records.status().bytes);
}

/** How many expensive queries are answered, and how many wait. */
export function measureExpensive(metrics: Metrics, queue: Pick<AnalyticsQueue, 'status'>): void {
  for (const [kind, what] of [
    ['statements', 'of PostgreSQL'],
    ['scans', 'that are answered from memory'],
  ] as const) {
    const name = `freehold_expensive_${kind}`;
    metrics.gauge(
      `${name}_running`,
      `Expensive queries ${what}, under way.`,
      () => queue.status()[kind].busy,
    );
    metrics.gauge(`${name}_waiting`, `The same, waiting for a slot.`, () => queue.status()[kind].waiting);
  }
}
