// Builder of bases in threads: one for each load and merge, so that its memory goes with it.

import { Worker } from 'node:worker_threads';
import { type Clock, MINUTE, systemClock } from '../../../lib/clock.ts';
import type { DatabaseOptions } from '../../../postgres/client/database.ts';
import { copyDictionaries, type SharedDictionaries, shareDictionaries } from '../columns/dictionary.ts';
import { type Base, type BaseBuilder, type MergedTables, mergedTables } from './build-base.ts';
import type { SharedBase } from './column-file.ts';
import type { LoadProgress } from './load-store.ts';

/** Where a thread finds the database. */
export type BuilderTarget = Pick<DatabaseOptions, 'url' | 'socket'>;

export interface ThreadBuilderOptions {
  readonly target: BuilderTarget;
  /** Where segments are kept for the next start; null: nowhere. */
  readonly file: string | null;
  /** Called where the file could not be read or written. */
  readonly report: (error: unknown) => void;
  readonly clock?: Clock;
}

/** What a thread is to do. Columns are shared, not copied. */
export type BuilderTask =
  | {
      readonly kind: 'load';
      readonly target: BuilderTarget;
      readonly file: string | null;
      readonly isRead: boolean;
    }
  | { readonly kind: 'merge'; readonly tables: MergedTables; readonly saved: MergeToSave | null };

/** Where a merge is written to, and with what. */
export interface MergeToSave {
  readonly target: BuilderTarget;
  readonly file: string;
  readonly dictionaries: SharedDictionaries;
  readonly sequence: number;
}

export type BuilderMessage =
  | { readonly kind: 'progress'; readonly progress: LoadProgress }
  | { readonly kind: 'loaded'; readonly base: SharedBase }
  | { readonly kind: 'merged'; readonly segments: Base['segments'] }
  | { readonly kind: 'failed'; readonly error: Error }
  /** The file could not be read or written; the task goes on. */
  | { readonly kind: 'unsaved'; readonly error: Error };

/** A file that is older costs a start more changes to read; each is written as a whole. */
const FILE_AGE = 10 * MINUTE;

export function createThreadBuilder(options: ThreadBuilderOptions): BaseBuilder {
  const { target, file, report, clock = systemClock } = options;
  const closing = new AbortController();
  const threads = new Set<Worker>();
  /** Whoever loads a second time does not trust what it has. */
  let isRead = true;
  let writtenAt = Number.NEGATIVE_INFINITY;

  /** Runs a task in a thread of its own until it gives a result. The thread may go on to write the file. */
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
        if (message.kind === 'unsaved') return report(message.error);
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
    async load(onProgress, signal) {
      const task: BuilderTask = { kind: 'load', target, file, isRead };
      isRead = false;
      writtenAt = clock.monotonic();
      const base = await run<SharedBase>(task, signal, (message) => {
        if (message.kind === 'progress') onProgress(message.progress);
        return message.kind === 'loaded' ? message.base : undefined;
      });
      return { ...base, dictionaries: await copyDictionaries(base.dictionaries) };
    },
    async merge({ tables, dictionaries, sequence }, signal) {
      const isDue = clock.monotonic() - writtenAt >= FILE_AGE;
      const saved =
        file !== null && isDue
          ? { target, file, dictionaries: shareDictionaries(dictionaries), sequence }
          : null;
      if (isDue) writtenAt = clock.monotonic();
      return run({ kind: 'merge', tables: mergedTables(tables), saved }, signal, (message) =>
        message.kind === 'merged' ? message.segments : undefined,
      );
    },
    async close() {
      const ends = [...threads].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
      closing.abort(new Error('The builder of the search engine was closed'));
      await Promise.all(ends);
    },
  };
}
