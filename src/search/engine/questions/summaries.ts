// Summaries: mean, sum and quartiles of a measure over all results.

import type { Steps } from '../../../lib/scheduler.ts';
import type { Measure, Summary } from '../../query/measures.ts';
import type { Columns } from '../columns/segment.ts';
import { daysOnMarket } from './number-filters.ts';
import { quantileSteps } from './quantiles.ts';
import type { RowConsumer } from './scan.ts';

/** Collects one measure of listings as they stand. */
export class SummaryCollector {
  readonly measure: Measure;
  readonly #startedAt: number;
  #values = new Float64Array(1_024);
  #count = 0;

  /** `startedAt`: milliseconds to which ages count. */
  constructor(measure: Measure, startedAt: number) {
    this.measure = measure;
    this.#startedAt = startedAt;
  }

  /** What takes the rows of one part of a table. */
  consume(columns: Columns): RowConsumer {
    const read = this.#reader(columns);
    return (rows, count) => {
      this.#makeRoom(count);
      for (let at = 0; at < count; at++) {
        const value = read(rows[at] as number);
        if (!Number.isNaN(value)) this.#values[this.#count++] = value;
      }
    };
  }

  #makeRoom(count: number): void {
    if (this.#count + count <= this.#values.length) return;
    const longer = new Float64Array(2 * (this.#count + count));
    longer.set(this.#values);
    this.#values = longer;
  }

  /** NaN: the measure does not exist for a row. */
  #reader({ numbers }: Columns): (row: number) => number {
    const { price: prices, livingArea: sizes, daysOnMarketStart: starts, daysOnMarketEnd: ends } = numbers;
    const positive = (value: number | undefined): number =>
      value !== undefined && value > 0 ? value : Number.NaN;
    switch (this.measure) {
      case 'price':
        return (row) => positive(prices?.[row]);
      case 'perArea':
        return (row) => positive(prices?.[row]) / positive(sizes?.[row]);
      case 'age':
        return (row) =>
          starts === undefined ? Number.NaN : daysOnMarket(starts, ends, row, this.#startedAt);
      default:
        throw new Error(`Listings as they stand have no ${this.measure}`);
    }
  }

  *median(): Steps<number | null> {
    return yield* quantileSteps(this.#values.subarray(0, this.#count), 0.5);
  }

  *summary(): Steps<Summary> {
    const values = this.#values.subarray(0, this.#count);
    if (values.length === 0) return { n: 0, mean: null, sum: null, quartiles: null };
    let sum = 0;
    for (let at = 0; at < values.length; at++) sum += values[at] as number;
    yield;
    const low = (yield* quantileSteps(values, 0.25)) ?? 0;
    const middle = (yield* quantileSteps(values, 0.5)) ?? 0;
    const high = (yield* quantileSteps(values, 0.75)) ?? 0;
    return { n: values.length, mean: sum / values.length, sum, quartiles: [low, middle, high] };
  }
}
