// Metrics and progress of replication.

import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { UnknownTotals } from './value-counts.ts';

export interface SourceMetrics {
  records(result: 'created' | 'changed' | 'unchanged' | 'removed', count: number): void;
  failed(code: string): void;
  /** `counts`: totals since the source was started. */
  fieldErrors(counts: ReadonlyMap<string, number>): void;
  /** Sets the counts of the source's own events since the start, by what became of them. */
  events(counts: ReadonlyMap<string, number>): void;
  /** Sets what is not known of the source's records. */
  unknown(totals: UnknownTotals): void;
  /** Call when the changes of a resource beside listings were read to their end. */
  followed(resource: string): void;
  /** Call when the source was read to its end. */
  caughtUp(): void;
  /** Call when this process begins to read. `asOf`: when the source was last read to its end, RFC 3339; null: it is not known. */
  begins(asOf: string | null): void;
  /** Call when this process reads the source no more: it is not behind then. */
  ended(): void;
}

/** The metrics of all sources of a registry: each is registered once, with a label for the source. */
interface SharedMetrics {
  readonly of: (source: string) => SourceMetrics;
}

const known = new WeakMap<Metrics, SharedMetrics>();

/** The metrics of one source. */
export function sourceMetrics(metrics: Metrics, clock: Clock, source: string): SourceMetrics {
  const shared = known.get(metrics) ?? sharedMetrics(metrics, clock);
  known.set(metrics, shared);
  return shared.of(source);
}

function sharedMetrics(metrics: Metrics, clock: Clock): SharedMetrics {
  /** When each source was last read to its end by this process; null: not yet. */
  const read = new Map<string, number | null>();
  const records = metrics.counter('freehold_source_records_total', 'Records read from upstream.', [
    'source',
    'result',
  ]);
  const unreadable = metrics.counter(
    'freehold_source_field_errors_total',
    'Upstream fields that contained something unreadable and were taken as unknown.',
    ['source', 'field'],
  );
  const failures = metrics.counter('freehold_source_failures_total', 'Failed reads of upstream.', [
    'source',
    'code',
  ]);
  const events = metrics.counter(
    'freehold_source_events_total',
    'Events in the logs of sources: followed to their listings, ignored since their resource is not shown, or unreadable.',
    ['source', 'result'],
  );
  /** What is not known of the records of each source that this process reads. */
  const unknown = new Map<string, UnknownTotals>();
  metrics.gaugeOf(
    'freehold_source_unknown_values',
    'Different values of an enumerated field that the dictionary lacks; freehold sources status ID lists them.',
    ['source', 'field'],
    () =>
      [...unknown].flatMap(([source, { values }]) =>
        [...values].map(([field, count]) => [{ source, field }, count] as const),
      ),
  );
  metrics.gaugeBy(
    'freehold_source_unread_fields',
    'Fields that a source sends and that are not read; freehold sources status ID lists them.',
    'source',
    () => [...unknown].map(([source, { fields }]) => [source, fields] as const),
  );
  /** When each resource of each source was last read to its end. */
  const followed = new Map<string, Map<string, number>>();
  metrics.gaugeOf(
    'freehold_source_resource_lag_seconds',
    'Seconds since the changes of a resource beside listings were last read to their end.',
    ['source', 'resource'],
    () =>
      [...followed].flatMap(([source, resources]) =>
        [...resources].map(([resource, at]) => [{ source, resource }, (clock.now() - at) / 1_000] as const),
      ),
  );
  metrics.gaugeBy(
    'freehold_source_lag_seconds',
    'Seconds since upstream was last read to its end.',
    'source',
    () =>
      [...read].map(([source, last]) => [source, last === null ? Number.NaN : (clock.now() - last) / 1000]),
  );
  metrics.gaugeBy(
    'freehold_source_last_success_timestamp_seconds',
    'When upstream was last read to its end.',
    'source',
    () => [...read].map(([source, last]) => [source, last === null ? 0 : last / 1000]),
  );
  return {
    of(source) {
      const counted = new Map<string, number>();
      const countedEvents = new Map<string, number>();
      return {
        records: (result, count) => count > 0 && records.inc({ source, result }, count),
        failed: (code) => failures.inc({ source, code }),
        fieldErrors: (counts) =>
          increased(counted, counts, (field, more) => unreadable.inc({ source, field }, more)),
        events: (counts) =>
          increased(countedEvents, counts, (result, more) => events.inc({ source, result }, more)),
        unknown: (totals) => void unknown.set(source, totals),
        followed(resource) {
          const known = followed.get(source) ?? new Map<string, number>();
          followed.set(source, known.set(resource, clock.now()));
        },
        caughtUp: () => void read.set(source, clock.now()),
        begins: (asOf) => void read.set(source, asOf === null ? null : Date.parse(asOf)),
        ended() {
          read.delete(source);
          followed.delete(source);
          unknown.delete(source);
        },
      };
    },
  };
}

/** Calls with what has been added to each count since the last call. */
function increased(
  counted: Map<string, number>,
  counts: ReadonlyMap<string, number>,
  add: (name: string, more: number) => void,
): void {
  for (const [name, count] of counts) {
    const more = count - (counted.get(name) ?? 0);
    if (more > 0) add(name, more);
    counted.set(name, count);
  }
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
