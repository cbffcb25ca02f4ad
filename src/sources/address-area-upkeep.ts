// Areas for the listings of sources, from their addresses, as long as nobody imports areas with boundaries.

import { makeAddressAreas } from '../ingest/reviews/address-areas.ts';
import { type Clock, DAY, MINUTE } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type PeriodicWork, startPeriodicWork } from '../lib/periodic-work.ts';
import type { Database } from '../postgres/client/database.ts';
import { WorkLease } from '../postgres/client/work-lease.ts';
import { isAnyLoaded } from './store.ts';

export interface AddressAreaOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Ids of the sources whose listings come without areas. */
  readonly sources: () => readonly string[];
  readonly report: (error: unknown) => void;
}

/** Makes areas once the first load is complete, and every day for names that are new by then. */
export function startAddressAreas(options: AddressAreaOptions): PeriodicWork {
  const { database, clock, log, sources, report } = options;
  const lease = new WorkLease(database, 'areas from addresses');
  let madeAt = Number.NEGATIVE_INFINITY;
  return startPeriodicWork({
    clock,
    report,
    pause: MINUTE,
    async work(isStopped) {
      if (clock.now() - madeAt < DAY) return;
      const ids = sources();
      if (ids.length === 0 || !(await database.read((sql) => isAnyLoaded(sql, ids)))) return;
      if (!(await lease.acquire())) return;
      try {
        const made = await makeAddressAreas(database, isStopped);
        madeAt = clock.now();
        if (made > 0) log.info({ event: 'areas', made }, noBoundaries(made));
      } finally {
        await lease.release();
      }
    },
  });
}

const noBoundaries = (made: number): string =>
  `${made} areas were made from the addresses of listings, since none were imported. They have no boundaries: ` +
  'import areas that have some with `freehold import areas FILE --map MAP` (docs/importing.md says where to get them).';
