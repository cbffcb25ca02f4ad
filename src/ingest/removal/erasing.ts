// Erasing of lost listings: what the log of changes keeps of their words and people goes within a day, by one process at a time.

import { type Clock, DAY, HOUR } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { PeriodicWork } from '../../lib/periodic-work.ts';
import type { Database, Sql } from '../../postgres/client/database.ts';
import { dayOf } from '../../postgres/client/day-partitions.ts';
import type { HeldLease } from '../../postgres/leases/held-lease.ts';
import { startLeasedWork } from '../../postgres/leases/leased-work.ts';
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
  return startLeasedWork({
    database,
    clock,
    report,
    name: 'erasing of lost listings',
    pause: HOUR,
    async isDue() {
      const since = await look();
      return since !== null && since <= clock.now() - DUE;
    },
    async work(lease, isOver) {
      const now = clock.now();
      const erasable = {
        matchedThrough: await database.read(findMatched),
        lostBy: new Date(now - SETTLED),
        overdueSince: new Date(now - OVERDUE),
      };
      while (!isOver() && (await eraseBatch(lease, erasable, now, isOver)));
      await look();
    },
  });

  /** Erases the next listings, day by day; false once there are no others. Interrupted, it begins again with them. */
  async function eraseBatch(
    { transaction }: HeldLease,
    erasable: Erasable,
    now: number,
    isOver: () => boolean,
  ): Promise<boolean> {
    const found = await database.read((sql) => findErasable(sql, erasable, BATCH));
    const gone = found.filter(({ isShown }) => !isShown).map(({ id }) => id);
    for (const days of gone.length === 0 ? [] : logDays(now)) {
      if (isOver()) return false;
      await transaction((tx) => eraseChanges(tx, gone, days), { timeout: TIMEOUT });
    }
    const all = found.map(({ id }) => id);
    if (all.length > 0)
      await transaction((tx) => forgetErased(tx, all, erasable.lostBy), { timeout: TIMEOUT });
    return found.length === BATCH;
  }
}

/** The days of the log, one by one; the first and the last range have what clocks that were wrong wrote. */
function logDays(now: number): DayRange[] {
  const ends = Array.from({ length: LOG_DAYS + 1 }, (_, day) => dayOf(now - (LOG_DAYS - day) * DAY));
  return [null, ...ends].map((from, at) => ({ from, to: ends[at] ?? null }));
}
