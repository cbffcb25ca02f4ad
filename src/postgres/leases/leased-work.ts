// Periodic work that one process at a time does: each round under a lease that is renewed until the round is over.

import type { Clock } from '../../lib/clock.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import type { Database } from '../client/database.ts';
import { type HeldLease, takeLease } from './held-lease.ts';
import { LEASE_TIMES, WorkTaken } from './work-lease.ts';

export interface LeasedWorkOptions {
  readonly database: Database;
  /** Of the pauses. Leases are by the clocks of the database and of the system. */
  readonly clock: Clock;
  /** Of the work, the same in all processes. */
  readonly name: string;
  /** Milliseconds between the end of one round and the next. */
  readonly pause: number;
  /** Whether there is something to do, before the lease is taken; default: always. */
  readonly isDue?: () => Promise<boolean>;
  /** One round. What it writes is in transactions that check the fence; `isOver` tells whether it should end early. */
  readonly work: (lease: HeldLease, isOver: () => boolean) => Promise<void>;
  /** Called with the error of a round that failed; the next one comes all the same. */
  readonly report: (error: unknown) => void;
}

/**
 * Starts with a round at once. Where something is due that another process does, this one looks again as soon as a lease can have
 * ended: it takes over within ten seconds, however long the pauses are.
 */
export function startLeasedWork(options: LeasedWorkOptions): PeriodicWork {
  const { database, clock, name, pause, isDue = async () => true, work, report } = options;
  let cancelLook = (): void => {};
  const periodic = startPeriodicWork({
    clock,
    pause,
    report,
    async work(isStopped) {
      cancelLook();
      if (!(await isDue()) || isStopped()) return;
      const lease = await takeLease(database, name);
      if (lease === null) return lookSoon();
      try {
        await work(lease, () => isStopped() || lease.lost.aborted);
      } catch (error) {
        if (!(error instanceof WorkTaken)) throw error;
      } finally {
        if (lease.lost.aborted) lookSoon();
        await lease.release();
      }
    },
  });
  function lookSoon(): void {
    cancelLook = database.clock.after(LEASE_TIMES.renewal, () => periodic.runNow());
  }
  return {
    runNow: () => periodic.runNow(),
    async stop() {
      await periodic.stop();
      cancelLook();
    },
  };
}
