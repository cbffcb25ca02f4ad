// Thread of one run of a schedule: imports with connections of its own, and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { keepAlive, systemClock } from '../../lib/clock.ts';
import { createNetworkAccess } from '../../lib/network/network-access.ts';
import { lowerThreadPriority } from '../../lib/thread-priority.ts';
import { openDatabase } from '../../postgres/client/database.ts';
import { runSchedule } from './run-schedule.ts';
import type { ScheduleMessage, ThreadData } from './schedule-thread.ts';

const { target, network, task } = workerData as ThreadData;
/** Milliseconds for a statement beside the batches, which have no limit. */
const TIMEOUT = 30_000;

lowerThreadPriority();
const stopping = new AbortController();
parentPort?.on('message', () => stopping.abort());
const database = openDatabase({
  ...target,
  maxConnections: 4,
  applicationName: 'freehold scheduled import',
  timeout: TIMEOUT,
});
const { allow, ownPorts, mediaMode } = network;
const access = createNetworkAccess({
  clock: systemClock,
  setting: 'IMPORT_ALLOW',
  allow,
  ownPorts: () => ownPorts,
});
const context = { database, access, clock: systemClock, signal: stopping.signal, mediaMode };
const message = await keepAlive(() => runSchedule(context, task)).then(
  (result): ScheduleMessage => ({ kind: 'done', result }),
  (error: unknown): ScheduleMessage => ({
    kind: 'failed',
    message: error instanceof Error ? error.message : String(error),
  }),
);
await access.close();
await database.close();
parentPort?.postMessage(message);
parentPort?.close();
