// Reviews of what earlier releases stored, done once in the background, by one process at a time.

import { type Clock, MINUTE } from '../../lib/clock.ts';
import type { PeriodicWork } from '../../lib/periodic-work.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import type { HeldLease } from '../../postgres/leases/held-lease.ts';
import { startLeasedWork } from '../../postgres/leases/leased-work.ts';
import { placeNext } from '../area-writer.ts';
import { PlacementCache } from '../placement-cache.ts';
import { eraseNext } from './lost-listings.ts';
import { reviewProperties } from './property-review.ts';
import { relocateNext } from './relocation.ts';
import { findUnfinishedReviews, type Review, updateReview } from './review-store.ts';

export interface StoredReviewOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
}

/** Milliseconds of one transaction. */
const TIMEOUT = 60_000;

/** Reviews the next rows after an id in a transaction; gives the last id, null after the last row. */
type ReviewStep = (tx: Transaction, after: string) => Promise<string | null>;

function reviewSteps(clock: Clock): Readonly<Record<Review, ReviewStep>> {
  const placements = new PlacementCache();
  return {
    properties: (tx, after) => reviewProperties(tx, after, clock.now()),
    places: async (tx, after) => relocateNext(tx, after, await placements.load(tx), clock.now()),
    lost: async (tx, after) => eraseNext(tx, after, await placements.load(tx), clock.now()),
    areas: async (tx, after) => placeNext(tx, after, await placements.load(tx), clock.now()),
  };
}

/** Reviews what is not reviewed yet, batch by batch; each batch notes how far it came. */
export function startStoredReview({ database, clock, report }: StoredReviewOptions): PeriodicWork {
  const steps = reviewSteps(clock);
  return startLeasedWork({
    database,
    clock,
    report,
    name: 'review of stored rows',
    pause: MINUTE,
    isDue: async () => (await database.read(findUnfinishedReviews)).length > 0,
    async work(lease, isOver) {
      for (const { name, reviewedThrough } of await database.read(findUnfinishedReviews)) {
        let after: string | null = reviewedThrough;
        while (after !== null && !isOver()) after = await step(lease, name, after);
      }
    },
  });

  function step(lease: HeldLease, name: Review, after: string): Promise<string | null> {
    return lease.transaction(
      async (tx) => {
        const through = await steps[name](tx, after);
        await updateReview(tx, name, through);
        return through;
      },
      { timeout: TIMEOUT },
    );
  }
}
