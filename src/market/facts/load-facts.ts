// Load of the facts of the market, in a thread of its own where one finds the database: its work keeps nobody from their turn.

import { Worker } from 'node:worker_threads';
import type { Database, Sql } from '../../postgres/client/database.ts';
import { createDictionaries, shareDictionaries } from '../../search/engine/columns/dictionary.ts';
import type { BuilderTarget } from '../../search/engine/segments/builder-thread.ts';
import { FactAppender } from './fact-appender.ts';
import { copyAllFacts } from './fact-store.ts';
import type { LoadedFacts } from './fact-writer.ts';
import type { GrowingTable } from './growing-table.ts';

/** All facts. Rejects with the signal's reason once it aborts. */
export type LoadFacts = (signal: AbortSignal) => Promise<LoadedFacts>;

/** In this thread. */
export function loadFacts(database: Database, signal?: AbortSignal): Promise<LoadedFacts> {
  const load = async (sql: Sql): Promise<LoadedFacts> => {
    const dictionaries = createDictionaries();
    const appender = new FactAppender(dictionaries);
    const sequence = await copyAllFacts(sql, appender);
    const partsOf = ({ parts }: GrowingTable) => parts.map((part) => part.close());
    const { rental, sale } = appender.tables;
    const parts = { rental: partsOf(rental), sale: partsOf(sale) };
    return { parts, dictionaries: shareDictionaries(dictionaries), sequence };
  };
  // A timeout of its own makes it a transaction.
  return database.read(load, { timeout: 0, ...(signal && { signal }) });
}

/** What a thread tells: the facts, whose memory is shared, or why there are none. */
export type LoadMessage = { readonly facts: LoadedFacts } | { readonly error: Error };

/** In a thread of its own, whose memory goes with it. */
export function loadFactsInThread(target: BuilderTarget, signal: AbortSignal): Promise<LoadedFacts> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const worker = new Worker(new URL('./load-worker.ts', import.meta.url), { workerData: target });
  return new Promise<LoadedFacts>((resolve, reject) => {
    const end = () => reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    worker.on('message', (message: LoadMessage) => {
      if ('facts' in message) resolve(message.facts);
      else reject(message.error);
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      signal.removeEventListener('abort', end);
      reject(new Error('The thread that loads the facts of the market ended before it was done'));
    });
  }).finally(() => worker.terminate());
}
