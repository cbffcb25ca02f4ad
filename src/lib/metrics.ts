// Metrics registry, one for each running service, in the text format of Prometheus.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds: from a cached read to a live stream of nearly ten seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Metrics {
  /** Content type and text of the current values. */
  read(): Promise<{ readonly contentType: string; readonly text: string }>;
  counter<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label>;
  /** `value` is called when the metrics are read; one that becomes smaller counts as a restart. */
  observableCounter(name: string, help: string, value: () => number): Counter;
  /** `value` is called when the metrics are read. */
  gauge(name: string, help: string, value: () => number): Gauge;
  /** A gauge with one value for each value of a label; `values` is called when the metrics are read. */
  gaugeBy(
    name: string,
    help: string,
    label: string,
    values: () => Iterable<readonly [string, number]>,
  ): Gauge;
  /** A gauge with several labels; `values` is called when the metrics are read. */
  gaugeOf<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    values: () => Iterable<readonly [Readonly<Record<Label, string>>, number]>,
  ): Gauge<Label>;
  /** How long something takes, in seconds. @param buckets their upper bounds; default: from a millisecond to ten seconds */
  durations<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    buckets?: readonly number[],
  ): Histogram<Label>;
}

/** What the process measures of itself, once it is asked for: one for all services in it, since its observers are never ended. */
let processRegistry: Registry | null = null;

function registryOfProcess(): Registry {
  if (processRegistry === null) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

/** Creates a registry. `withProcess` adds memory, garbage collection and event-loop delay of this process. */
export function createMetrics({ withProcess = false } = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const read = withProcess ? [registryOfProcess(), registry] : registers;
  return {
    read: async () => {
      const texts = await Promise.all(read.map((each) => each.metrics()));
      return { contentType: registry.contentType, text: texts.join('') };
    },
    counter: (name, help, labels) => new Counter({ name, help, labelNames: [...labels], registers }),
    observableCounter: (name, help, value) =>
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(value());
        },
      }),
    gaugeBy: (name, help, label, values) =>
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [of, value] of values()) this.set({ [label]: of }, value);
        },
      }),
    gaugeOf: (name, help, labels, values) =>
      new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers,
        collect() {
          this.reset();
          for (const [of, value] of values()) this.set(of, value);
        },
      }),
    gauge: (name, help, value) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      }),
    durations: (name, help, labels, buckets = BUCKETS) =>
      new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers }),
  };
}
