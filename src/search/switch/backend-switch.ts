// Switch between backends: the engine in memory for what is on the market, PostgreSQL for everything else and where the engine
// is not in use.

import { Problem } from '../../lib/problem.ts';
import { isIndexed } from '../engine/columns/columns.ts';
import type { Generation } from '../engine/columns/segment.ts';
import type { EngineStatus, SearchEngine } from '../engine/lifecycle/search-engine.ts';
import type { Condition } from '../query/condition.ts';
import type { AnswerContext, ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend, SearchSession, SearchSessions } from '../query/search-backend.ts';

/** A query of a search, sent to either backend. */
type Query<Answer> = (backend: SearchBackend, search: ResolvedSearch) => Promise<Answer>;

export interface BackendSwitchOptions {
  readonly sql: SearchBackend;
  readonly engine: Pick<SearchEngine, 'generation' | 'status' | 'lagMs' | 'catchUp'>;
  readonly engineOver: (generation: Generation) => SearchBackend;
  readonly onAnswer: (backend: 'memory' | 'postgres') => void;
}

/** Milliseconds that a search which must be of now waits for the newest changes. */
const CATCH_UP_LIMIT = 1_000;

/**
 * Milliseconds that a generation may be behind where what is known of its listings stands in for their records, and where nothing
 * is said of it.
 */
const USUAL_LAG = 5_000;

/** Seconds. */
const RETRY_AFTER = '2';

export function createBackendSwitch(options: BackendSwitchOptions): SearchSessions {
  return { open: (context) => openSession(options, context) };
}

function openSession(
  { sql, engine, engineOver, onAnswer }: BackendSwitchOptions,
  opened: AnswerContext,
): SearchSession {
  // Of its own: the queue for slots distinguishes answers by it.
  const context = { ...opened };
  /** What is answered from, once a query was for the engine; null: PostgreSQL. */
  let generation: Promise<Generation | null> | undefined;
  let lagMs: number | null = null;
  const isBehind = (): boolean => (engine.lagMs() ?? Number.POSITIVE_INFINITY) > USUAL_LAG;

  /** Throws SEARCH_LOADING. */
  function readGeneration(signal: AbortSignal | undefined): Promise<Generation | null> {
    if (generation !== undefined) return generation;
    const current = engine.generation();
    if (current === null) {
      requireLoaded(engine.status());
      return Promise.resolve(null);
    }
    if (context.fresh) generation = newest(signal);
    else {
      generation = Promise.resolve(current);
      const lag = engine.lagMs();
      if (lag !== null && lag > USUAL_LAG) lagMs = Math.ceil(lag);
    }
    // Each query that awaits it rejects.
    generation.catch(() => {});
    return generation;
  }

  async function newest(signal: AbortSignal | undefined): Promise<Generation | null> {
    const isCurrent = await engine.catchUp(CATCH_UP_LIMIT, signal);
    // Meanwhile it may have run out of memory.
    const found = engine.generation();
    if (found !== null && !isCurrent) lagMs = Math.ceil(engine.lagMs() ?? 0);
    return found;
  }

  async function ask<Answer>(search: ResolvedSearch, query: Query<Answer>): Promise<Answer> {
    const indexed = isOnMarket(search.plan.conditions) ? await readGeneration(search.signal) : null;
    if (indexed === null) return askSql(search, query);
    const answer = await query(engineOver(indexed), { ...search, context });
    onAnswer('memory');
    return answer;
  }

  function askSql<Answer>(search: ResolvedSearch, query: Query<Answer>): Promise<Answer> {
    onAnswer('postgres');
    return query(sql, { ...search, context });
  }

  return {
    page: (search, known) => ask(search, (backend, of) => backend.page(of, isBehind() ? undefined : known)),
    countsAlong: ({ plan }) =>
      isOnMarket(plan.conditions) && (generation !== undefined || engine.generation() !== null),
    count: (search) => ask(search, (backend, of) => backend.count(of)),
    facets: (search, facets, limits) => ask(search, (backend, of) => backend.facets(of, facets, limits)),
    cells: (search, grid) => ask(search, (backend, of) => backend.cells(of, grid)),
    points: (search, grid) => ask(search, (backend, of) => backend.points(of, grid)),
    summaries: (search, measures) => ask(search, (backend, of) => backend.summaries(of, measures)),
    async countEach(search, sets) {
      const inMemory = sets.filter(isOnMarket);
      const others = sets.filter((set) => !isOnMarket(set));
      const [first, second] = await Promise.all([
        inMemory.length === 0 ? [] : ask(search, (backend, of) => backend.countEach(of, inMemory)),
        others.length === 0 ? [] : askSql(search, (backend, of) => backend.countEach(of, others)),
      ]);
      const counts = { inMemory: first.values(), others: second.values() };
      return sets.map((set) => counts[isOnMarket(set) ? 'inMemory' : 'others'].next().value ?? 0);
    },
    currencies: (search, among) => ask(search, (backend, of) => backend.currencies(of, among)),
    sources: (search) => ask(search, (backend, of) => backend.sources(of)),
    lagMs: () => lagMs,
    close() {
      generation = CLOSED;
    },
  };
}

/** In place of what a closed session read. */
const CLOSED = Promise.reject(new Error('A query came after its session was closed'));
CLOSED.catch(() => {});

/** Whether all that meets these conditions is in the engine. */
const isOnMarket = (conditions: readonly Condition[]): boolean =>
  conditions.some((each) => each.kind === 'statuses' && each.statuses.every(isIndexed));

function requireLoaded({ state, progress }: EngineStatus): void {
  if (state !== 'filling') return;
  const rows = (count: number): string => count.toLocaleString('en-US');
  const loaded = progress === null ? '' : `: ${rows(progress.rows)} of ${rows(progress.total)} so far`;
  throw new Problem('SEARCH_LOADING', `This process is loading the listings that it searches${loaded}.`, {
    headers: { 'retry-after': RETRY_AFTER },
    ...(progress && { members: { progress: { records: progress.rows, total: progress.total } } }),
  });
}
