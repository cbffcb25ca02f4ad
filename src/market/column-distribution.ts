// Column distribution: one measure over the inventory, from the facts in memory.

import type { Steps, Task } from '../lib/scheduler.ts';
import { quantileSteps } from '../search/engine/questions/quantiles.ts';
import type { Day } from './calendar.ts';
import type { DistributionRow } from './distribution-store.ts';
import { scopeRows, visitRows } from './fact-scan.ts';
import { type FactPart, PERIOD, PERIOD_WIDTH } from './facts/fact-columns.ts';
import type { Facts } from './facts/fact-writer.ts';
import type { MeasureName } from './parameters.ts';
import type { ListingScope } from './store.ts';
import { wallTimeOf } from './wall-time.ts';

const DAY = 86_400_000;
/** More than clocks anywhere are ahead of UTC, or behind it. */
const CLOCKS = 2 * DAY;
/** Rows between two looks at the clock. */
const ROWS = 256;
/** Values that one step looks at. */
const STEP = 4_096;
const SHARES = [0.05, 0.25, 0.5, 0.75, 0.95];

/** As selectDistribution answers. */
export async function distributionOf(
  facts: Facts,
  listings: ListingScope,
  measure: MeasureName,
  day: Day,
  buckets: number,
  task: Task,
): Promise<DistributionRow> {
  const wall = wallTimeOf(listings.timeZone);
  const end = Date.parse(day);
  const isOfDays = measure === 'daysOnMarket';
  const found: number[] = [];
  let members = 0;
  // Clocks are looked at only where they can decide.
  const isBefore = (at: number): boolean => at < end - CLOCKS || (at < end + CLOCKS && wall(at) < end);
  const visitor = ({ columns, periods: { offsets, values } }: FactPart) => {
    const sizes = columns.numbers.livingArea;
    return (row: number): void => {
      const [first, last] = [offsets[row] as number, offsets[row + 1] as number];
      for (let period = first; period < last; period += PERIOD_WIDTH) {
        const isInventory =
          isBefore(values[period + PERIOD.start] as number) &&
          !isBefore(values[period + PERIOD.end] as number);
        if (!isInventory) continue;
        members++;
        const value = measured(
          measure,
          values[period + PERIOD.price] as number,
          sizes === undefined ? Number.NaN : (sizes[row] as number),
          isOfDays ? (end - wall(values[period + PERIOD.daysOnMarketStart] as number)) / DAY : 0,
        );
        if (!Number.isNaN(value)) found.push(value);
      }
    };
  };
  await visitRows(await scopeRows(facts, listings, task), visitor, task, ROWS);
  return task.run(distribution(found, members, buckets));
}

function* distribution(found: number[], members: number, buckets: number): Steps<DistributionRow> {
  const n = found.length;
  if (n === 0) return { n, excluded: members, min: null, max: null, percentiles: null, buckets: [] };
  const percentiles: number[] = [];
  for (const share of SHARES) percentiles.push((yield* quantileSteps(found, share)) ?? 0);
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let from = 0; from < n; from += STEP) {
    const some = found.slice(from, from + STEP);
    for (const value of some) [min, max] = [Math.min(min, value), Math.max(max, value)];
    yield;
  }
  const counts = new Array<number>(buckets + 1).fill(0);
  for (let from = 0; from < n; from += STEP) {
    const some = found.slice(from, from + STEP);
    for (const value of some) {
      const bucket = bucketOf(value, min, max, buckets);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    yield;
  }
  const filled = counts.flatMap((count, bucket) => (count === 0 ? [] : [{ bucket, count }]));
  return { n, excluded: members - n, min, max, percentiles, buckets: filled };
}

function measured(measure: MeasureName, price: number, livingArea: number, days: number): number {
  const positive = (value: number): number => (value > 0 ? value : Number.NaN);
  switch (measure) {
    case 'price':
      return positive(price);
    case 'pricePerArea':
      return positive(price) / positive(livingArea);
    case 'livingArea':
      return positive(livingArea);
    case 'daysOnMarket':
      return Math.max(0, Math.floor(days));
  }
}

/** The bucket of a value from 1 on, rounded as width_bucket of PostgreSQL rounds; the greatest value is in the last. */
function bucketOf(value: number, min: number, max: number, buckets: number): number {
  if (min === max) return 1;
  if (value >= max) return buckets;
  return Math.min(buckets - 1, Math.floor(buckets * ((value - min) / (max - min)))) + 1;
}
