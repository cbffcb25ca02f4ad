// Proof that a primary that restarts, or gives way to its standby, costs the clients of several processes honest 503s only.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { atEnd } from '../support/database/database.ts';
import { startPostgres15Server, withoutPostgres15 } from '../support/database/postgres15.ts';
import { startOutageStage } from '../support/outage/outage-stage.ts';

const skip = withoutPostgres15;
const [PROCESSES, CLIENTS] = [2, 4];

test('a primary that is shut down, and one that is killed, under load: 503 or right, nothing acknowledged is lost, and all goes on', {
  skip,
}, async (t) => {
  const primary = await startPostgres15Server(t);
  const { clients, judge } = await startOutageStage(t, {
    servers: [primary],
    processes: PROCESSES,
    clients: CLIENTS,
  });
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    await clients.until('changed');
    await primary.end(signal);
    await clients.until('refused');
    await primary.start();
    await clients.until('changed');
  }
  t.diagnostic(JSON.stringify(clients.outcomes));
  await judge();
});

test('a standby that is promoted under load: 503 or right, nothing acknowledged is lost, and all goes on', {
  skip,
}, async (t) => {
  const primary = await startPostgres15Server(t);
  const standby = await startPostgres15Server(t, { standbyOf: primary });
  const { clients, judge } = await startOutageStage(t, {
    servers: [primary, standby],
    processes: PROCESSES,
    clients: CLIENTS,
  });
  const promoter = openDatabase({ url: standby.url });
  atEnd(t, () => promoter.close(100));
  await clients.until('changed');
  await primary.stop();
  await clients.until('refused');
  const [row] = await promoter.read((sql) => sql<{ done: boolean }[]>`select pg_promote() as done`);
  assert.equal(row?.done, true);
  await clients.until('changed');
  t.diagnostic(JSON.stringify(clients.outcomes));
  await judge();
});
