// Scheduler of imports: one process runs those that are due, one after another.

import { join } from 'node:path';
import { type Clock, MINUTE } from '../../lib/clock.ts';
import { type Keyring, keyIdOf } from '../../lib/keyring.ts';
import { type Log, redact } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { HeldLease } from '../../postgres/leases/held-lease.ts';
import { startLeasedWork } from '../../postgres/leases/leased-work.ts';
import { WorkTaken } from '../../postgres/leases/work-lease.ts';
import { nextRun, openUrl, sealUrl } from './schedule.ts';
import {
  findDue,
  listSchedules,
  recordFailure,
  recordSuccess,
  reseal,
  type Schedule,
} from './schedule-store.ts';
import type { RunTask } from './schedule-thread.ts';

/** Milliseconds between two looks at what is due. */
const PAUSE = MINUTE / 2;

export interface SchedulerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly report: (error: unknown) => void;
  /** Null: without a key no URL can be opened, and every run fails and says so. */
  readonly keyring: Keyring | null;
  readonly run: RunTask;
  /** Variables of the environment and `.env`, read at each run. */
  readonly readVariables: () => Readonly<Record<string, string | undefined>>;
  /** The folder of the service's data, in which rejected rows are kept. */
  readonly dataDirectory: string;
}

export interface Scheduler {
  /** Stops a run that is under way after its batch; it goes on at the next start. */
  stop(): Promise<void>;
}

export function startScheduler(options: SchedulerOptions): Scheduler {
  const { database, clock, metrics, report } = options;
  const runs = metrics.counter(
    'freehold_import_schedule_runs_total',
    'Runs of schedules of imports by this process, by result.',
    ['result'],
  );
  let failing = 0;
  metrics.gauge(
    'freehold_import_schedules_failing',
    'Schedules of imports whose last run failed, in whichever process.',
    () => failing,
  );
  const stopping = new AbortController();
  const work = startLeasedWork({
    database,
    clock,
    report,
    name: 'import schedules',
    pause: PAUSE,
    async isDue() {
      const all = await database.read(listSchedules);
      failing = all.filter(({ failure }) => failure !== null).length;
      const now = clock.now();
      return all.some(({ nextAt }) => Date.parse(nextAt) <= now);
    },
    async work(lease) {
      const signal = AbortSignal.any([stopping.signal, lease.lost]);
      const now = new Date(clock.now());
      for (const schedule of await database.read((sql) => findDue(sql, now)))
        if (!signal.aborted) await runOne({ ...options, runs, lease }, schedule, signal);
    },
  });
  return {
    async stop() {
      stopping.abort();
      await work.stop();
    },
  };
}

type RunOptions = SchedulerOptions & {
  readonly runs: { inc(labels: { result: string }): void };
  readonly lease: HeldLease;
};

async function runOne(options: RunOptions, schedule: Schedule, signal: AbortSignal): Promise<void> {
  const { lease, clock, log, runs, run } = options;
  const { kind, source, everySeconds } = schedule;
  const about = { event: 'scheduled-import', kind, source, url: schedule.urlShown };
  try {
    const result = await run(await taskOf(options, schedule), signal);
    const now = clock.now();
    await lease.transaction((tx) =>
      recordSuccess(tx, schedule, result, new Date(now), nextRun(now, everySeconds, false)),
    );
    runs.inc({ result: result.startsWith('unchanged') ? 'unchanged' : 'imported' });
    log.info(about, `Scheduled import of ${kind} of ${source}: ${result}`);
  } catch (error) {
    // One that was stopped has not failed: it goes on at the next start, or in the process that has the lease.
    if (signal.aborted || error instanceof WorkTaken) return;
    const now = clock.now();
    const failure = redact((error as Error).message);
    await lease.transaction((tx) =>
      recordFailure(tx, schedule, failure, new Date(now), nextRun(now, everySeconds, true)),
    );
    runs.inc({ result: 'failed' });
    log.error(about, `Scheduled import of ${kind} of ${source} failed: ${failure}`);
  }
}

/** Throws an error with a sentence. */
async function taskOf({ lease, keyring, readVariables, dataDirectory }: RunOptions, schedule: Schedule) {
  const { headers, map, missing } = schedule;
  if (keyring === null)
    throw new Error('There is no key that opens its URL: set SECRETS_KEY to the key of when it was made.');
  const url = openScheduled(keyring, schedule);
  if (keyIdOf(schedule.urlSealed) !== keyring.currentKeyId)
    await lease.transaction((tx) => reseal(tx, schedule, sealUrl(keyring, schedule, url)));
  const all = readVariables();
  const variables = Object.values(headers).flatMap((name) => {
    const value = all[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const folder = join(dataDirectory, 'imports');
  return { url, headers, variables: Object.fromEntries(variables), map, missing, folder };
}

function openScheduled(keyring: Keyring, schedule: Schedule): string {
  try {
    return openUrl(keyring, schedule);
  } catch {
    throw new Error(
      'Its URL was sealed with another key than SECRETS_KEY: set the key of before, or make the schedule again.',
    );
  }
}
