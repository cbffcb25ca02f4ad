// Matching in a thread of its own, started again when it fails.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { pause, systemClock } from '../../lib/clock.ts';
import type { DatabaseOptions } from '../../postgres/client/database.ts';
import type { MatchingStatus } from './matching.ts';

/** Where the thread finds the database. */
export type MatchingTarget = Pick<DatabaseOptions, 'url' | 'socket'>;

export interface MatchingThreadData {
  readonly target: MatchingTarget;
}

export type MatchingThreadMessage =
  | { readonly kind: 'status'; readonly status: MatchingStatus }
  | { readonly kind: 'error'; readonly error: Error };

export interface RunningMatching {
  status(): MatchingStatus | null;
  /** Finishes the batch under way and gives the lease back. */
  stop(): Promise<void>;
}

/** Milliseconds. */
const RESTART_PAUSE = 1_000;

export function startMatchingThread(
  target: MatchingTarget,
  report: (error: unknown) => void,
): RunningMatching {
  const stopping = new AbortController();
  let status: MatchingStatus | null = null;
  let worker: Worker | null = null;
  const running = run();
  return {
    status: () => status,
    async stop() {
      stopping.abort();
      worker?.postMessage('stop');
      await running;
    },
  };

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await runOnce();
      await pause(systemClock, RESTART_PAUSE, stopping.signal);
    }
  }

  async function runOnce(): Promise<void> {
    const workerData: MatchingThreadData = { target };
    worker = new Worker(new URL('./matching-worker.ts', import.meta.url), { workerData });
    worker.on('message', (message: MatchingThreadMessage) => {
      if (message.kind === 'status') status = message.status;
      else report(message.error);
    });
    worker.on('error', report);
    await once(worker, 'exit').catch(report);
    status = null;
    worker = null;
    if (!stopping.signal.aborted)
      report(new Error('The thread that matches watchers ended; it is started again'));
  }
}
