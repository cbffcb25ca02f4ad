// Builder of bases in threads: one for each load and merge, so that its memory goes with it.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ListingType } from '../../../listings/vocabulary.ts';
import type { DatabaseOptions } from '../../../postgres/client/database.ts';
import type { ListColumn } from '../../query/condition.ts';
import type { Base, BaseBuilder, LoadProgress } from '../base-builder.ts';
import type { CodeColumn } from '../columns.ts';
import { createDictionaries, type Dictionaries } from '../dictionary.ts';
import { type MergedTable, mergedTables } from './build-base.ts';

/** Where a thread finds the database. */
export type BuilderTarget = Pick<DatabaseOptions, 'url' | 'socket'>;

/** What a thread is to do. Columns are shared, not copied. */
export type BuilderTask =
  | { readonly kind: 'load'; readonly target: BuilderTarget }
  | { readonly kind: 'merge'; readonly tables: Readonly<Record<ListingType, MergedTable>> };

/** Dictionaries as messages carry them. */
export type DictionaryWords = Readonly<Record<CodeColumn | ListColumn, readonly string[]>>;

export type BuilderMessage =
  | { readonly kind: 'progress'; readonly progress: LoadProgress }
  | ({ readonly kind: 'loaded'; readonly words: DictionaryWords } & Omit<Base, 'dictionaries'>)
  | { readonly kind: 'merged'; readonly segments: Base['segments'] }
  | { readonly kind: 'failed'; readonly error: Error };

export function createThreadBuilder(target: BuilderTarget): BaseBuilder {
  const closing = new AbortController();
  const threads = new Set<Worker>();

  /** Runs a task in a thread of its own until it gives a result. */
  function run<T>(
    task: BuilderTask,
    signal: AbortSignal,
    resultOf: (message: BuilderMessage) => T | undefined,
  ): Promise<T> {
    const ending = AbortSignal.any([signal, closing.signal]);
    if (ending.aborted) return Promise.reject(ending.reason);
    const worker = new Worker(new URL('./builder-worker.ts', import.meta.url), { workerData: task });
    threads.add(worker);
    return new Promise<T>((resolve, reject) => {
      const end = () => {
        reject(ending.reason);
        void worker.terminate();
      };
      ending.addEventListener('abort', end, { once: true });
      worker.on('message', (message: BuilderMessage) => {
        if (message.kind === 'failed') return reject(message.error);
        const result = resultOf(message);
        if (result !== undefined) resolve(result);
      });
      worker.once('error', reject);
      worker.once('exit', () => {
        threads.delete(worker);
        ending.removeEventListener('abort', end);
        reject(new Error('The thread that builds the search engine ended before it was done'));
      });
    });
  }

  return {
    load: (onProgress, signal) =>
      run<Base>({ kind: 'load', target }, signal, (message) => {
        if (message.kind === 'progress') onProgress(message.progress);
        if (message.kind !== 'loaded') return undefined;
        const { segments, words, sequence } = message;
        return { segments, dictionaries: createDictionaries(words), sequence };
      }),
    merge: ({ tables }, signal) =>
      run({ kind: 'merge', tables: mergedTables(tables) }, signal, (message) =>
        message.kind === 'merged' ? message.segments : undefined,
      ),
    async close() {
      const ends = [...threads].map((worker) => once(worker, 'exit'));
      closing.abort(new Error('The builder of the search engine was closed'));
      await Promise.all(ends);
    },
  };
}

/** The words of dictionaries, from which the same can be made. */
export const wordsOf = (dictionaries: Dictionaries): DictionaryWords =>
  Object.fromEntries(
    Object.entries(dictionaries).map(([column, dictionary]) => [column, dictionary.words()]),
  ) as unknown as DictionaryWords;
