// Areas for the listings of sources, from their addresses, as long as nobody imports areas with boundaries.

import { makeAddressAreas } from '../ingest/reviews/address-areas.ts';
import { type Clock, DAY, MINUTE } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PeriodicWork } from '../lib/periodic-work.ts';
import type { Database } from '../postgres/client/database.ts';
import { startLeasedWork } from '../postgres/leases/leased-work.ts';
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
  let madeAt = Number.NEGATIVE_INFINITY;
  return startLeasedWork({
    database,
    clock,
    report,
    name: 'areas from addresses',
    pause: MINUTE,
    async isDue() {
      if (clock.now() - madeAt < DAY) return false;
      const ids = sources();
      return ids.length > 0 && (await database.read((sql) => isAnyLoaded(sql, ids)));
    },
    async work(lease, isOver) {
      const made = await makeAddressAreas(database, lease, isOver);
      madeAt = clock.now();
      if (made > 0) log.info({ event: 'areas', made }, noBoundaries(made));
    },
  });
}

const noBoundaries = (made: number): string =>
  `${made} areas were made from the addresses of listings, since none were imported. They have no boundaries: ` +
  'import areas that have some with `freehold import areas FILE --map MAP` (docs/importing.md says where to get them).';
