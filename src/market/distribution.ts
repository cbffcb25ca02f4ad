// Distribution of one measure: percentiles, and buckets of equal width from minimum to maximum.

import { SQUARE_FEET_PER_SQUARE_METRE, type UnitSystem } from '../listings/vocabulary.ts';
import { MINIMUM_SAMPLE, roundedFor } from '../search/summaries/metrics.ts';
import type { DistributionRow } from './distribution-store.ts';
import type { MeasureName } from './parameters.ts';

/** Units of a distribution. */
export const DISTRIBUTION_UNITS = ['money', 'moneyPerSqft', 'moneyPerSqm', 'sqft', 'sqm', 'days'] as const;
type DistributionUnit = (typeof DISTRIBUTION_UNITS)[number];

const UNITS: Readonly<Record<MeasureName, Readonly<Record<UnitSystem, DistributionUnit>>>> = {
  price: { imperial: 'money', metric: 'money' },
  pricePerArea: { imperial: 'moneyPerSqft', metric: 'moneyPerSqm' },
  livingArea: { imperial: 'sqft', metric: 'sqm' },
  daysOnMarket: { imperial: 'days', metric: 'days' },
};

export interface Distribution {
  readonly unit: DistributionUnit;
  readonly n: number;
  readonly excluded: number;
  readonly suppressed: boolean;
  readonly percentiles: Readonly<Record<'p5' | 'p25' | 'p50' | 'p75' | 'p95', number | null>>;
  readonly buckets: readonly { readonly from: number; readonly to: number; readonly count: number }[];
}

/** Factors from the stored units to metric ones. */
const METRIC: Readonly<Record<MeasureName, number>> = {
  ...{ price: 1, daysOnMarket: 1 },
  pricePerArea: SQUARE_FEET_PER_SQUARE_METRE,
  livingArea: 1 / SQUARE_FEET_PER_SQUARE_METRE,
};

export function formatDistribution(
  row: DistributionRow,
  measure: MeasureName,
  count: number,
  units: UnitSystem,
): Distribution {
  const { n, excluded, min, max, percentiles, buckets } = row;
  const suppressed = n < MINIMUM_SAMPLE;
  const show = (value: number): number =>
    roundedFor('money', units === 'metric' ? value * METRIC[measure] : value);
  const [p5, p25, p50, p75, p95] = (suppressed ? null : percentiles)?.map(show) ?? [];
  const counts = new Map(buckets.map(({ bucket, count: size }) => [bucket, size]));
  const [low, high] = [min ?? 0, max ?? 0];
  const total = low === high ? 1 : count;
  const edge = (index: number): number => show(index === total ? high : low + ((high - low) * index) / total);
  return {
    ...{ unit: UNITS[measure][units], n, excluded, suppressed },
    percentiles: {
      ...{ p5: p5 ?? null, p25: p25 ?? null, p50: p50 ?? null, p75: p75 ?? null, p95: p95 ?? null },
    },
    buckets: suppressed
      ? []
      : Array.from({ length: total }, (_, index) => ({
          ...{ from: edge(index), to: edge(index + 1), count: counts.get(index + 1) ?? 0 },
        })),
  };
}
