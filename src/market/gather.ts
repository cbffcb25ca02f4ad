// Owns what has to be read for metrics over periods, and reading it: every set once for all periods together.

import type { Summaries } from '../catalogue/metric-sql.ts';
import type { Measure, Metric, MetricSet } from '../catalogue/metrics.ts';
import type { Database } from '../postgres/database.ts';
import { type Day, keyOf, type Period, quarterBefore } from './calendar.ts';
import { type Field, findParts, type Part, type Wanted } from './store.ts';

export type Group = Part['group'];

/** What was read: sets by period and group. A set without members is null. */
export class Gathered {
  readonly #sets = new Map<string, Summaries>();
  readonly #groups = new Map<string, Map<string, Group>>();

  static #key = (period: string, set: MetricSet, group: Group): string =>
    `${period} ${set} ${JSON.stringify(group)}`;

  add(period: string, { set, group, summaries }: Part): void {
    this.#sets.set(Gathered.#key(period, set, group), summaries);
    const groups = this.#groups.get(period) ?? new Map<string, Group>();
    this.#groups.set(period, groups.set(JSON.stringify(group), group));
  }

  /** A set of events, or what was on the market at any moment. */
  during(period: Period, set: MetricSet, group: Group): Summaries | null {
    return this.#sets.get(Gathered.#key(keyOf(period), set, group)) ?? null;
  }

  /** The inventory as a day begins. */
  at(day: Day, group: Group): Summaries | null {
    return this.#sets.get(Gathered.#key(day, 'inventory', group)) ?? null;
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
): Promise<Gathered> {
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
  const risingDays = [...new Set(days)].sort();
  const asked: { readonly keys: readonly string[]; readonly wanted: Wanted }[] = [];
  if (risingDays.length > 0)
    asked.push({
      keys: risingDays,
      wanted: { set: 'inventory', days: risingDays, measures: measuresOf('inventory') },
    });
  for (const chain of risingChains(periods)) {
    const keys = chain.map(keyOf);
    if (needs('active'))
      asked.push({ keys, wanted: { set: 'active', periods: chain, measures: measuresOf('active') } });
    if (kinds.length > 0)
      asked.push({
        keys,
        wanted: { set: 'events', kinds, periods: chain, measures: measuresOf(...kinds) },
      });
  }
  for (const chain of risingChains(quarters.filter((quarter) => !known.has(keyOf(quarter)))))
    asked.push({
      keys: chain.map(keyOf),
      wanted: { set: 'events', kinds: ['closed'], periods: chain, measures: [] },
    });
  return gatheredOf(database, field, asked);
}

/** Milliseconds for the one statement that reads all sets. */
const TIMEOUT = 5_000;

async function gatheredOf(
  database: Database,
  field: Field,
  asked: readonly { readonly keys: readonly string[]; readonly wanted: Wanted }[],
): Promise<Gathered> {
  const gathered = new Gathered();
  if (asked.length === 0) return gathered;
  const found = await database.read(
    (sql) =>
      findParts(
        sql,
        field,
        asked.map(({ wanted }) => wanted),
      ),
    { timeout: TIMEOUT },
  );
  for (const [at, { keys }] of asked.entries()) {
    for (const part of found[at] ?? []) {
      const key = keys[part.index];
      if (key !== undefined) gathered.add(key, part);
    }
  }
  return gathered;
}

/** The periods, each once, in lists in which both starts and ends rise: usually one list holds all. */
export function risingChains(periods: readonly Period[]): Period[][] {
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
