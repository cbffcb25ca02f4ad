// Runs of schedules in threads of their own, so that no request waits for them and their memory goes with them.

import { Worker } from 'node:worker_threads';
import { type Clock, pause } from '../../lib/clock.ts';
import type { NetworkPort } from '../../lib/ip-address.ts';
import type { DatabaseOptions } from '../../postgres/client/database.ts';
import type { ImportMap } from '../mapping/map.ts';
import type { ScheduleTask } from './run-schedule.ts';

/** What a thread may reach, and what settings say of what it imports. */
export interface ScheduleNetwork {
  /** Ports of inner networks that the operator permits. */
  readonly allow: readonly NetworkPort[];
  /** Ports of the service and of PostgreSQL. */
  readonly ownPorts: readonly (number | null)[];
  /** How photos are shown where a map says nothing of it. */
  readonly mediaMode: NonNullable<ImportMap['media']>;
}

/** Where a thread finds the database. */
export type ScheduleTarget = Pick<DatabaseOptions, 'url' | 'socket'>;

export interface ThreadData {
  readonly target: ScheduleTarget;
  readonly network: ScheduleNetwork;
  readonly task: ScheduleTask;
}

export type ScheduleMessage =
  | { readonly kind: 'done'; readonly result: string }
  | { readonly kind: 'failed'; readonly message: string };

/** What it did, as a sentence; rejects with a sentence. */
export type RunTask = (task: ScheduleTask, signal: AbortSignal) => Promise<string>;

/** Milliseconds in which a thread that is to stop ends its batch. */
const STOP_TIMEOUT = 5_000;
/** Megabytes of a thread: a document of JSON that is read whole fits, and a file that would take more ends its thread alone. */
const MAX_MEGABYTES = 2_048;

export function threadRunner(target: ScheduleTarget, network: ScheduleNetwork, clock: Clock): RunTask {
  return async (task, signal) => {
    signal.throwIfAborted();
    const data: ThreadData = { target, network, task };
    const worker = new Worker(new URL('./schedule-worker.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
    });
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const stop = () => {
      worker.postMessage('stop');
      void Promise.race([ended, pause(clock, STOP_TIMEOUT)]).then(() => worker.terminate());
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await new Promise<string>((resolve, reject) => {
        worker.on('message', (message: ScheduleMessage) => {
          if (message.kind === 'done') resolve(message.result);
          else reject(new Error(message.message));
        });
        worker.once('error', reject);
        worker.once('exit', () => reject(new Error('The thread of the import ended before it was done')));
      });
    } finally {
      signal.removeEventListener('abort', stop);
      await ended;
    }
  };
}
