// Figures of whole months in plain areas, kept in the database from the first time that they are asked for.

import type { Database } from '../postgres/client/database.ts';
import type { Summaries, Summary } from '../search/summaries/metric-sql.ts';
import type { Measure, MetricSet } from '../search/summaries/metrics.ts';
import { keyOf, type Period, wholeMonths } from './calendar.ts';
import { type CachedScope, type CachedSet, cacheSets, findCachedSets } from './figure-cache-store.ts';
import { kindsOf, only, type Part, spansOf, type Wanted } from './store.ts';

/** Months of the periods that are cached: none for the inventory of a day, and those of a month, quarter and year. */
const CACHED_MONTHS: readonly (number | null)[] = [0, 1, 3, 12];

/** Whether the figures of a period can be cached: no more than a few lengths, so that nobody can ask for ever more. */
export function isCacheable(period: Period, { until }: CachedScope): boolean {
  return CACHED_MONTHS.includes(wholeMonths(period)) && period.end <= until;
}

const keyOfSet = (kind: MetricSet, period: Period): string => `${kind} ${keyOf(period)}`;

/** What is cached of a scope. */
export class CachedFigures {
  readonly #sets: ReadonlyMap<string, CachedSet>;

  private constructor(sets: ReadonlyMap<string, CachedSet>) {
    this.#sets = sets;
  }

  /** Reads what is cached of all that is wanted. */
  static async read(
    database: Database,
    scope: CachedScope,
    wanted: readonly Wanted[],
  ): Promise<CachedFigures> {
    const periods = wanted.flatMap(spansOf).filter((period) => isCacheable(period, scope));
    const distinct = [...new Map(periods.map((period) => [keyOf(period), period])).values()];
    const kinds = [...new Set(wanted.flatMap(kindsOf))];
    const sets =
      distinct.length === 0 ? [] : await database.read((sql) => findCachedSets(sql, scope, kinds, distinct));
    return new CachedFigures(new Map(sets.map((set) => [keyOfSet(set.kind, set), set])));
  }

  /** What of a wanted set is not cached; null where nothing is missing. */
  missing(wanted: Wanted): Wanted | null {
    const has = (kind: MetricSet, period: Period): boolean => {
      const set = this.#sets.get(keyOfSet(kind, period));
      return set !== undefined && wanted.measures.every((measure) => measure in set.measures);
    };
    return only(wanted, (period) => !kindsOf(wanted).every((kind) => has(kind, period)));
  }

  /** The parts of a wanted set that are cached; like computed ones, without sets that have no members. */
  *parts(wanted: Wanted): Iterable<{ readonly period: Period; readonly part: Omit<Part, 'index'> }> {
    for (const period of spansOf(wanted)) {
      for (const kind of kindsOf(wanted)) {
        const set = this.#sets.get(keyOfSet(kind, period));
        if (set && set.total > 0)
          yield { period, part: { set: kind, group: [], summaries: summariesOf(set) } };
      }
    }
  }
}

function summariesOf({ total, measures }: CachedSet): Summaries {
  return { total, measures: new Map(Object.entries(measures) as [Measure, Summary][]) };
}

const NOTHING: Summary = { n: 0, mean: null, sum: null, quartiles: null };

/** Caches what was computed of a wanted set from this snapshot, empty sets included. */
export async function cacheParts(
  database: Database,
  scope: CachedScope,
  snapshot: string,
  computed: readonly { readonly wanted: Wanted; readonly parts: readonly Part[] }[],
): Promise<void> {
  const sets = computed.flatMap(({ wanted, parts }) => {
    const found = new Map(parts.map((part) => [`${part.set} ${part.index}`, part.summaries]));
    return spansOf(wanted).flatMap((period, index) => {
      if (!isCacheable(period, scope)) return [];
      return kindsOf(wanted).map((kind) =>
        setOf(kind, period, wanted.measures, found.get(`${kind} ${index}`)),
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
  const summed = measures.map((measure) => [measure, found?.measures.get(measure) ?? NOTHING] as const);
  return { kind, start, end, total: found?.total ?? 0, measures: Object.fromEntries(summed) };
}

/** Each set once: a quarter of closings may be wanted for itself and as the quarter before a month. */
function mergedSets(sets: readonly CachedSet[]): CachedSet[] {
  const merged = new Map<string, CachedSet>();
  for (const set of sets) {
    const key = keyOfSet(set.kind, set);
    merged.set(key, { ...set, measures: { ...merged.get(key)?.measures, ...set.measures } });
  }
  return [...merged.values()];
}
