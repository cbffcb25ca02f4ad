// Nightly backups: one process makes them, once a day, and all know how old the last one is.

import { type Clock, formatTime, HOUR, MINUTE, parseTime } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Database } from '../postgres/client/database.ts';
import type { HeldLease } from '../postgres/leases/held-lease.ts';
import { startLeasedWork } from '../postgres/leases/leased-work.ts';
import type { ArchiveManifest } from './archive/format.ts';
import type { BackupSettings } from './backup-settings.ts';
import { type BackupTarget, createThreadRunner, type RunBackup, runBackup } from './backup-thread.ts';
import { type BackupRecord, findBackupRecord, recordFailure } from './record-store.ts';
import { lastDueAt } from './schedule.ts';

/** Milliseconds after which the last good backup is too old: a day, and time for one that takes long or is tried again. */
export const MAX_BACKUP_AGE = 26 * HOUR;
/** Milliseconds after which a backup that failed is tried again. */
const RETRY_AFTER = 15 * MINUTE;
/** Milliseconds between two looks at whether one is due. */
const PAUSE = MINUTE;
const LEASE = 'nightly backup';

export interface NightlyOptions {
  /** Null: this process makes no backups. */
  readonly settings: BackupSettings | null;
  readonly database: Database;
  /** Where a thread finds the database; null: backups are made in this thread. */
  readonly target: BackupTarget | null;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly report: (error: unknown) => void;
  readonly release: string;
  /** What an archive lists as not being in it. */
  readonly outside: () => Promise<ArchiveManifest['outside']>;
}

export interface NightlyBackups {
  /** Ends a backup that is under way, of which nothing is left. */
  stop(): Promise<void>;
}

/** Starts to look whether a backup is due. One that is overdue is made at once. */
export function startNightlyBackups(options: NightlyOptions): NightlyBackups {
  const { settings, database, target, clock, metrics, report } = options;
  let known: BackupRecord | null = null;
  const failures = metrics.counter(
    'freehold_backup_failures_total',
    'Nightly backups of this process that failed.',
    [],
  );
  failures.inc(0);
  const seconds = (record: BackupRecord | null) => (parseTime(record?.succeededAt ?? null) ?? 0) / 1_000;
  metrics.gauge(
    'freehold_backup_last_success_timestamp_seconds',
    'When the last whole backup was taken, as seconds since 1970; 0: never; NaN: BACKUP_DIR is not set.',
    () => (settings === null ? Number.NaN : seconds(known)),
  );
  metrics.gauge('freehold_backup_last_bytes', 'Bytes of the last whole backup.', () => known?.bytes ?? 0);
  if (settings === null) return { stop: async () => {} };
  const stopping = new AbortController();
  const run: RunBackup =
    target === null ? (task, signal) => runBackup(database, task, signal) : createThreadRunner(target, clock);
  const isDue = async () => {
    known = await database.read(findBackupRecord);
    return isBackupDue(known, clock.now(), settings);
  };
  const work = startLeasedWork({
    database,
    clock,
    report,
    name: LEASE,
    pause: PAUSE,
    isDue,
    async work(lease) {
      try {
        // Another process may have made it before this one got the lease.
        if (await isDue()) await makeOne({ ...options, settings, lease, run, stopping: stopping.signal });
      } catch (error) {
        if (!stopping.signal.aborted && !lease.lost.aborted) failures.inc();
        throw error;
      } finally {
        known = await database.read(findBackupRecord).catch(() => known);
      }
    },
  });
  return {
    async stop() {
      stopping.abort(new Error('The service stops'));
      await work.stop();
    },
  };
}

/** Whether a backup is to be made now. */
export function isBackupDue(
  { succeededAt, failedAt }: Pick<BackupRecord, 'succeededAt' | 'failedAt'>,
  now: number,
  { at }: Pick<BackupSettings, 'at'>,
): boolean {
  const due = lastDueAt(now, at);
  if ((parseTime(succeededAt) ?? Number.NEGATIVE_INFINITY) >= due) return false;
  const failed = parseTime(failedAt) ?? Number.NEGATIVE_INFINITY;
  return failed < due || now - failed >= RETRY_AFTER;
}

interface OneBackup extends NightlyOptions {
  readonly settings: BackupSettings;
  readonly lease: HeldLease;
  readonly run: RunBackup;
  readonly stopping: AbortSignal;
}

/** Throws why it failed, which is recorded, and WorkTaken where another process makes it by now. */
async function makeOne(options: OneBackup): Promise<void> {
  const { settings, target, clock, log, release, outside, lease, run, stopping } = options;
  const startedAt = clock.monotonic();
  const task = {
    settings,
    release,
    outside: await outside(),
    at: clock.now(),
    isLocal: target?.socket !== undefined,
    claim: lease.claim,
  };
  try {
    const made = await run(task, AbortSignal.any([stopping, lease.lost]));
    const seconds = Math.round((clock.monotonic() - startedAt) / 1_000);
    log.info({ event: 'backup', ...made, seconds }, `Backup of ${made.rows} rows: ${made.file}`);
  } catch (error) {
    // One that was stopped has not failed: the next start makes it.
    if (stopping.aborted) return;
    const failure = { at: new Date(clock.now()), failure: (error as Error).message };
    await lease.transaction((tx) => recordFailure(tx, failure));
    throw error;
  }
}

/** How old the last good backup is, as a sentence, and whether that is too old. */
export function describeBackup(
  record: BackupRecord,
  now: number,
): { readonly text: string; readonly isOverdue: boolean } {
  const at = parseTime(record.succeededAt);
  const failed =
    record.failure === null ? '' : `; the last try failed at ${record.failedAt}: ${record.failure}`;
  if (at === null) return { text: `no backup has been made yet${failed}`, isOverdue: true };
  const hours = Math.max(0, Math.floor((now - at) / HOUR));
  return {
    text: `the last backup is of ${formatTime(at)}, ${hours} hours ago: ${record.file}${failed}`,
    isOverdue: now - at > MAX_BACKUP_AGE,
  };
}
