// Thread of the matching: its own connections, and messages to the thread that started it.

import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../lib/clock.ts';
import { Licences } from '../../licence/licences.ts';
import { openDatabase } from '../../postgres/client/database.ts';
import { Matching } from './matching.ts';
import type { MatchingThreadData, MatchingThreadMessage } from './matching-thread.ts';

/** Reads, events and the lease. */
const CONNECTIONS = 3;
/** Milliseconds: a process that is stopped within a transaction lets go of the lease before it ends. */
const IDLE_TRANSACTION_TIMEOUT = 4_000;
/** Milliseconds between two reports of the status. */
const STATUS_INTERVAL = 1_000;

const { target } = workerData as MatchingThreadData;
const send = (message: MatchingThreadMessage): void => parentPort?.postMessage(message);
const database = openDatabase({
  ...target,
  maxConnections: CONNECTIONS,
  idleTransactionTimeout: IDLE_TRANSACTION_TIMEOUT,
  applicationName: 'freehold matching',
});
const report = (error: unknown): void =>
  send({ kind: 'error', error: error instanceof Error ? error : new Error(String(error)) });
const licences = new Licences({ database, clock: systemClock, report });
const matching = new Matching({ database, clock: systemClock, report, licences });
matching.start();
let cancel: () => void = () => {};
function sendStatus(): void {
  send({ kind: 'status', status: matching.status() });
  cancel = systemClock.after(STATUS_INTERVAL, sendStatus);
}
sendStatus();

parentPort?.once('message', async () => {
  cancel();
  await matching.stop();
  await database.close();
  parentPort?.close();
});
