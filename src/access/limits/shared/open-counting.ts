// Limits that are counted with other processes: where LIMITS_URL is set, with what the log and the metrics say of them.

import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Metrics } from '../../../lib/metrics.ts';
import type { Database } from '../../../postgres/client/database.ts';
import { LIMITS_MODES } from './phases.ts';
import { createSharedCounting, type SharedCounting } from './shared-counting.ts';
import type { LimitsStatus } from './shared-limiter.ts';

export interface CountingOptions {
  readonly config: {
    /** Null: this process counts alone. */
    readonly limitsUrl: string | null;
  };
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Milliseconds for one call; for tests that prove no limit of time. */
  readonly limitsCallLimit?: number | undefined;
  readonly report: (error: unknown) => void;
}

/** Seconds, about the 20 milliseconds that a request waits at most. */
const CALL_BUCKETS = [0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25];

/** What counts limits with other processes; null: this process counts alone. */
export function openCounting(options: CountingOptions): SharedCounting | null {
  const { config, database, clock, log, metrics, report, limitsCallLimit: callLimit } = options;
  const { limitsUrl: url } = config;
  const onChange = (status: LimitsStatus): void => logLimits(log, status);
  const durations = metrics.durations(
    'freehold_limits_call_duration_seconds',
    'Time that this process waited for the server of LIMITS_URL, answered or not.',
    ['call'],
    CALL_BUCKETS,
  );
  const onCall = (call: string, milliseconds: number): void =>
    durations.observe({ call }, milliseconds / 1_000);
  const common = { database, clock, callLimit, report, onChange, onCall };
  const counting = url === null ? null : createSharedCounting({ ...common, url });
  measureLimits(metrics, () => counting?.status() ?? null);
  return counting;
}

/** @param status null: this process counts alone */
function measureLimits(metrics: Metrics, status: () => LimitsStatus | null): void {
  metrics.gaugeBy(
    'freehold_limits_mode',
    '1 for how this process counts limits now: shared, divided, waiting, or alone without LIMITS_URL.',
    'mode',
    () => {
      const present = status()?.mode ?? 'alone';
      return [...LIMITS_MODES, 'alone'].map((mode) => [mode, Number(mode === present)] as const);
    },
  );
  metrics.observableCounter(
    'freehold_limits_losses_total',
    'Times that this process has lost the server of LIMITS_URL, or what it had counted.',
    () => status()?.losses ?? 0,
  );
  metrics.observableCounter(
    'freehold_limits_slow_calls_total',
    'Calls to the server of LIMITS_URL without an answer in time.',
    () => status()?.slowCalls ?? 0,
  );
}

function logLimits(log: Log, { mode, nodes, reason, epoch }: LimitsStatus): void {
  const facts = { event: 'limits', mode, nodes, epoch, ...(reason === null ? {} : { reason }) };
  if (mode === 'shared') log.info(facts, 'Limits are counted over all processes');
  else if (mode === 'divided') log.warn(facts, `Limits are divided among ${nodes} processes: ${reason}`);
  else log.warn(facts, `No limited request is admitted yet: ${reason}`);
}
