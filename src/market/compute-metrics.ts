// Metrics of one period, computed from summaries: figures, ratios of two sets, and changes. Pure.

import type { UnitSystem } from '../listings/vocabulary.ts';
import {
  type Figure,
  figureOver,
  NO_FIGURE,
  type ShownFigure,
  shownFigure,
} from '../search/summaries/metric-values.ts';
import { isSuppressed, type Metric } from '../search/summaries/metrics.ts';
import { monthBefore, type Period, previousOf, quarterBefore, yearBefore } from './calendar.ts';
import type { Group, PeriodSummaries } from './load-summaries.ts';
import type { RequestedMetric } from './parameters.ts';

export interface MetricFigure extends ShownFigure {
  readonly change: { readonly previous: number | null; readonly yearAgo: number | null } | null;
}

/** The period and all periods that its changes compare with. */
export function periodsFor(period: Period, metrics: readonly RequestedMetric[]): Period[] {
  const months = metrics.some(({ change }) => change === 'mom') ? [monthBefore(period)] : [];
  return [period, previousOf(period), yearBefore(period), ...months];
}

/** The metrics of a period by their ids. */
export function computeMetrics(
  loaded: PeriodSummaries,
  metrics: readonly RequestedMetric[],
  period: Period,
  group: Group,
  units: UnitSystem,
): Record<string, MetricFigure> {
  return Object.fromEntries(
    metrics.map(({ id, metric, change }) => {
      const now = figureOf(loaded, metric, period, group);
      const since = (before: Period): number | null =>
        changeOf(metric, figureOf(loaded, metric, before, group), now);
      if (change !== null) {
        const value = since(change === 'mom' ? monthBefore(period) : yearBefore(period));
        const suppressed = isSuppressed(metric, now.n);
        return [id, { ...NO_FIGURE, value, n: now.n, excluded: now.excluded, suppressed, change: null }];
      }
      const changes = { previous: since(previousOf(period)), yearAgo: since(yearBefore(period)) };
      return [id, { ...shownFigure(metric, now, units), change: changes }];
    }),
  );
}

/** A metric's figure over a period and group. */
export function figureOf(loaded: PeriodSummaries, metric: Metric, period: Period, group: Group): Figure {
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
  return Math.round((now.value / before.value - 1) * 1e6) / 1e6;
}
