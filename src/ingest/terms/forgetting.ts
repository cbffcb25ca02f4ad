// Forgetting: what has left a source is removed with its history and all that is stored of it, as long after that as the terms say.

import { lockAreaVersion } from '../../areas/write-store.ts';
import { type Clock, HOUR } from '../../lib/clock.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import { findForgetting } from '../../licence/licence-store.ts';
import type { Database } from '../../postgres/client/database.ts';
import { WorkLease, WorkTaken } from '../../postgres/client/work-lease.ts';
import { removeThese } from '../removal/remove-listings.ts';
import { deletePushedOf, findGone } from './terms-store.ts';

export interface ForgettingOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
}

/** Listings of one transaction. */
const BATCH = 200;
/** Milliseconds. */
const TIMEOUT = 60_000;

export function startForgetting({ database, clock, report }: ForgettingOptions): PeriodicWork {
  const lease = new WorkLease(database, 'forgetting of listings that are gone');
  return startPeriodicWork({
    clock,
    report,
    pause: HOUR,
    async work(isStopped) {
      const sources = await database.read(findForgetting);
      if (sources.length === 0 || !(await lease.acquire())) return;
      try {
        for (const each of sources) while (!isStopped() && (await forgetNext(each)) === BATCH);
      } catch (error) {
        if (!(error instanceof WorkTaken)) throw error;
      } finally {
        await lease.release();
      }
    },
  });

  function forgetNext({ source, forgetAfter }: { source: string; forgetAfter: number }): Promise<number> {
    const now = clock.now();
    return database.transaction(
      async (tx) => {
        await lease.hold(tx);
        await lockAreaVersion(tx);
        const ids = await findGone(tx, source, new Date(now - forgetAfter * 1_000), BATCH);
        await deletePushedOf(tx, ids);
        return removeThese(tx, ids, now);
      },
      { timeout: TIMEOUT },
    );
  }
}
