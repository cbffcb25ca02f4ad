// Loading of the summaries that metrics need over periods: every set once for all periods together.

import { Problem } from '../lib/problem.ts';
import type { Database } from '../postgres/client/database.ts';
import type { Summaries } from '../search/summaries/metric-sql.ts';
import type { Measure, Metric, MetricSet } from '../search/summaries/metrics.ts';
import { type Day, keyOf, type Period, quarterBefore } from './calendar.ts';
import { CachedFigures, cacheParts } from './figure-cache.ts';
import type { CachedScope } from './figure-cache-store.ts';
import { type Field, type FoundParts, findParts, only, type Part, spansOf, type Wanted } from './store.ts';

export type Group = Part['group'];

/** What was read: sets by period and group. A set without members is null. */
export class PeriodSummaries {
  readonly #sets = new Map<string, Summaries>();
  readonly #groups = new Map<string, Map<string, Group>>();

  static #key = (period: string, set: MetricSet, group: Group): string =>
    `${period} ${set} ${JSON.stringify(group)}`;

  add(period: string, { set, group, summaries }: Omit<Part, 'index'>): void {
    this.#sets.set(PeriodSummaries.#key(period, set, group), summaries);
    const groups = this.#groups.get(period) ?? new Map<string, Group>();
    this.#groups.set(period, groups.set(JSON.stringify(group), group));
  }

  /** A set of events, or what was on the market at any moment. */
  during(period: Period, set: MetricSet, group: Group): Summaries | null {
    return this.#sets.get(PeriodSummaries.#key(keyOf(period), set, group)) ?? null;
  }

  /** The inventory as a day begins. */
  at(day: Day, group: Group): Summaries | null {
    return this.#sets.get(PeriodSummaries.#key(day, 'inventory', group)) ?? null;
  }

  /** Groups in which there was anything in the period or at its end. */
  groups({ start, end }: Period): Group[] {
    return [
      ...new Map([
        ...(this.#groups.get(keyOf({ start, end })) ?? []),
        ...(this.#groups.get(end) ?? []),
      ]).values(),
    ];
  }
}

/** Reads everything that these metrics need over these periods. */
export async function gather(
  database: Database,
  field: Field,
  metrics: readonly Metric[],
  periods: readonly Period[],
): Promise<PeriodSummaries> {
  const gathered = new PeriodSummaries();
  const wanted = wantedFor(metrics, periods);
  const left = field.cached ? await addCached(database, field.cached, wanted, gathered) : wanted;
  if (left.length === 0) return gathered;
  if (field.cached) await computeInSteps(database, field, field.cached, left, gathered);
  else addParts(gathered, left, (await compute(database, field, left)).parts);
  return gathered;
}

/** The sets over days and periods that metrics look at. */
function wantedFor(metrics: readonly Metric[], periods: readonly Period[]): Wanted[] {
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
  const known = new Set(kinds.includes('closed') ? periods.map(keyOf) : []);
  const wanted: Wanted[] = [];
  if (days.length > 0)
    wanted.push({ set: 'inventory', days: [...new Set(days)].sort(), measures: measuresOf('inventory') });
  for (const chain of ascendingChains(periods)) {
    if (needs('active')) wanted.push({ set: 'active', periods: chain, measures: measuresOf('active') });
    if (kinds.length > 0)
      wanted.push({ set: 'events', kinds, periods: chain, measures: measuresOf(...kinds) });
  }
  for (const chain of ascendingChains(quarters.filter((quarter) => !known.has(keyOf(quarter)))))
    wanted.push({ set: 'events', kinds: ['closed'], periods: chain, measures: [] });
  return wanted;
}

/** Adds what is cached; gives what is not. */
async function addCached(
  database: Database,
  scope: CachedScope,
  wanted: readonly Wanted[],
  gathered: PeriodSummaries,
): Promise<Wanted[]> {
  const cached = await CachedFigures.read(database, scope, wanted);
  return wanted.flatMap((each) => {
    const missing = cached.missing(each);
    const lacks = new Set(missing ? spansOf(missing).map(keyOf) : []);
    const known = only(each, (period) => !lacks.has(keyOf(period)));
    for (const { period, part } of known ? cached.parts(known) : []) gathered.add(keyIn(each, period), part);
    return missing ?? [];
  });
}

const keyIn = ({ set }: Wanted, period: Period): string => (set === 'inventory' ? period.end : keyOf(period));

function addParts(gathered: PeriodSummaries, wanted: readonly Wanted[], found: FoundParts['parts']): void {
  for (const [at, each] of wanted.entries()) {
    const spans = spansOf(each);
    for (const part of found[at] ?? []) {
      const span = spans[part.index];
      if (span) gathered.add(keyIn(each, span), part);
    }
  }
}

/** Milliseconds for the one statement that reads all sets. */
const TIMEOUT = 5_000;

const compute = (database: Database, field: Field, wanted: readonly Wanted[]): Promise<FoundParts> =>
  database.read((sql) => findParts(sql, field, wanted), { timeout: TIMEOUT });

/** Milliseconds after which no further step is begun. */
const BUDGET = 5_000;
/** Ends of periods in the first step, and the milliseconds within which a step is quick, or slow after. */
const FIRST_STEP = 6;
const QUICK = 1_000;
const SLOW = 2_500;

/**
 * Computes and caches a few months at a time, the latest first: what cannot be computed within one request is computed by
 * those that ask again. Throws OVERLOADED where something is left.
 */
async function computeInSteps(
  database: Database,
  field: Field,
  scope: CachedScope,
  wanted: readonly Wanted[],
  gathered: PeriodSummaries,
): Promise<void> {
  const { clock } = database;
  const begun = clock.monotonic();
  const ends = [...new Set(wanted.flatMap(spansOf).map(({ end }) => end))].sort();
  for (let size = FIRST_STEP; ends.length > 0; ) {
    const stepBegan = clock.monotonic();
    if (stepBegan - begun > BUDGET) throw unfinished(ends.length);
    const step = new Set(ends.splice(-size));
    const some = wanted.flatMap((each) => only(each, ({ end }) => step.has(end)) ?? []);
    const { parts, snapshot } = await compute(database, field, some);
    addParts(gathered, some, parts);
    const computed = some.map((each, at) => ({ wanted: each, parts: parts[at] ?? [] }));
    await cacheParts(database, scope, snapshot, computed).catch(ignoreUnavailable);
    const took = clock.monotonic() - stepBegan;
    if (took < QUICK) size *= 2;
    else if (took > SLOW) size = Math.max(1, Math.floor(size / 2));
  }
}

/** Figures that cannot be kept can still be told. */
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

/** The periods, each once, in lists in which both starts and ends rise: usually one list holds all. */
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
