// Loading of the summaries that metrics need over periods: every set once for all periods together.

import { Problem } from '../lib/problem.ts';
import type { Measure, Summaries } from '../search/query/measures.ts';
import type { Metric, MetricSet } from '../search/summaries/metrics.ts';
import { type Day, keyOf, type Period, quarterBefore } from './calendar.ts';
import { summarizeFacts } from './column-summaries.ts';
import { computeFigures } from './compute-figures.ts';
import { cacheSummaries, findCachedSummaries } from './figure-cache-store.ts';
import type { FigureReads } from './market-scope.ts';
import {
  type CachedScope,
  filterPeriods,
  findSummaries,
  type ListingScope,
  type PeriodSummary,
  type SummaryRequest,
  type SummaryResult,
} from './store.ts';

export type Group = PeriodSummary['group'];

/** Summaries by set, period and group. An empty set is null. */
export class PeriodSummaries {
  readonly #sets = new Map<string, Summaries>();
  readonly #groups = new Map<string, Map<string, Group>>();

  static #key = (period: Period, set: MetricSet, group: Group): string =>
    `${keyOf(period)} ${set} ${JSON.stringify(group)}`;

  add(period: Period, { set, group, summaries }: Omit<PeriodSummary, 'index'>): void {
    this.#sets.set(PeriodSummaries.#key(period, set, group), summaries);
    const groups = this.#groups.get(keyOf(period)) ?? new Map<string, Group>();
    this.#groups.set(keyOf(period), groups.set(JSON.stringify(group), group));
  }

  /** Events of the period, or the listings that were active at any time in it. */
  during(period: Period, set: MetricSet, group: Group): Summaries | null {
    return this.#sets.get(PeriodSummaries.#key(period, set, group)) ?? null;
  }

  /** The inventory as a day begins. */
  at(day: Day, group: Group): Summaries | null {
    return this.during(dayPeriod(day), 'inventory', group);
  }

