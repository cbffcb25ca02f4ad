// Upkeep of the event log: every hour, partitions are made ahead and old events dropped.

import { type Clock, HOUR } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { createEventPartitions, dropOldEvents } from './retention-store.ts';

export interface UpkeepOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
}

/** Starts the upkeep, with a first round now. `stop` waits for the current round. */
export function startEventUpkeep({ database, clock, report }: UpkeepOptions): { stop(): Promise<void> } {
  let stopped = false;
  let round = Promise.resolve();
  let cancel = (): void => {};
  function start(): void {
    round = keepUp()
      .catch(report)
      .then(() => {
        if (!stopped) cancel = clock.after(HOUR, start);
      });
  }
  async function keepUp(): Promise<void> {
    await createEventPartitions(database, clock.now());
    await dropOldEvents(database, clock.now());
  }
  start();
  return {
    async stop() {
      stopped = true;
      cancel();
      await round;
    },
  };
}
