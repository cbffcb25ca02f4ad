// Reviews of what earlier releases stored, done once in the background, by one process at a time.

import { type Clock, MINUTE } from '../../lib/clock.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import { WorkLease, WorkTaken } from '../../postgres/client/work-lease.ts';
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
  const lease = new WorkLease(database, 'review of stored rows');
  return startPeriodicWork({
    clock,
    report,
    pause: MINUTE,
    async work(isStopped) {
      const unfinished = await database.read(findUnfinishedReviews);
      if (unfinished.length === 0 || !(await lease.acquire())) return;
      try {
        for (const { name, reviewedThrough } of unfinished) {
          let after: string | null = reviewedThrough;
          while (after !== null && !isStopped()) after = await step(name, after);
        }
      } catch (error) {
        if (!(error instanceof WorkTaken)) throw error;
      } finally {
        await lease.release();
      }
    },
  });

  function step(name: Review, after: string): Promise<string | null> {
    return database.transaction(
      async (tx) => {
        await lease.hold(tx);
        const through = await steps[name](tx, after);
        await updateReview(tx, name, through);
        return through;
      },
      { timeout: TIMEOUT },
    );
  }
}
