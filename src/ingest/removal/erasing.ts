// Erasing of lost listings: what the log of changes keeps of their words and people goes within a day, by one process at a time.

import { type Clock, DAY, HOUR } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import type { Database, Sql, Transaction } from '../../postgres/client/database.ts';
import { dayOf } from '../../postgres/client/day-partitions.ts';
import { WorkLease, WorkTaken } from '../../postgres/client/work-lease.ts';
import {
  type DayRange,
  type Erasable,
  eraseChanges,
  findErasable,
  findFirstLost,
  forgetErased,
} from './erasure-store.ts';

export interface ErasingOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Called with the errors of a round, for the log. */
  readonly report: (error: unknown) => void;
  /** Sequence up to which watchers have been matched with the log of changes. */
  readonly findMatched: (sql: Sql) => Promise<number>;
}

/** Milliseconds after which a round begins: one reads the whole log, so that there are about two of them in a day. */
const DUE = 12 * HOUR;
/** Milliseconds for which the log keeps a lost listing for followers that are behind. */
const SETTLED = HOUR;
/** Milliseconds after which the log is erased even if watchers have not been matched with it. */
const OVERDUE = 22 * HOUR;
/** Days that the log can reach back. */
const LOG_DAYS = 32;
/** Listings of one round through the log. */
const BATCH = 10_000;
/** Milliseconds in which the changes of a day are read. */
const TIMEOUT = 600_000;

export function startErasing({
  database,
  clock,
  metrics,
  report,
  findMatched,
}: ErasingOptions): PeriodicWork {
  const lease = new WorkLease(database, 'erasing of lost listings');
  let firstLost: number | null = null;
  metrics.gauge(
    'freehold_erasing_lag_seconds',
    'Since when the first listing was lost of which the log of changes is not erased yet; 0: there is none.',
    () => (firstLost === null ? 0 : Math.max(0, (clock.now() - firstLost) / 1_000)),
  );
  const look = async (): Promise<number | null> => {
    const at = await database.read(findFirstLost);
    firstLost = at === null ? null : Date.parse(at);
    return firstLost;
  };
  return startPeriodicWork({
    clock,
    report,
    pause: HOUR,
    async work(isStopped) {
      const now = clock.now();
      const since = await look();
      if (since === null || since > now - DUE || !(await lease.acquire())) return;
      try {
        const erasable = {
          matchedThrough: await database.read(findMatched),
          lostBy: new Date(now - SETTLED),
          overdueSince: new Date(now - OVERDUE),
        };
        while (!isStopped() && (await eraseBatch(erasable, now, isStopped)));
      } catch (error) {
        if (!(error instanceof WorkTaken)) throw error;
      } finally {
        await lease.release();
      }
      await look();
    },
  });

  /** Erases the next listings, day by day; false once there are no others. Interrupted, it begins again with them. */
  async function eraseBatch(erasable: Erasable, now: number, isStopped: () => boolean): Promise<boolean> {
    const found = await database.read((sql) => findErasable(sql, erasable, BATCH));
    const gone = found.filter(({ isShown }) => !isShown).map(({ id }) => id);
    for (const days of gone.length === 0 ? [] : logDays(now)) {
      if (isStopped()) return false;
      await step((tx) => eraseChanges(tx, gone, days));
    }
    const all = found.map(({ id }) => id);
    if (all.length > 0) await step((tx) => forgetErased(tx, all, erasable.lostBy));
    return found.length === BATCH;
  }

  function step(work: (tx: Transaction) => Promise<void>): Promise<void> {
    return database.transaction(
      async (tx) => {
        await lease.hold(tx);
        await work(tx);
      },
      { timeout: TIMEOUT },
    );
  }
}

/** The days of the log, one by one; the first and the last range have what clocks that were wrong wrote. */
function logDays(now: number): DayRange[] {
  const ends = Array.from({ length: LOG_DAYS + 1 }, (_, day) => dayOf(now - (LOG_DAYS - day) * DAY));
  return [null, ...ends].map((from, at) => ({ from, to: ends[at] ?? null }));
}
