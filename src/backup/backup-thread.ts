// Backups of the service: each in a thread of its own, so that they hold no request up and their memory goes with them.

import { Worker } from 'node:worker_threads';
import { type Clock, pause } from '../lib/clock.ts';
import type { Database, DatabaseOptions } from '../postgres/client/database.ts';
import type { LeaseClaim } from '../postgres/leases/work-lease.ts';
import type { ArchiveManifest } from './archive/format.ts';
import { BackupFailure } from './backup-failure.ts';
import { backupToFolder, sealWithFile } from './backup-folder.ts';
import type { BackupSettings } from './backup-settings.ts';

/** What one backup is to do. */
export interface BackupTask {
  readonly settings: Pick<BackupSettings, 'directory' | 'keep' | 'passphraseFile'>;
  readonly release: string;
  readonly outside: ArchiveManifest['outside'];
  /** Milliseconds since the epoch: for the name of the file and the record. */
  readonly at: number;
  /** Whether the processes of the server are on this machine, and so give way to others. */
  readonly isLocal: boolean;
  /** Of the work: the backup is recorded only while nobody else has it. Null: nobody can. */
  readonly claim: LeaseClaim | null;
}

/** What became of it, for the log. */
export interface BackupReport {
  readonly file: string;
  readonly bytes: number;
  readonly rows: number;
  readonly sequence: number;
}

export type RunBackup = (task: BackupTask, signal: AbortSignal) => Promise<BackupReport>;

/** Where a thread finds the database. */
export type BackupTarget = Pick<DatabaseOptions, 'url' | 'socket'>;

export type BackupMessage =
  | { readonly kind: 'done'; readonly report: BackupReport }
  | { readonly kind: 'failed'; readonly message: string };

/** Milliseconds in which a thread that is to stop removes its file. */
const STOP_TIMEOUT = 5_000;

/** Runs each backup in a thread with connections of its own. */
export function createThreadRunner(target: BackupTarget, clock: Clock): RunBackup {
  return async (task, signal) => {
    signal.throwIfAborted();
    const worker = new Worker(new URL('./backup-worker.ts', import.meta.url), {
      workerData: { target, task },
    });
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const stop = () => {
      worker.postMessage('stop');
      void Promise.race([ended, pause(clock, STOP_TIMEOUT)]).then(() => worker.terminate());
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await new Promise<BackupReport>((resolve, reject) => {
        worker.on('message', (message: BackupMessage) => {
          if (message.kind === 'done') resolve(message.report);
          else reject(new BackupFailure(message.message));
        });
        worker.once('error', reject);
        worker.once('exit', () => reject(new Error('The thread of the backup ended before it was done')));
      });
    } finally {
      signal.removeEventListener('abort', stop);
      await ended;
    }
  };
}

/** One connection, so that the server has another processor for others. */
const CONNECTIONS = 1;

/** Makes one backup in this thread. */
export async function runBackup(
  database: Database,
  { settings, release, outside, at, isLocal, claim }: BackupTask,
  signal: AbortSignal,
  lowerPriority: (pid: number) => void = () => {},
): Promise<BackupReport> {
  const { directory, keep, passphraseFile } = settings;
  const { file, bytes, header, manifest } = await backupToFolder(
    { folder: directory, keep, at, claim },
    {
      database,
      release,
      connections: CONNECTIONS,
      seal: await sealWithFile(passphraseFile),
      secretsKey: null,
      outside,
      isFinal: false,
      signal,
      ...(isLocal && { onBackend: lowerPriority }),
    },
  );
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  return { file, bytes, rows, sequence: header.sequence };
}
