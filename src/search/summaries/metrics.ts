// Metrics: each defined once, as data that code, API and documentation read.

import type { ListingType, UnitSystem } from '../../listings/vocabulary.ts';
import DEFINITIONS from './metrics.json' with { type: 'json' };

/** What a metric is worked out over. */
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
/** What is looked at in each member of a set. */
export type Measure =
  | 'price'
  | 'perArea'
  | 'age'
  | 'days'
  | 'ratio'
  | 'originalRatio'
  | 'above'
  | 'dropped'
  | 'percent'
  | 'fast'
  | 'concession'
  | 'monthsFree';
/** ratio: of the sizes of two sets; yield: of rentals and sales together, answered by a route of its own. */
type Statistic = 'count' | 'median' | 'mean' | 'sum' | 'ratio' | 'yield';

export interface Metric {
  readonly id: string;
  readonly unit: MetricUnit;
  readonly kind: MetricKind;
  /** The kinds of listings it can be asked of; none: of both together. */
  readonly types: readonly ListingType[];
  readonly set: MetricSet;
  readonly measure?: Measure;
  readonly statistic: Statistic;
  /** What a ratio divides by. */
  readonly over?: 'closedQuarter' | 'inventoryBefore';
  /** True where it can be worked out over any set of listings as they stand. */
  readonly snapshot?: true;
  /** In words. */
  readonly formula: string;
}

/** Values that rest on fewer observations than this are withheld; counts and sums never are. */
export const MINIMUM_SAMPLE = 5;

export const METRICS = DEFINITIONS as readonly Metric[];

const BY_ID = new Map(METRICS.map((metric) => [metric.id, metric]));

export function metricOf(id: string): Metric | undefined {
  return BY_ID.get(id);
}

/** The metrics that can be asked of listings of this kind, in the order of the table. */
export function metricsFor(type: ListingType): Metric[] {
  return METRICS.filter((metric) => metric.types.includes(type));
}

/** Units as figures tell them: an amount of money by the area says which. */
export const FIGURE_UNITS = [
  ...(['count', 'money', 'moneyPerSqft', 'moneyPerSqm', 'days', 'months', 'share', 'ratio'] as const),
  'percent',
] as const;
export type FigureUnit = (typeof FIGURE_UNITS)[number];

/** The unit of a figure for a reader of these units of area. */
export function figureUnit(unit: MetricUnit, units: UnitSystem): FigureUnit {
  if (unit !== 'moneyPerArea') return unit;
  return units === 'metric' ? 'moneyPerSqm' : 'moneyPerSqft';
}

/** Whether its value is an amount of money. */
export const isMoney = ({ unit }: Metric): boolean => unit === 'money' || unit === 'moneyPerArea';

/** Whether a sample is too small for the value to be told. */
export function isSuppressed({ unit, kind }: Metric, n: number): boolean {
  return unit !== 'count' && kind !== 'sum' && n < MINIMUM_SAMPLE;
}

/** Whether the quartiles of what was measured say anything: not of counts, sums, or what is only yes or no. */
export function hasQuartiles({ statistic, unit }: Metric): boolean {
  return statistic === 'median' || (statistic === 'mean' && unit !== 'share');
}

const DECIMALS: Readonly<Record<MetricUnit, number>> = {
  ...{ count: 0, money: 2, moneyPerArea: 2, days: 2, months: 4, share: 6, ratio: 6, percent: 4 },
};

/** The value as it is shown. */
export function roundedFor(unit: MetricUnit, value: number): number {
  const scale = 10 ** DECIMALS[unit];
  return Math.round(value * scale) / scale;
}
