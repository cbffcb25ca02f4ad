// Thread of one backup: makes it with connections of its own, and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority, lowerThreadPriority } from '../lib/thread-priority.ts';
import { openDatabase } from '../postgres/client/database.ts';
import { type BackupMessage, type BackupTarget, type BackupTask, runBackup } from './backup-thread.ts';

const { target, task } = workerData as { readonly target: BackupTarget; readonly task: BackupTask };
/** Milliseconds for a statement beside the copies, which have no limit. */
const TIMEOUT = 30_000;

lowerThreadPriority();
const stopping = new AbortController();
parentPort?.on('message', () => stopping.abort(new Error('The service stops')));
const database = openDatabase({
  ...target,
  maxConnections: 1,
  applicationName: 'freehold backup',
  timeout: TIMEOUT,
});
const message = await runBackup(database, task, stopping.signal, lowerPriority).then(
  (report): BackupMessage => ({ kind: 'done', report }),
  (error: unknown): BackupMessage => ({ kind: 'failed', message: messageOf(error) }),
);
await database.close();
parentPort?.postMessage(message);
parentPort?.close();

function messageOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error && !message.includes(cause.message)
    ? `${message} (${cause.message})`
    : message;
}
