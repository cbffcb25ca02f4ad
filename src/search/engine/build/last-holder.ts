// Last holder of shared memory: a thread that has it until this one no longer does, and gives it back.

import { Worker } from 'node:worker_threads';

const threads = new FinalizationRegistry((thread: Worker) => void thread.terminate());

/**
 * Starts a thread that holds this memory until `owner` is collected here. To give back what 650,000 rows take costs a processor 26 ms,
 * and whoever drops it last has to: without such a thread at times the event loop.
 */
export function holdUntilCollected(owner: object, memory: unknown): Worker {
  const thread = new Worker(new URL('./holder-worker.ts', import.meta.url), { workerData: memory });
  thread.unref();
  threads.register(owner, thread);
  return thread;
}
