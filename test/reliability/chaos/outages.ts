// Long run of an external database that restarts, is killed and changes over, under HTTP load of three processes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import {
  type Postgres15,
  startPostgres15Server,
  withoutPostgres15,
} from '../../support/database/postgres15.ts';
import type { OutageClients } from '../../support/outage/outage-clients.ts';
import { startOutageStage } from '../../support/outage/outage-stage.ts';

const skip = withoutPostgres15;
const [PROCESSES, CLIENTS, ROUNDS] = [3, 12, 4];
/** Milliseconds from the return of a server that takes writes until each process has changed something. */
const LIMIT = 10_000;
/** Milliseconds of a stream. */
const STREAM_LIMIT = 10_000;

const round = (milliseconds: number): number => Math.round(milliseconds);

/** Waits until each process writes again; gives the milliseconds since this call. */
async function untilWritten(clients: OutageClients): Promise<number> {
  const begun = performance.now();
  await clients.until('changed');
  return performance.now() - begun;
}

function judgeTimes(took: readonly number[], { slowestStream, outcomes }: OutageClients): string {
  assert.ok(Math.max(...took) <= LIMIT, `written again after ${took.map(round).join()} ms`);
  assert.ok(slowestStream() <= STREAM_LIMIT, `a stream took ${round(slowestStream())} ms`);
  return `written again after ${took.map(round).join(', ')} ms; streams took ${round(slowestStream())} ms at most; ${JSON.stringify(outcomes)}`;
}

async function promote({ url }: Postgres15): Promise<void> {
  const database = openDatabase({ url });
  const [row] = await database.read((sql) => sql<{ done: boolean }[]>`select pg_promote() as done`);
  assert.equal(row?.done, true);
  await database.close(100);
}

/** Whatever is acknowledged is at its standby from now on. */
async function synchronize({ url }: Postgres15): Promise<void> {
  const database = openDatabase({ url });
  // Outside of any transaction.
  const connection = database.dedicated();
  await connection.sql.unsafe("alter system set synchronous_standby_names = '*'");
  connection.destroy();
  await database.read((sql) => sql`select pg_reload_conf()`);
  await database.close(100);
}

test(`a primary ends ${3 * ROUNDS} times and comes back: 503 or right, written again within ten seconds, nothing lost`, {
  skip,
}, async (t) => {
  const primary = await startPostgres15Server(t);
  const { clients, judge } = await startOutageStage(t, {
    servers: [primary],
    processes: PROCESSES,
    clients: CLIENTS,
  });
  const took: number[] = [];
  for (let ended = 0; ended < ROUNDS; ended++)
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      await clients.until('changed');
      await primary.end(signal);
      await clients.until('refused');
      await primary.start();
      took.push(await untilWritten(clients));
    }
  t.diagnostic(judgeTimes(took, clients));
  await judge();
});

test(`standbys are promoted ${ROUNDS} times, half of them after kill -9 of the primary: 503 or right, written again within ten seconds, nothing lost`, {
  skip,
}, async (t) => {
  let primary = await startPostgres15Server(t);
  let standby = await startPostgres15Server(t, { standbyOf: primary });
  const { clients, judge } = await startOutageStage(t, {
    servers: [primary, standby],
    processes: PROCESSES,
    clients: CLIENTS,
  });
  const took: number[] = [];
  for (let promoted = 0; promoted < ROUNDS; promoted++) {
    await synchronize(primary);
    await clients.until('changed');
    if (promoted % 2 === 0) await primary.stop();
    else await primary.end('SIGKILL');
    await clients.until('refused');
    await promote(standby);
    took.push(await untilWritten(clients));
    const { port } = primary;
    primary = standby;
    standby = await startPostgres15Server(t, { standbyOf: primary, port });
  }
  t.diagnostic(judgeTimes(took, clients));
  await judge();
});
