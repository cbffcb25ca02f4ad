// Distribution of one measure: percentiles, and buckets of equal width from minimum to maximum.

import { SQUARE_FEET_PER_SQUARE_METRE, type UnitSystem } from '../listings/vocabulary.ts';
import { MINIMUM_SAMPLE, roundedFor } from '../search/summaries/metrics.ts';
import type { Day } from './calendar.ts';
import { distributionOf } from './column-distribution.ts';
import { computeFigures } from './compute-figures.ts';
import { selectDistribution } from './distribution-store.ts';
import type { FigureReads } from './market-scope.ts';
import type { MeasureName } from './parameters.ts';
import type { ListingScope } from './store.ts';

/** Units of a distribution. */
export const DISTRIBUTION_UNITS = ['money', 'moneyPerSqft', 'moneyPerSqm', 'sqft', 'sqm', 'days'] as const;
type DistributionUnit = (typeof DISTRIBUTION_UNITS)[number];

const UNITS: Readonly<Record<MeasureName, Readonly<Record<UnitSystem, DistributionUnit>>>> = {
  price: { imperial: 'money', metric: 'money' },
  pricePerArea: { imperial: 'moneyPerSqft', metric: 'moneyPerSqm' },
  livingArea: { imperial: 'sqft', metric: 'sqm' },
  daysOnMarket: { imperial: 'days', metric: 'days' },
};

/** Factors from the stored units to metric ones. */
const METRIC: Readonly<Record<MeasureName, number>> = {
  price: 1,
  daysOnMarket: 1,
  pricePerArea: SQUARE_FEET_PER_SQUARE_METRE,
  livingArea: 1 / SQUARE_FEET_PER_SQUARE_METRE,
};

interface DistributionRequest {
  readonly measure: MeasureName;
  /** Number of buckets. */
  readonly buckets: number;
  readonly units: UnitSystem;
}

/** The distribution of one measure over the inventory as a day begins. */
export async function findDistribution(
  reads: FigureReads,
  listings: ListingScope,
  { measure, buckets, units }: DistributionRequest,
  day: Day,
) {
  const row = await computeFigures(reads, [listings], {
    fromFacts: (facts, pace) => distributionOf(facts, listings, measure, day, buckets, pace),
    fromDatabase: (sql) => selectDistribution(sql, listings, measure, day, buckets),
  });
  const { n, excluded, percentiles } = row;
  const suppressed = n < MINIMUM_SAMPLE;
  const show = (value: number): number =>
    roundedFor('money', units === 'metric' ? value * METRIC[measure] : value);
  const shown = suppressed ? [] : (percentiles ?? []).map(show);
  const [p5 = null, p25 = null, p50 = null, p75 = null, p95 = null] = shown;
  const counts = new Map(row.buckets.map(({ bucket, count }) => [bucket, count]));
  const [low, high] = [row.min ?? 0, row.max ?? 0];
  const total = low === high ? 1 : buckets;
  const edge = (index: number): number => show(index === total ? high : low + ((high - low) * index) / total);
  return {
    unit: UNITS[measure][units],
    n,
    excluded,
    suppressed,
    percentiles: { p5, p25, p50, p75, p95 },
    buckets: Array.from({ length: suppressed ? 0 : total }, (_, index) => ({
      from: edge(index),
      to: edge(index + 1),
      count: counts.get(index + 1) ?? 0,
    })),
  };
}
