// Scheduler of digests: hands those that are due to the log of changes, in every process, while the service runs.

import type { Clock } from '../../lib/clock.ts';
import type { Metrics } from '../../lib/metrics.ts';
import { type PeriodicWork, startPeriodicWork } from '../../lib/periodic-work.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import { appendDueDigests, findOldestDue, scheduleDigests } from './schedule-store.ts';

export interface DigestSchedulerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly report: (error: unknown) => void;
}

/** Milliseconds between two rounds: a digest may come so much later than on the hour. */
const PAUSE = 5_000;
/** Digests of one transaction: each entry may be as large as a watcher. */
const BATCH = 100;
/** Milliseconds for one transaction. */
const TIMEOUT = 30_000;

export function startDigestScheduler(options: DigestSchedulerOptions): PeriodicWork {
  const { database, clock, metrics, report } = options;
  let oldestDue: number | null = null;
  metrics.gauge(
    'freehold_digest_lag_seconds',
    'For how long the oldest digest has been due that is not in the log of changes.',
    () => (oldestDue === null ? 0 : Math.max(0, clock.now() - oldestDue) / 1_000),
  );
  return startPeriodicWork({
    clock,
    report,
    pause: PAUSE,
    async work(isStopped) {
      try {
        await runDigests(options, isStopped);
      } finally {
        const oldest = await database.read((sql) => findOldestDue(sql, new Date(clock.now())));
        oldestDue = oldest === null ? null : Date.parse(oldest);
      }
    },
  });
}

export type DigestStep = 'scheduled' | 'appended' | 'handed over';

interface DigestRound extends Pick<DigestSchedulerOptions, 'database' | 'clock'> {
  /** Called where something was done, for tests that stop the process there. */
  readonly onStep?: (step: DigestStep) => void;
}

/** One round over everything that is due. */
export async function runDigests(
  { database, clock, onStep }: DigestRound,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const repeat = async (work: (tx: Transaction) => Promise<number>, done: DigestStep): Promise<void> => {
    let count = BATCH;
    while (count === BATCH && !isStopped()) {
      count = await database.transaction(work, { timeout: TIMEOUT });
      if (count > 0) onStep?.(done);
    }
  };
  await repeat((tx) => scheduleDigests(tx, BATCH), 'scheduled');
  await repeat(async (tx) => {
    const count = await appendDueDigests(tx, { now: new Date(clock.now()), max: BATCH });
    if (count > 0) onStep?.('appended');
    return count;
  }, 'handed over');
}
