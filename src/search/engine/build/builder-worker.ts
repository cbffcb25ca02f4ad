// Thread of a builder: does one task, with a connection of its own, and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../../postgres/client/database.ts';
import type { LoadProgress } from '../base-builder.ts';
import { loadBase, mergeTables } from './build-base.ts';
import { type BuilderMessage, type BuilderTarget, type BuilderTask, wordsOf } from './builder-thread.ts';

const send = (message: BuilderMessage): void => parentPort?.postMessage(message);

async function load(target: BuilderTarget): Promise<void> {
  const database = openDatabase({ ...target, maxConnections: 1, applicationName: 'freehold search' });
  const onProgress = (progress: LoadProgress): void => send({ kind: 'progress', progress });
  const { signal } = new AbortController();
  try {
    // Whoever does not want the task any more ends the thread, so that no signal is needed.
    const { segments, dictionaries, sequence } = await loadBase(database, onProgress, signal);
    send({ kind: 'loaded', segments, words: wordsOf(dictionaries), sequence });
  } finally {
    await database.close();
  }
}

const task = workerData as BuilderTask;
try {
  if (task.kind === 'load') await load(task.target);
  else send({ kind: 'merged', segments: mergeTables(task.tables) });
} catch (error) {
  send({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
}
