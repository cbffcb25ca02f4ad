// Metrics and progress of replication.

import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';

export interface SourceMetrics {
  records(result: 'created' | 'changed' | 'unchanged' | 'removed', count: number): void;
  failed(code: string): void;
  /** `counts`: totals since the source was started. */
  fieldErrors(counts: ReadonlyMap<string, number>): void;
  /** Call when the source was read to its end. */
  caughtUp(): void;
}

export function sourceMetrics(metrics: Metrics, clock: Clock): SourceMetrics {
  let last: number | null = null;
  const records = metrics.counter('freehold_source_records_total', 'Records read from upstream.', ['result']);
  const unreadable = metrics.counter(
    'freehold_source_field_errors_total',
    'Upstream fields that contained something unreadable and were taken as unknown.',
    ['field'],
  );
  const counted = new Map<string, number>();
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
    fieldErrors(counts) {
      for (const [field, count] of counts) {
        const more = count - (counted.get(field) ?? 0);
        if (more > 0) unreadable.inc({ field }, more);
        counted.set(field, count);
      }
    },
    caughtUp: () => {
      last = clock.now();
    },
  };
}

export interface Progress {
  readonly records: number;
  /** Null where the source does not say. */
  readonly total: number | null;
  readonly perSecond: number;
  /** Null while it cannot be computed. */
  readonly secondsLeft: number | null;
}

/** `records`: of the whole load; `ownRecords`: those that this process has read in `milliseconds`. */
export function progress(
  records: number,
  ownRecords: number,
  milliseconds: number,
  total: number | null,
): Progress {
  const perSecond = milliseconds > 0 ? (ownRecords * 1000) / milliseconds : 0;
  const canEstimate = total !== null && perSecond > 0;
  const secondsLeft = canEstimate ? Math.ceil(Math.max(0, total - records) / perSecond) : null;
  return { records, total, perSecond: Math.round(perSecond), secondsLeft };
}
