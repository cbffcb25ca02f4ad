// Metrics registry, one for each running service, in the text format of Prometheus.

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Durations } from './durations.ts';

export interface Metrics {
  /** Content type and text of the current values. */
  read(): Promise<{ readonly contentType: string; readonly text: string }>;
  counter<Label extends string>(name: string, help: string, labels: readonly Label[]): Counter<Label>;
  /** A value that is asked for when it is read. */
  gauge(name: string, help: string, value: () => number): Gauge;
  /** How long something takes, in seconds. */
  durations<Label extends string>(name: string, help: string, labels: readonly Label[]): Durations<Label>;
}

/** Opens a registry. `withProcess` adds memory, garbage collection and event-loop delay of this process. */
export function createMetrics({ withProcess = false } = {}): Metrics {
  const registry = new Registry();
  if (withProcess) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    counter: (name, help, labels) => new Counter({ name, help, labelNames: [...labels], registers }),
    gauge: (name, help, value) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      }),
    durations: (name, help, labels) => new Durations(name, help, labels, registry),
  };
}
