// Upkeep of the event log: every hour, partitions are made ahead and old events dropped.

import { type Clock, HOUR } from '../../lib/clock.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import type { Database } from '../../postgres/client/database.ts';
import { createEventPartitions, dropOldEvents } from './retention-store.ts';

export interface UpkeepOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
}

export function startEventUpkeep({ database, clock, report }: UpkeepOptions): PeriodicWork {
  return startPeriodicWork({
    clock,
    report,
    pause: HOUR,
    async work() {
      await createEventPartitions(database, clock.now());
      await dropOldEvents(database, clock.now());
    },
  });
}
