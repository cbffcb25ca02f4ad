// Metrics of events that sources push, of all sources of a process.

import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';

/** `left`: to the next round that reads all records, or all keys. */
export type WorkedOutcome = 'refreshed' | 'gone' | 'failed' | 'left';

export interface EventMetrics {
  received(source: string, result: 'queued' | 'ignored' | 'refused', count: number): void;
  worked(source: string, outcome: WorkedOutcome): void;
  /** What waits of a source; `oldest` in milliseconds since the epoch, null: nothing waits. */
  waiting(source: string, count: number, oldest: number | null): void;
}

export function createEventMetrics(metrics: Metrics, clock: Pick<Clock, 'now'>): EventMetrics {
  const received = metrics.counter(
    'freehold_entity_events_total',
    'Events that RESO servers pushed, by what became of them.',
    ['source', 'result'],
  );
  const worked = metrics.counter(
    'freehold_entity_event_reads_total',
    'Listings read again since an event named them, by outcome.',
    ['source', 'outcome'],
  );
  const queues = new Map<string, { readonly count: number; readonly oldest: number | null }>();
  metrics.gauge(
    'freehold_entity_events_waiting',
    'Listings that wait to be read again since events named them.',
    () => queues.values().reduce((sum, { count }) => sum + count, 0),
  );
  metrics.gauge(
    'freehold_entity_events_lag_seconds',
    'Seconds since the first event came that is not worked off.',
    () => {
      const oldest = [...queues.values()].flatMap((queue) => queue.oldest ?? []);
      return oldest.length === 0 ? 0 : (clock.now() - Math.min(...oldest)) / 1_000;
    },
  );
  return {
    received: (source, result, count) => {
      if (count > 0) received.inc({ source, result }, count);
    },
    worked: (source, outcome) => worked.inc({ source, outcome }),
    waiting: (source, count, oldest) => void queues.set(source, { count, oldest }),
  };
}
