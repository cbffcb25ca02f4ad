// Metrics and progress of replication.

import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';

export interface SourceMetrics {
  records(result: 'created' | 'changed' | 'unchanged' | 'removed', count: number): void;
  failed(code: string): void;
  /** Takes over what the source has counted since. */
  fieldErrors(counts: ReadonlyMap<string, number>): void;
  /** The source was read to its end just now. */
  caughtUp(): void;
}

export function sourceMetrics(metrics: Metrics, clock: Clock): SourceMetrics {
  let last: number | null = null;
  const records = metrics.counter('freehold_source_records_total', 'Records read from upstream.', ['result']);
  const unreadable = metrics.counter(
    'freehold_source_field_errors_total',
    'Upstream fields that held something unreadable and were taken as unknown.',
    ['field'],
  );
  const taken = new Map<string, number>();
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
        const more = count - (taken.get(field) ?? 0);
        if (more > 0) unreadable.inc({ field }, more);
        taken.set(field, count);
      }
    },
    caughtUp: () => {
      last = clock.now();
    },
  };
}

export interface Progress {
  readonly records: number;
  /** Null where the source does not tell. */
  readonly total: number | null;
  readonly perSecond: number;
  /** Null where it cannot be told. */
  readonly secondsLeft: number | null;
}

/** `records` of the whole load, `here` of them read by this process in that many milliseconds. */
export function progress(records: number, here: number, elapsed: number, total: number | null): Progress {
  const perSecond = elapsed > 0 ? (here * 1000) / elapsed : 0;
  const left = total === null || perSecond === 0 ? null : Math.max(0, total - records) / perSecond;
  return {
    records,
    total,
    perSecond: Math.round(perSecond),
    secondsLeft: left === null ? null : Math.ceil(left),
  };
}
