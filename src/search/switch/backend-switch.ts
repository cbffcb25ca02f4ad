// Switch between backends: the engine in memory for what is on the market, PostgreSQL for everything else and where the engine
// is not in use.

import { Problem } from '../../lib/problem.ts';
import { isHeld } from '../engine/columns/held-statuses.ts';
import type { Generation } from '../engine/columns/segment.ts';
import type { EngineStatus, SearchEngine } from '../engine/lifecycle/search-engine.ts';
import type { Condition } from '../query/condition.ts';
import type { ResolvedQuery, ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';

/** A query of a search, sent to either backend. */
type Question<Answer> = (backend: SearchBackend, search: ResolvedSearch) => Promise<Answer>;

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

/** What a request is answered from: one generation for all of its questions; null: PostgreSQL. */
interface Held {
  readonly generation: Promise<Generation | null>;
  /** Where changes are missing for longer than usual, or the search could not wait for the newest ones. */
  lagMs: number | null;
}

export function createBackendSwitch(options: BackendSwitchOptions): SearchBackend {
  const { sql, engine, engineOver, onAnswer } = options;
  const requests = new WeakMap<ResolvedQuery, Held>();
  const isBehind = (): boolean => (engine.lagMs() ?? Number.POSITIVE_INFINITY) > USUAL_LAG;

  /** Null: PostgreSQL answers. Throws SEARCH_LOADING. */
  function hold(search: ResolvedSearch): Held | null {
    if (!isOnMarket(search.plan.conditions)) return null;
    const known = requests.get(search.resolved);
    if (known !== undefined) return known;
    const first = engine.generation();
    if (first === null) {
      requireLoaded(engine.status());
      return null;
    }
    const newest = async (): Promise<Generation | null> => {
      const isCurrent = await engine.catchUp(CATCH_UP_LIMIT, search.signal);
      // Meanwhile its answers may have turned out to be wrong.
      const generation = engine.generation();
      if (generation !== null && !isCurrent) held.lagMs = Math.ceil(engine.lagMs() ?? 0);
      return generation;
    };
    const lag = engine.lagMs();
    const held: Held = search.fresh
      ? { generation: newest(), lagMs: null }
      : {
          generation: Promise.resolve(first),
          lagMs: lag !== null && lag > USUAL_LAG ? Math.ceil(lag) : null,
        };
    // Whoever asks meets it.
    held.generation.catch(() => {});
    requests.set(search.resolved, held);
    return held;
  }

  async function ask<Answer>(search: ResolvedSearch, question: Question<Answer>): Promise<Answer> {
    const generation = (await hold(search)?.generation) ?? null;
    if (generation === null) return askSql(search, question);
    const answer = await question(engineOver(generation), search);
    onAnswer('memory');
    return answer;
  }

  function askSql<Answer>(search: ResolvedSearch, question: Question<Answer>): Promise<Answer> {
    onAnswer('postgres');
    return question(sql, search);
  }

  return {
    page: (search, known) => ask(search, (backend, of) => backend.page(of, isBehind() ? undefined : known)),
    countsAlong: ({ plan, resolved }) =>
      isOnMarket(plan.conditions) && (requests.has(resolved) || engine.generation() !== null),
    count: (search) => ask(search, (backend, of) => backend.count(of)),
    facets: (search, facets, limits) => ask(search, (backend, of) => backend.facets(of, facets, limits)),
    cells: (search, grid) => ask(search, (backend, of) => backend.cells(of, grid)),
    summaries: (search, measures) => ask(search, (backend, of) => backend.summaries(of, measures)),
    async countEach(search, sets) {
      const held = sets.filter(isOnMarket);
      const others = sets.filter((set) => !isOnMarket(set));
      const [ofHeld, ofOthers] = await Promise.all([
        held.length === 0 ? [] : ask(search, (backend, of) => backend.countEach(of, held)),
        others.length === 0 ? [] : askSql(search, (backend, of) => backend.countEach(of, others)),
      ]);
      const counts = { held: ofHeld.values(), others: ofOthers.values() };
      return sets.map((set) => counts[isOnMarket(set) ? 'held' : 'others'].next().value ?? 0);
    },
    currencies: (search, among) => ask(search, (backend, of) => backend.currencies(of, among)),
    sources: (search) => ask(search, (backend, of) => backend.sources(of)),
    lagMs: ({ resolved }) => requests.get(resolved)?.lagMs ?? null,
  };
}

/** Whether all that meets these conditions is in the engine. */
const isOnMarket = (conditions: readonly Condition[]): boolean =>
  conditions.some((each) => each.kind === 'statuses' && each.statuses.every(isHeld));

function requireLoaded({ state, progress }: EngineStatus): void {
  if (state !== 'filling') return;
  const rows = (count: number): string => count.toLocaleString('en-US');
  const loaded = progress === null ? '' : `: ${rows(progress.rows)} of ${rows(progress.total)} so far`;
  throw new Problem('SEARCH_LOADING', `This process is loading the listings that it searches${loaded}.`, {
    headers: { 'retry-after': RETRY_AFTER },
    ...(progress && { members: { progress: { records: progress.rows, total: progress.total } } }),
  });
}
