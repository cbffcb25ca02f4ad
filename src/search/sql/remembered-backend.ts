// Memory for answers about all results: of closed listings each costs PostgreSQL tens of milliseconds.

import { QueryCache, type QueryCacheOptions } from '../../lib/query-cache.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';

/** Answers of each kind. */
const MAX_ANSWERS = 5_000;
/** Cells in all answers. */
const MAX_CELLS = 50_000;

/** Believes answers until a listing is written, for a few seconds at most. Pages and explanations are always read. */
export function rememberAnswers(
  backend: SearchBackend,
  memory: Pick<QueryCacheOptions<object>, 'version' | 'monotonic'>,
): SearchBackend {
  function remembered<Args extends readonly unknown[], Value extends object>(
    ask: (search: ResolvedSearch, ...args: Args) => Promise<Value>,
    options: Partial<QueryCacheOptions<Value>> = {},
  ) {
    const cache = new QueryCache<Value>({ ...memory, max: MAX_ANSWERS, ...options });
    return (search: ResolvedSearch, ...args: Args): Promise<Value> =>
      search.context?.fresh
        ? ask(search, ...args)
        : cache.get([keyOf(search), args], (signal) => ask({ ...search, signal }, ...args), search.signal);
  }

  const counted = remembered(async (search) => ({ count: await backend.count(search) }));
  const summed = remembered(backend.summaries);
  return {
    ...backend,
    count: async (search) => (await counted(search)).count,
    facets: remembered(backend.facets),
    cells: remembered(backend.cells, { max: MAX_CELLS, weigh: (cells) => cells.length + 1 }),
    points: remembered(backend.points, {
      max: MAX_CELLS,
      weigh: ({ points, cells }) => points.length + cells.length + 1,
    }),
    // Ages are those of a moment, which is another one for each search.
    summaries: (search, measures) =>
      measures.includes('age') ? backend.summaries(search, measures) : summed(search, measures),
    sources: remembered(backend.sources),
  };
}

/** Everything that decides which listings a search finds, and how old they are. */
function keyOf({ plan, resolved }: ResolvedSearch): unknown {
  const { listingType, conditions, ignoreDisplayRules, startedAt } = plan;
  const byDays = conditions.some((each) => each.kind === 'range' && each.column === 'daysOnMarket');
  const { areaNos, words } = resolved;
  return [listingType, conditions, ignoreDisplayRules, areaNos, [...words], byDays && startedAt];
}
