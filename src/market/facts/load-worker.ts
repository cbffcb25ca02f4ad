// Thread that loads the facts of the market with a connection of its own, and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../postgres/client/database.ts';
import type { BuilderTarget } from '../../search/engine/segments/builder-thread.ts';
import { type LoadMessage, loadFacts } from './load-facts.ts';

const tell = (message: LoadMessage): void => parentPort?.postMessage(message);

const target = workerData as BuilderTarget;
const database = openDatabase({ ...target, maxConnections: 1, applicationName: 'freehold market' });
try {
  tell({ facts: await loadFacts(database) });
} catch (error) {
  tell({ error: error instanceof Error ? error : new Error(String(error)) });
} finally {
  await database.close();
}
