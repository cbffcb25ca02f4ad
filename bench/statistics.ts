// Statistics of the benchmarks: medians, percentiles, and confidence intervals of ratios.

import { random } from './market.ts';

/** The value below which that share of the values lies, by linear interpolation. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The bootstrap's 95 % interval of the median, from two thousand seeded resamples. */
export function interval(values: readonly number[]): readonly [number, number] {
  const next = random(7);
  const medians = Array.from({ length: 2_000 }, () =>
    median(values.map(() => values[Math.floor(next() * values.length)] ?? Number.NaN)),
  );
  return [percentile(medians, 0.025), percentile(medians, 0.975)];
}
