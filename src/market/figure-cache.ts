// Cache of the figures of whole months, in the database: of all areas or a single one, filled on first request.

import type { Database } from '../postgres/client/database.ts';
import type { Summaries, Summary } from '../search/summaries/metric-sql.ts';
import type { Measure, MetricSet } from '../search/summaries/metrics.ts';
import { keyOf, type Period, wholeMonths } from './calendar.ts';
import { type CachedScope, type CachedSet, cacheSets, findCachedSets } from './figure-cache-store.ts';
import { filterPeriods, kindsOf, type PeriodSummary, periodsOf, type SummaryRequest } from './store.ts';

/** Months of the periods that are cached: none for the inventory of a day, and those of a month, quarter and year. */
const CACHED_MONTHS: readonly (number | null)[] = [0, 1, 3, 12];

/** Whether the figures of a period can be cached. Only a few lengths are, so that the cache is bounded. */
export function isCacheable(period: Period, { until }: CachedScope): boolean {
  return CACHED_MONTHS.includes(wholeMonths(period)) && period.end <= until;
}

const keyOfSet = (kind: MetricSet, period: Period): string => `${kind} ${keyOf(period)}`;

/** The cached figures of a scope. */
export class CachedFigures {
  readonly #sets: ReadonlyMap<string, CachedSet>;

  private constructor(sets: ReadonlyMap<string, CachedSet>) {
    this.#sets = sets;
  }

  /** Loads the cached figures that the requests need. */
  static async read(
    database: Database,
    scope: CachedScope,
    requests: readonly SummaryRequest[],
  ): Promise<CachedFigures> {
    const periods = requests.flatMap(periodsOf).filter((period) => isCacheable(period, scope));
    const distinct = [...new Map(periods.map((period) => [keyOf(period), period])).values()];
    const kinds = [...new Set(requests.flatMap(kindsOf))];
    const sets =
      distinct.length === 0 ? [] : await database.read((sql) => findCachedSets(sql, scope, kinds, distinct));
    return new CachedFigures(new Map(sets.map((set) => [keyOfSet(set.kind, set), set])));
  }

  /** The periods of a request that are not cached; null if all are. */
  missing(request: SummaryRequest): SummaryRequest | null {
    const has = (kind: MetricSet, period: Period): boolean => {
      const set = this.#sets.get(keyOfSet(kind, period));
      return set !== undefined && request.measures.every((measure) => measure in set.measures);
    };
    return filterPeriods(request, (period) => !kindsOf(request).every((kind) => has(kind, period)));
  }

  /** The cached summaries of a request; like computed ones, without empty sets. */
  *summaries(
    request: SummaryRequest,
  ): Iterable<{ readonly period: Period; readonly summary: Omit<PeriodSummary, 'index'> }> {
    for (const period of periodsOf(request)) {
      for (const kind of kindsOf(request)) {
        const set = this.#sets.get(keyOfSet(kind, period));
        if (set && set.total > 0)
          yield { period, summary: { set: kind, group: [], summaries: summariesOf(set) } };
      }
    }
  }
}

function summariesOf({ total, measures }: CachedSet): Summaries {
  return { total, measures: new Map(Object.entries(measures) as [Measure, Summary][]) };
}

const EMPTY: Summary = { n: 0, mean: null, sum: null, quartiles: null };

/** Caches the summaries that were computed in this snapshot, empty sets included. */
export async function cacheSummaries(
  database: Database,
  scope: CachedScope,
  snapshot: string,
  computed: readonly { readonly request: SummaryRequest; readonly summaries: readonly PeriodSummary[] }[],
): Promise<void> {
  const sets = computed.flatMap(({ request, summaries }) => {
    const found = new Map(summaries.map((each) => [`${each.set} ${each.index}`, each.summaries]));
    return periodsOf(request).flatMap((period, index) => {
      if (!isCacheable(period, scope)) return [];
      return kindsOf(request).map((kind) =>
        setOf(kind, period, request.measures, found.get(`${kind} ${index}`)),
      );
    });
  });
  if (sets.length > 0) await cacheSets(database, scope, snapshot, mergedSets(sets));
}

function setOf(
  kind: MetricSet,
  { start, end }: Period,
  measures: readonly Measure[],
  found: Summaries | undefined,
): CachedSet {
  const summed = measures.map((measure) => [measure, found?.measures.get(measure) ?? EMPTY] as const);
  return { kind, start, end, total: found?.total ?? 0, measures: Object.fromEntries(summed) };
}

/** Each set once: a quarter can be requested itself and as the quarter before a month. */
function mergedSets(sets: readonly CachedSet[]): CachedSet[] {
  const merged = new Map<string, CachedSet>();
  for (const set of sets) {
    const key = keyOfSet(set.kind, set);
    merged.set(key, { ...set, measures: { ...merged.get(key)?.measures, ...set.measures } });
  }
  return [...merged.values()];
}
