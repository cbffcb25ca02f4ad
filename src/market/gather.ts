// Owns what has to be read for metrics over periods, and reading it: every set once for all periods together.

import type { Summaries } from '../catalogue/metric-sql.ts';
import type { Measure, Metric, MetricSet } from '../catalogue/metrics.ts';
import type { Database, Sql } from '../postgres/database.ts';
import { type Day, keyOf, type Period, quarterBefore } from './calendar.ts';
import { type Field, findActive, findEvents, findInventory, type Part } from './store.ts';

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
  const gathered = new Gathered();
  // Statements see the market as it is when they begin, on one connection as on several: side by side they take no
  // longer than the slowest.
  const read = async (keys: readonly string[], find: (sql: Sql) => Promise<Part[]>): Promise<void> => {
    for (const part of await database.read(find)) {
      const key = keys[part.index];
      if (key !== undefined) gathered.add(key, part);
    }
  };
  const reading: Promise<void>[] = [];
  const risingDays = [...new Set(days)].sort();
  if (risingDays.length > 0)
    reading.push(read(risingDays, (sql) => findInventory(sql, field, risingDays, measuresOf('inventory'))));
  for (const chain of risingChains(periods)) {
    const keys = chain.map(keyOf);
    if (needs('active'))
      reading.push(read(keys, (sql) => findActive(sql, field, chain, measuresOf('active'))));
    if (kinds.length > 0)
      reading.push(read(keys, (sql) => findEvents(sql, field, chain, kinds, measuresOf(...kinds))));
  }
  for (const chain of risingChains(quarters.filter((quarter) => !known.has(keyOf(quarter)))))
    reading.push(read(chain.map(keyOf), (sql) => findEvents(sql, field, chain, ['closed'], [])));
  await Promise.all(reading);
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
