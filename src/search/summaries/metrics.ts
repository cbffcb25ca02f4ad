// Metrics: each defined once as data that code, API and documentation read, and the figures made of them.

import { nearest } from '../../lib/nearest.ts';
import { roundTo } from '../../lib/round.ts';
import {
  type ListingType,
  SQUARE_FEET_PER_SQUARE_METRE,
  type UnitSystem,
} from '../../listings/vocabulary.ts';
import type { Measure, Summaries, Summary } from '../query/measures.ts';
import DEFINITIONS from './metrics.json' with { type: 'json' };

/** The set of listings that a metric is computed over. */
export type MetricSet =
  | 'inventory'
  | 'active'
  | 'new'
  | 'pending'
  | 'closed'
  | 'delisted'
  | 'left'
  | 'ended'
  | 'drop';
export type MetricUnit =
  | 'count'
  | 'money'
  | 'moneyPerArea'
  | 'days'
  | 'months'
  | 'share'
  | 'ratio'
  | 'percent';
/** stock: as a period ends; event: what happened in it; share: one number in relation to another; sum: a total. */
export type MetricKind = 'stock' | 'event' | 'share' | 'sum';
/** ratio: of the sizes of two sets; yield: of rentals and sales together, answered by a route of its own. */
type Statistic = 'count' | 'median' | 'mean' | 'sum' | 'ratio' | 'yield';

export interface Metric {
  readonly id: string;
  readonly unit: MetricUnit;
  readonly kind: MetricKind;
  /** The types of listings it exists for; none: for both together. */
  readonly types: readonly ListingType[];
  readonly set: MetricSet;
  readonly measure?: Measure;
  readonly statistic: Statistic;
  /** The divisor of a ratio. */
  readonly over?: 'closedQuarter' | 'inventoryBefore';
  /** True if it can be computed over any set of listings as they are now. */
  readonly snapshot?: true;
  /** In words. */
  readonly formula: string;
}

/** Values of fewer observations are withheld, except counts and sums. */
export const MINIMUM_SAMPLE = 5;

export const METRICS = DEFINITIONS as readonly Metric[];

const BY_ID = new Map(METRICS.map((metric) => [metric.id, metric]));

export function metricOf(id: string): Metric | undefined {
  return BY_ID.get(id);
}

/**
 * The metric that an unknown id probably means, of these: the shortest that has all of its words, else the one with the most similar
 * name.
 */
export function suggestMetric(id: string, names: readonly string[]): string | undefined {
  const words = id.toLowerCase().split(/[^a-z]+/);
  const [shortest] = names
    .filter((name) => words.every((word) => name.split('_').includes(word)))
    .sort((one, other) => one.length - other.length);
  return shortest ?? nearest(id, names);
}

/** The metrics of listings of this type, in the order of the table. */
export function metricsFor(type: ListingType): Metric[] {
  return METRICS.filter((metric) => metric.types.includes(type));
}

/** Units of figures in a response. */
export const FIGURE_UNITS = [
  'count',
  'money',
  'moneyPerSqft',
  'moneyPerSqm',
  'days',
  'months',
  'share',
  'ratio',
  'percent',
] as const;
export type FigureUnit = (typeof FIGURE_UNITS)[number];

export const isMoney = ({ unit }: Metric): boolean => unit === 'money' || unit === 'moneyPerArea';

/** Whether the sample is too small to publish the value. */
export function isSuppressed({ unit, kind }: Metric, n: number): boolean {
  return unit !== 'count' && kind !== 'sum' && n < MINIMUM_SAMPLE;
}

/** Quartiles of counts, sums and yes-or-no values mean nothing. */
function hasQuartiles({ statistic, unit }: Metric): boolean {
  return statistic === 'median' || (statistic === 'mean' && unit !== 'share');
}

const DECIMALS: Readonly<Record<MetricUnit, number>> = {
  count: 0,
  money: 2,
  moneyPerArea: 2,
  days: 2,
  months: 4,
  share: 6,
  ratio: 6,
  percent: 4,
};

export const roundedFor = (unit: MetricUnit, value: number): number => roundTo(value, DECIMALS[unit]);

/** A metric's figure, not rounded. `excluded` counts members of the set in which it cannot be measured. */
export interface Figure {
  readonly value: number | null;
  readonly n: number;
  readonly excluded: number;
  readonly p25: number | null;
  readonly p75: number | null;
}

export const NO_FIGURE: Figure = { value: null, n: 0, excluded: 0, p25: null, p75: null };

/** A figure of a response: rounded, and withheld if a small sample would reveal single homes. */
export interface ShownFigure extends Figure {
  readonly suppressed: boolean;
  /** Of value, p25 and p75. */
  readonly unit: FigureUnit;
}

const EMPTY: Summary = { n: 0, mean: null, sum: null, quartiles: null };

/** The figure of a metric over one set; null is an empty set. Not for ratios of two sets. */
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
  const { unit } = metric;
  const suppressed = isSuppressed(metric, figure.n);
  const perSqm = unit === 'moneyPerArea' && units === 'metric';
  const show = (value: number | null): number | null =>
    value === null || suppressed
      ? null
      : roundedFor(unit, perSqm ? value * SQUARE_FEET_PER_SQUARE_METRE : value);
  return {
    value: show(figure.value),
    n: figure.n,
    excluded: figure.excluded,
    p25: show(figure.p25),
    p75: show(figure.p75),
    suppressed,
    unit: unit !== 'moneyPerArea' ? unit : perSqm ? 'moneyPerSqm' : 'moneyPerSqft',
  };
}
