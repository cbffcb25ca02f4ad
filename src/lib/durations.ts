// Histogram of durations whose labels are bound once.

import { Gauge, type Registry } from 'prom-client';

/** Bounds in seconds: a cached read takes below a millisecond, a live stream nearly ten seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Counts one duration in seconds. */
export type Observe = (seconds: number) => void;

interface Cell<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  /** How many fell into each bucket, the last one without bound. */
  readonly counts: Float64Array;
  sum: number;
}

/**
 * A histogram as Prometheus knows it. The client library looks labels up by name on every observation, which costs more
 * than a cached answer can bear; here a set of labels is bound once and then counts into its own numbers. It extends
 * Gauge because that is the plainest thing that a registry takes: `get` is all that is asked of it.
 */
export class Durations<Label extends string> extends Gauge<Label> {
  readonly #cells: Cell<Label>[] = [];
  readonly #title: { readonly name: string; readonly help: string };

  constructor(name: string, help: string, labelNames: readonly Label[], registry: Registry) {
    super({ name, help, labelNames: [...labelNames], registers: [registry] });
    this.#title = { name, help };
  }

  /** Binds labels; to be called once for each set of them. */
  bind(labels: Readonly<Record<Label, string>>): Observe {
    const cell: Cell<Label> = { labels, counts: new Float64Array(SECONDS.length + 1), sum: 0 };
    this.#cells.push(cell);
    return (seconds) => {
      let bucket = 0;
      while (seconds > (SECONDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
      cell.counts[bucket] = (cell.counts[bucket] ?? 0) + 1;
      cell.sum += seconds;
    };
  }

  /** What the registry asks for when it is read: buckets hold all that is below their bound. */
  override async get(): ReturnType<Gauge<Label>['get']> {
    const { name, help } = this.#title;
    const values = this.#cells.flatMap((cell) => valuesOf(name, cell));
    // The library's own declaration calls the type a member of an enumeration that does not exist at run time.
    return { name, help, values, aggregator: 'sum', type: 'histogram' as never, collect() {} };
  }
}

function valuesOf<Label extends string>(name: string, { labels, counts, sum }: Cell<Label>) {
  let below = 0;
  const buckets = Array.from(counts, (count, at) => {
    below += count;
    return { metricName: `${name}_bucket`, value: below, labels: { ...labels, le: SECONDS[at] ?? '+Inf' } };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, value: sum, labels },
    { metricName: `${name}_count`, value: below, labels },
  ];
}