  /** Groups with a summary in the period or at its end. */
  groups(period: Period): Group[] {
    const keys = [keyOf(period), keyOf(dayPeriod(period.end))];
    return [...new Map(keys.flatMap((key) => [...(this.#groups.get(key) ?? [])])).values()];
  }
}

/** The beginning of a day, as a period. */
const dayPeriod = (day: Day): Period => ({ start: day, end: day });

/** Loads all summaries that these metrics need over these periods, of each of these scopes by itself. */
export async function loadSummariesOfEach(
  reads: FigureReads,
  scopes: readonly ListingScope[],
  metrics: readonly Metric[],
  periods: readonly Period[],
): Promise<PeriodSummaries[]> {
  const requests = buildRequests(metrics, periods);
  const cached = await findCachedSummaries(
    reads.database,
    scopes.flatMap((each) => each.cached ?? []),
    requests,
  );
  const all: PeriodSummaries[] = [];
  for (const listings of scopes) {
    const loaded = new PeriodSummaries();
    all.push(loaded);
    const parts = listings.cached === null ? null : cached.shift();
    for (const { period, summary } of parts?.flatMap(({ summaries }) => summaries) ?? [])
      loaded.add(period, summary);
    const missing = parts?.flatMap((part) => part.missing ?? []) ?? requests;
    if (missing.length === 0) continue;
    if (listings.cached) await computeAndCache(reads, listings, listings.cached, missing, loaded);
    else addSummaries(loaded, missing, await computeUncached(reads, listings, missing));
  }
  return all;
}

/** The same of one scope. */
export async function loadSummaries(
  reads: FigureReads,
  listings: ListingScope,
  metrics: readonly Metric[],
  periods: readonly Period[],
): Promise<PeriodSummaries> {
  const [loaded = new PeriodSummaries()] = await loadSummariesOfEach(reads, [listings], metrics, periods);
  return loaded;
}

/** The sets that the metrics need, over days and periods. */
function buildRequests(metrics: readonly Metric[], periods: readonly Period[]): SummaryRequest[] {
  const measuresOf = (...sets: readonly MetricSet[]): Measure[] => [
    ...new Set(metrics.flatMap(({ set, measure }) => (measure && sets.includes(set) ? [measure] : []))),
  ];
  const needs = (set: MetricSet): boolean => metrics.some((metric) => metric.set === set);
  const kinds = [...new Set(metrics.map(({ set }) => set))].filter(
    (set) => set !== 'inventory' && set !== 'active',
  );
  const days = [
    ...(needs('inventory') ? periods.map(({ end }) => end) : []),
    ...(metrics.some(({ over }) => over === 'inventoryBefore') ? periods.map(({ start }) => start) : []),
  ];
  const quarters = metrics.some(({ over }) => over === 'closedQuarter') ? periods.map(quarterBefore) : [];
  const requested = new Set(kinds.includes('closed') ? periods.map(keyOf) : []);
  const closedQuarters = quarters.filter((quarter) => !requested.has(keyOf(quarter)));
  const inventory = { set: 'inventory', kinds: ['inventory'], measures: measuresOf('inventory') } as const;
  const active = { set: 'active', kinds: ['active'], measures: measuresOf('active') } as const;
  const events = { set: 'events', kinds, measures: measuresOf(...kinds) } as const;
  const closed = { set: 'events', kinds: ['closed'], measures: [] } as const;
  const over = (spans: readonly Period[], request: Omit<SummaryRequest, 'periods'>) =>
    ascendingChains(spans).map((chain) => ({ ...request, periods: chain }));
  return [
    ...over(days.map(dayPeriod), inventory),
    ...(needs('active') ? over(periods, active) : []),
    ...(kinds.length > 0 ? over(periods, events) : []),
    ...over(closedQuarters, closed),
  ];
}

function addSummaries(
  loaded: PeriodSummaries,
  requests: readonly SummaryRequest[],
  results: SummaryResult['summaries'],
): void {
  for (const [at, each] of requests.entries()) {
    for (const summary of results[at] ?? []) {
      const period = each.periods[summary.index];
      if (period) loaded.add(period, summary);
    }
  }
}

/** Summaries that are not remembered. */
const computeUncached = (
  reads: FigureReads,
  listings: ListingScope,
  requests: readonly SummaryRequest[],
): Promise<SummaryResult['summaries']> =>
  computeFigures(reads, [listings], {
    fromFacts: (facts, pace) => summarizeFacts(facts, listings, requests, pace),
    fromDatabase: async (sql) => (await findSummaries(sql, listings, requests)).summaries,
  });

/** Milliseconds after which no further step starts. */
const BUDGET = 1_500;
/** Period ends in the first step. A step below QUICK_STEP milliseconds doubles the next, above SLOW_STEP halves it. */
const FIRST_STEP = 6;
const QUICK_STEP = 300;
const SLOW_STEP = 800;

/**
 * Computes and caches a few months at a time, the latest first. Throws OVERLOADED when the budget is spent; the client's
 * next request continues with the rest.
 */
async function computeAndCache(
  reads: FigureReads,
  listings: ListingScope,
  scope: CachedScope,
  requests: readonly SummaryRequest[],
  loaded: PeriodSummaries,
): Promise<void> {
  const { database } = reads;
  const { clock } = database;
  const startedAt = clock.monotonic();
  const ends = [...new Set(requests.flatMap(({ periods }) => periods).map(({ end }) => end))].sort();
  for (let size = FIRST_STEP; ends.length > 0; ) {
    const stepStartedAt = clock.monotonic();
    if (stepStartedAt - startedAt > BUDGET) throw unfinished(ends.length);
    const step = new Set(ends.splice(-size));
    const batch = requests.flatMap((each) => filterPeriods(each, ({ end }) => step.has(end)) ?? []);
    const { summaries, snapshot } = await computeStep(reads, listings, batch);
    addSummaries(loaded, batch, summaries);
    const computed = batch.map((each, at) => ({ request: each, summaries: summaries[at] ?? [] }));
    await cacheSummaries(database, scope, snapshot, computed).catch(ignoreUnavailable);
    const took = clock.monotonic() - stepStartedAt;
    if (took < QUICK_STEP) size *= 2;
    else if (took > SLOW_STEP) size = Math.max(1, Math.floor(size / 2));
  }
}

/** From the facts in memory, whose snapshot is no newer than they are, or by PostgreSQL. */
const computeStep = (
  reads: FigureReads,
  listings: ListingScope,
  requests: readonly SummaryRequest[],
): Promise<SummaryResult> =>
  computeFigures(reads, [listings], {
    fromFacts: async (facts, task) => ({
      summaries: await summarizeFacts(facts, listings, requests, task),
      snapshot: facts.snapshot,
    }),
    fromDatabase: (sql) => findSummaries(sql, listings, requests),
  });

/** Figures that cannot be cached can still be returned. */
function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof Problem && error.code === 'DATABASE_UNAVAILABLE')) throw error;
}

const unfinished = (left: number): Problem =>
  new Problem(
    'OVERLOADED',
    `These statistics are being computed for the first time, and ${left} of their months are left. Finished ` +
      'months are cached: send the request again, or ask for fewer months or metrics.',
    { headers: { 'retry-after': '1' } },
  );

/** The distinct periods in lists with ascending starts and ends; usually one list. */
export function ascendingChains(periods: readonly Period[]): Period[][] {
  const sorted = [...new Map(periods.map((period) => [keyOf(period), period])).values()].sort((a, b) =>
    a.start === b.start ? (a.end < b.end ? -1 : 1) : a.start < b.start ? -1 : 1,
  );
  const chains: Period[][] = [];
  for (const period of sorted) {
    const chain = chains.find((each) => (each.at(-1)?.end ?? '') <= period.end);
    if (chain) chain.push(period);
    else chains.push([period]);
  }
  return chains;
}
