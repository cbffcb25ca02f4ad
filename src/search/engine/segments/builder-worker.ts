// Thread of a builder: does one task, with a connection of its own, and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../../../lib/thread-priority.ts';
import { type Database, openDatabase } from '../../../postgres/client/database.ts';
import { shareDictionaries } from '../columns/dictionary.ts';
import { loadBase, mergeTables } from './build-base.ts';
import type { BuilderMessage, BuilderTarget, BuilderTask } from './builder-thread.ts';
import { readColumnFile, type SharedBase, writeColumnFile } from './column-file.ts';

const send = (message: BuilderMessage): void => parentPort?.postMessage(message);
const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
const tellUnsaved = (error: unknown): null => {
  send({ kind: 'unsaved', error: asError(error) });
  return null;
};

async function withDatabase(
  target: BuilderTarget,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const database = openDatabase({ ...target, maxConnections: 1, applicationName: 'freehold search' });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

async function load(database: Database, file: string | null, isRead: boolean): Promise<void> {
  if (file !== null && isRead) {
    const base = await readColumnFile(file, database).catch(tellUnsaved);
    if (base !== null) return send({ kind: 'loaded', base });
  }
  // Whoever does not want the task any more ends the thread, so that no signal is needed.
  const { signal } = new AbortController();
  const loaded = await loadBase(database, (progress) => send({ kind: 'progress', progress }), signal);
  const base: SharedBase = { ...loaded, dictionaries: shareDictionaries(loaded.dictionaries) };
  send({ kind: 'loaded', base });
  if (file !== null) await writeColumnFile(file, database, base).catch(tellUnsaved);
}

async function run(task: BuilderTask): Promise<void> {
  if (task.kind === 'load')
    return withDatabase(task.target, (database) => load(database, task.file, task.isRead));
  // Searches are answered meanwhile, often on the same core.
  lowerThreadPriority();
  const segments = mergeTables(task.tables);
  send({ kind: 'merged', segments });
  if (task.saved === null) return;
  const { target, file, dictionaries, sequence } = task.saved;
  const base = { segments, dictionaries, sequence };
  await withDatabase(target, (database) => writeColumnFile(file, database, base)).catch(tellUnsaved);
}

await run(workerData as BuilderTask).catch((error: unknown) => {
  send({ kind: 'failed', error: asError(error) });
});
