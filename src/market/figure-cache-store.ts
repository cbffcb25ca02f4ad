// Cache of the figures of whole months, in the database: of all areas or a single one, filled on first request.

import type { Database, Sql } from '../postgres/client/database.ts';
import type { Measure, Summaries, Summary } from '../search/query/measures.ts';
import type { MetricSet } from '../search/summaries/metrics.ts';
import { FIGURE_CACHE_LOCK } from '../timeline/figure-invalidation-store.ts';
import { keyOf, type Period, wholeMonths } from './calendar.ts';
import { type CachedScope, filterPeriods, type PeriodSummary, type SummaryRequest } from './store.ts';

/** The summaries of a set over a period; of the inventory, start and end are the day. */
interface CachedSet extends Period {
  readonly kind: MetricSet;
  readonly total: number;
  readonly measures: Readonly<Record<string, Summary>>;
}

/** Months of the periods that are cached: none for the inventory of a day, and those of a month, quarter and year. */
const CACHED_MONTHS: readonly (number | null)[] = [0, 1, 3, 12];

/** Whether the figures of a period can be cached. Only a few lengths are, so that the cache is bounded. */
function isCacheable(period: Period, { until }: CachedScope): boolean {
  return CACHED_MONTHS.includes(wholeMonths(period)) && period.end <= until;
}

const keyOfSet = (kind: MetricSet, period: Period): string => `${kind} ${keyOf(period)}`;

/** The cached part of a request, without empty sets, and a request for its other periods; null if there are none. */
interface CachedPart {
  readonly summaries: readonly { readonly period: Period; readonly summary: Omit<PeriodSummary, 'index'> }[];
  readonly missing: SummaryRequest | null;
}

/** Reads the cached summaries of each request, of all of these scopes in one statement; for each scope those of each request. */
export async function findCachedSummaries(
  database: Database,
  scopes: readonly CachedScope[],
  requests: readonly SummaryRequest[],
): Promise<CachedPart[][]> {
  const all = requests.flatMap(({ periods }) => periods);
  const periods = [...new Map(all.map((period) => [keyOf(period), period])).values()].filter((period) =>
    scopes.some((scope) => isCacheable(period, scope)),
  );
  const kinds = [...new Set(requests.flatMap((request) => request.kinds))];
  const rows =
    periods.length === 0 ? [] : await database.read((sql) => findCachedSets(sql, scopes, kinds, periods));
  const byScope = Map.groupBy(rows, ({ place }) => place - 1);
  return scopes.map((_, at) => {
    const sets = new Map((byScope.get(at) ?? []).map((set) => [keyOfSet(set.kind, set), set]));
    return requests.map((request) => cachedPart(request, sets));
  });
}

/** What of a request is among cached sets. */
function cachedPart(request: SummaryRequest, sets: ReadonlyMap<string, CachedSet>): CachedPart {
  const setsOf = (period: Period): CachedSet[] =>
    request.kinds
      .flatMap((kind) => sets.get(keyOfSet(kind, period)) ?? [])
      .filter((set) => request.measures.every((measure) => measure in set.measures));
  const isCached = (period: Period): boolean => setsOf(period).length === request.kinds.length;
  return {
    missing: filterPeriods(request, (period) => !isCached(period)),
    summaries: request.periods.filter(isCached).flatMap((period) =>
      setsOf(period)
        .filter(({ total }) => total > 0)
        .map((set) => ({ period, summary: { set: set.kind, group: [], summaries: summariesOf(set) } })),
    ),
  };
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
    const computedSets = new Map(summaries.map((each) => [`${each.set} ${each.index}`, each.summaries]));
    return request.periods.flatMap((period, index) => {
      if (!isCacheable(period, scope)) return [];
      return request.kinds.map((kind) =>
        setOf(kind, period, request.measures, computedSets.get(`${kind} ${index}`)),
      );
    });
  });
  if (sets.length > 0) await cacheSets(database, scope, snapshot, mergedSets(sets));
}

function setOf(
  kind: MetricSet,
  { start, end }: Period,
  measures: readonly Measure[],
  summaries: Summaries | undefined,
): CachedSet {
  const summed = measures.map((measure) => [measure, summaries?.measures.get(measure) ?? EMPTY] as const);
  return { kind, start, end, total: summaries?.total ?? 0, measures: Object.fromEntries(summed) };
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

/** A cached set, and the place of its scope, from 1 on. */
interface FoundSet extends CachedSet {
  readonly place: number;
}

/** The cached sets of these scopes, kinds and periods. */
async function findCachedSets(
  sql: Sql,
  scopes: readonly CachedScope[],
  kinds: readonly MetricSet[],
  periods: readonly Period[],
): Promise<FoundSet[]> {
  return sql<FoundSet[]>`
    select scope.place::int as place, kind, start_date as start, end_date as end, total, measures
    from unnest(${scopes.map(({ areaNo }) => areaNo)}::int[], ${scopes.map(({ listingType }) => listingType)}::text[],
        ${scopes.map(({ currency }) => currency)}::text[], ${scopes.map(({ timeZone }) => timeZone)}::text[])
      with ordinality as scope (no, type, money, zone, place)
    join market_figure_cache on area_no = no and listing_type = type and currency = money and time_zone = zone
    join unnest(${periods.map(({ start }) => start)}::text[]::date[], ${periods.map(({ end }) => end)}::text[]::date[])
      as period (first, past) on start_date = first and end_date = past
    where kind = any(${[...kinds]}::text[])`;
}

/**
 * Stores the sets that were computed in this snapshot, except those that a write has changed since. Stores nothing while a
 * write holds the lock.
 */
async function cacheSets(
  database: Database,
  scope: CachedScope,
  snapshot: string,
  sets: readonly CachedSet[],
): Promise<void> {
  const { areaNo, listingType, currency, timeZone } = scope;
  await database.transaction(async (tx) => {
    const [lock] = await tx<
      { taken: boolean }[]
    >`select pg_try_advisory_xact_lock(${FIGURE_CACHE_LOCK}) as taken`;
    if (!lock?.taken) return;
    // A statement of its own: it sees what was committed before the lock was taken.
    await tx`
      with overtaken as (
        select min(since) as since from market_figure_change
        where listing_type = ${listingType} and area_nos @> array[${areaNo}::integer]
          and not pg_visible_in_snapshot(xid, ${snapshot}::pg_snapshot))
      insert into market_figure_cache (area_no, listing_type, currency, time_zone, kind, start_date, end_date, total, measures)
      select ${areaNo}, ${listingType}, ${currency}, ${timeZone}, kind, start, "end", total, measures
      from json_to_recordset(${JSON.stringify(sets)}::text::json) as row (kind text, start date, "end" date,
        total double precision, measures json), overtaken
      where overtaken.since is null or "end" < overtaken.since
      on conflict (area_no, listing_type, currency, time_zone, kind, end_date, start_date) do update
      set measures = (market_figure_cache.measures::jsonb || excluded.measures::jsonb)::json`;
  });
}
