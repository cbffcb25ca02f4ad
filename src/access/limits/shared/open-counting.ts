// Limits that are counted with other processes: where LIMITS_URL is set, with what the log says of them.

import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Database } from '../../../postgres/client/database.ts';
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
  readonly report: (error: unknown) => void;
}

/** What counts limits with other processes; null: this process counts alone. */
export function openCounting({ config, log, ...parts }: CountingOptions): SharedCounting | null {
  const { limitsUrl: url } = config;
  if (url === null) return null;
  return createSharedCounting({ ...parts, url, onChange: (status) => logLimits(log, status) });
}

function logLimits(log: Log, { mode, nodes, reason, epoch }: LimitsStatus): void {
  const facts = { event: 'limits', mode, nodes, epoch, ...(reason === null ? {} : { reason }) };
  if (mode === 'shared') log.info(facts, 'Limits are counted over all processes');
  else if (mode === 'divided') log.warn(facts, `Limits are divided among ${nodes} processes: ${reason}`);
  else log.warn(facts, `No limited request is admitted yet: ${reason}`);
}
