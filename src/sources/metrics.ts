// Owns what is measured about reading a source.

import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { NoteField } from './reso/decode.ts';

export interface SourceMetrics {
  records(result: 'created' | 'changed' | 'unchanged' | 'removed', count: number): void;
  failed(code: string): void;
  /** The source was read to its end just now. */
  caughtUp(): void;
}

/** Counts fields that held something unreadable; give it to the source as `onFieldError`. */
export function countFieldErrors(metrics: Metrics): NoteField {
  const counter = metrics.counter(
    'freehold_source_field_errors_total',
    'Upstream fields that held something unreadable and were taken as unknown.',
    ['field'],
  );
  return (field) => counter.inc({ field });
}

export function sourceMetrics(metrics: Metrics, clock: Clock): SourceMetrics {
  let last: number | null = null;
  const records = metrics.counter('freehold_source_records_total', 'Records read from upstream.', ['result']);
  const failures = metrics.counter('freehold_source_failures_total', 'Failed reads of upstream.', ['code']);
  metrics.gauge('freehold_source_lag_seconds', 'Seconds since upstream was last read to its end.', () =>
    last === null ? Number.NaN : (clock.now() - last) / 1000,
  );
  metrics.gauge(
    'freehold_source_last_success_timestamp_seconds',
    'When upstream was last read to its end.',
    () => (last === null ? 0 : last / 1000),
  );
  return {
    records: (result, count) => count > 0 && records.inc({ result }, count),
    failed: (code) => failures.inc({ code }),
    caughtUp: () => {
      last = clock.now();
    },
  };
}
