// Values of metrics from aggregated sets, and what of them is shown. Pure.

import { SQUARE_FEET_PER_SQUARE_METRE, type UnitSystem } from '../../listings/vocabulary.ts';
import type { Summaries, Summary } from './metric-sql.ts';
import {
  type FigureUnit,
  figureUnit,
  hasQuartiles,
  isSuppressed,
  type Metric,
  roundedFor,
} from './metrics.ts';

/** A metric's figure, not rounded. `excluded` counts members of the set in which it cannot be measured. */
export interface Figure {
  readonly value: number | null;
  readonly n: number;
  readonly excluded: number;
  readonly p25: number | null;
  readonly p75: number | null;
}

export const NO_FIGURE: Figure = { value: null, n: 0, excluded: 0, p25: null, p75: null };

/** A figure as it is answered: rounded, and without what a small sample would tell of single homes. */
export interface ShownFigure extends Figure {
  readonly suppressed: boolean;
  /** Of value, p25 and p75. */
  readonly unit: FigureUnit;
}

const EMPTY: Summary = { n: 0, mean: null, sum: null, quartiles: null };

/** The figure of a metric over one set; null stands for an empty set. Not for ratios of two sets. */
export function figureOver(metric: Metric, set: Summaries | null): Figure {
  const total = set?.total ?? 0;
  if (metric.statistic === 'count' || !metric.measure) return { ...NO_FIGURE, value: total, n: total };
  const { n, mean, sum, quartiles } = set?.measures.get(metric.measure) ?? EMPTY;
  const values = { median: quartiles?.[1] ?? null, mean, sum: sum ?? 0 } as const;
  const value = values[metric.statistic as keyof typeof values];
  const [p25 = null, , p75 = null] = hasQuartiles(metric) ? (quartiles ?? []) : [];
  return { value, n, excluded: total - n, p25, p75 };
}

export function shownFigure(metric: Metric, figure: Figure, units: UnitSystem): ShownFigure {
  const suppressed = isSuppressed(metric, figure.n);
  const show = (value: number | null): number | null =>
    value === null || suppressed ? null : roundedFor(metric.unit, inUnits(metric, value, units));
  return {
    ...{ value: show(figure.value), n: figure.n, excluded: figure.excluded },
    ...{ p25: show(figure.p25), p75: show(figure.p75), suppressed },
    unit: figureUnit(metric.unit, units),
  };
}

const inUnits = ({ unit }: Metric, value: number, units: UnitSystem): number =>
  unit === 'moneyPerArea' && units === 'metric' ? value * SQUARE_FEET_PER_SQUARE_METRE : value;
