// Forgetting: what has left a source is removed with its history and all that is stored of it, as long after that as the terms say.

import { lockAreaVersion } from '../../areas/write-store.ts';
import { type Clock, HOUR } from '../../lib/clock.ts';
import type { PeriodicWork } from '../../lib/periodic-work.ts';
import { findForgetting } from '../../licence/licence-store.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { HeldLease } from '../../postgres/leases/held-lease.ts';
import { startLeasedWork } from '../../postgres/leases/leased-work.ts';
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
  return startLeasedWork({
    database,
    clock,
    report,
    name: 'forgetting of listings that are gone',
    pause: HOUR,
    isDue: async () => (await database.read(findForgetting)).length > 0,
    async work(lease, isOver) {
      for (const each of await database.read(findForgetting))
        while (!isOver() && (await forgetNext(lease, each)) === BATCH);
    },
  });

  function forgetNext(
    lease: HeldLease,
    { source, forgetAfter }: { source: string; forgetAfter: number },
  ): Promise<number> {
    const now = clock.now();
    return lease.transaction(
      async (tx) => {
        await lockAreaVersion(tx);
        const ids = await findGone(tx, source, new Date(now - forgetAfter * 1_000), BATCH);
        await deletePushedOf(tx, ids);
        return removeThese(tx, ids, now);
      },
      { timeout: TIMEOUT },
    );
  }
}
