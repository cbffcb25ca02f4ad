// Upkeep of the record of use: every hour, partitions are made ahead, and what is older than it is kept is deleted.

import { type Clock, HOUR } from '../lib/clock.ts';
import { type PeriodicWork, startPeriodicWork } from '../lib/periodic-work.ts';
import type { Database } from '../postgres/client/database.ts';
import { keepUsage } from './usage-store.ts';

export interface UsageUpkeepOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
}

export function startUsageUpkeep({ database, clock, report }: UsageUpkeepOptions): PeriodicWork {
  return startPeriodicWork({
    clock,
    report,
    pause: HOUR,
    work: () => keepUsage(database, clock.now()),
  });
}
