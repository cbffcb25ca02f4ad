// Metrics over periods, computed from summaries: figures, ratios of two sets, and changes.

import { roundTo } from '../lib/round.ts';
import {
  type Figure,
  figureOver,
  isSuppressed,
  type Metric,
  NO_FIGURE,
  type ShownFigure,
  shownFigure,
} from '../search/summaries/metrics.ts';
import { monthBefore, type Period, previousOf, quarterBefore, yearBefore } from './calendar.ts';
import { type Group, loadSummaries, loadSummariesOfEach, PeriodSummaries } from './load-summaries.ts';
import { type FigureReads, listingScopeOf, type Scope } from './market-scope.ts';
import type { RequestedMetric } from './parameters.ts';
import type { Grouping } from './store.ts';

export interface MetricFigure extends ShownFigure {
  /** The days that it is of; a state at one moment has the day that begins then as both. */
  readonly period: Period;
  readonly change: { readonly previous: number | null; readonly yearAgo: number | null } | null;
}

/** The metrics of a request, loaded for some periods. */
export interface LoadedMetrics {
  /** Groups with listings or events in the period, or listings at its end. */
  groups(period: Period): Group[];
  /** The metrics of one of the periods by their ids; of all listings without a group. */
  compute(period: Period, group?: Group): Record<string, MetricFigure>;
}

/** Loads what the metrics need over these periods, and over those that their changes compare with. */
export async function loadMetrics(
  reads: FigureReads,
  scope: Scope,
  metrics: readonly RequestedMetric[],
  periods: readonly Period[],
  groupBy: readonly Grouping[] = [],
): Promise<LoadedMetrics> {
  const loaded = await loadSummaries(
    reads,
    listingScopeOf(scope, groupBy),
    metrics.map(({ metric }) => metric),
    withCompared(metrics, periods),
  );
  return loadedMetrics(loaded, metrics, scope);
}

/** The same of each of these scopes by itself, without groups; `compared`: whether with changes, which are null otherwise. */
export async function loadMetricsOfEach(
  reads: FigureReads,
  scopes: readonly Scope[],
  metrics: readonly RequestedMetric[],
  periods: readonly Period[],
  compared: boolean,
): Promise<LoadedMetrics[]> {
  const all = await loadSummariesOfEach(
    reads,
    scopes.map((scope) => listingScopeOf(scope)),
    metrics.map(({ metric }) => metric),
    compared ? withCompared(metrics, periods) : periods,
  );
  return scopes.map((scope, at) => loadedMetrics(all[at] ?? new PeriodSummaries(), metrics, scope));
}

/** Periods with those that changes compare them with. */
function withCompared(metrics: readonly RequestedMetric[], periods: readonly Period[]): Period[] {
  const hasMonthly = metrics.some(({ change }) => change === 'mom');
  return periods.flatMap((period) => [
    period,
    previousOf(period),
    yearBefore(period),
    ...(hasMonthly ? [monthBefore(period)] : []),
  ]);
}

const loadedMetrics = (
  loaded: PeriodSummaries,
  metrics: readonly RequestedMetric[],
  { units }: Scope,
): LoadedMetrics => ({
  groups: (period) => loaded.groups(period),
  compute: (period, group = []) => computeMetrics(loaded, metrics, period, group, units),
});

function computeMetrics(
  loaded: PeriodSummaries,
  metrics: readonly RequestedMetric[],
  period: Period,
  group: Group,
  units: Scope['units'],
): Record<string, MetricFigure> {
  const [previous, yearAgo, monthAgo] = [previousOf(period), yearBefore(period), monthBefore(period)];
  return Object.fromEntries(
    metrics.map(({ id, metric, change }): [string, MetricFigure] => {
      const figure = figureOf(loaded, metric, period, group);
      const days = periodOf(metric, period);
      const since = (before: Period): number | null =>
        changeOf(metric, figureOf(loaded, metric, before, group), figure);
      if (change === null) {
        const changes = { previous: since(previous), yearAgo: since(yearAgo) };
        return [id, { ...shownFigure(metric, figure, units), period: days, change: changes }];
      }
      const { n, excluded } = figure;
      const value = since(change === 'mom' ? monthAgo : yearAgo);
      const suppressed = isSuppressed(metric, n);
      const shown = { ...NO_FIGURE, value, n, excluded, suppressed, unit: 'share' } as const;
      return [id, { ...shown, period: days, change: null }];
    }),
  );
}

/** The days that a metric's figure is of, where a request names this period. */
function periodOf({ set, over }: Metric, period: Period): Period {
  if (over === 'closedQuarter') return quarterBefore(period);
  const isState = set === 'inventory' && over === undefined;
  return isState ? { start: period.end, end: period.end } : period;
}

/** A metric's figure over a period and group. */
function figureOf(loaded: PeriodSummaries, metric: Metric, period: Period, group: Group): Figure {
  if (metric.over === 'closedQuarter') {
    const closed = loaded.during(quarterBefore(period), 'closed', group)?.total ?? 0;
    const inventory = loaded.at(period.end, group)?.total ?? 0;
    return { ...NO_FIGURE, value: closed === 0 ? null : inventory / (closed / 3), n: closed };
  }
  if (metric.over === 'inventoryBefore') {
    const closed = loaded.during(period, 'closed', group)?.total ?? 0;
    const inventory = loaded.at(period.start, group)?.total ?? 0;
    return { ...NO_FIGURE, value: inventory === 0 ? null : closed / inventory, n: inventory };
  }
  const set =
    metric.set === 'inventory' ? loaded.at(period.end, group) : loaded.during(period, metric.set, group);
  return figureOver(metric, set);
}

/** Relative change of the unrounded values; null if either is suppressed or unknown. */
function changeOf(metric: Metric, before: Figure, now: Figure): number | null {
  if (before.value === null || now.value === null || before.value === 0) return null;
  if (isSuppressed(metric, before.n) || isSuppressed(metric, now.n)) return null;
  return roundTo(now.value / before.value - 1, 6);
}
