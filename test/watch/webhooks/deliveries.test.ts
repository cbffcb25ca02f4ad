// Proof of how events reach webhooks: in order, signed, each recorded with its answer.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '../../../src/lib/clock.ts';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';
import { openStage } from '../../support/webhooks/stage.ts';

const { database } = await testDatabase({ after });

test('events reach a webhook in order, signed, and each answer is recorded', async (t) => {
  const receiver = await startReceiver(t);
  const stage = await openStage(t, { database, clock: systemClock, ports: [receiver.port] });
  const { id, watcher, secret } = await stage.createWebhook(`${receiver.url}/a`);
  receiver.secrets.set('/a', secret);
  stage.startDispatcher(t);
  for (let change = 0; change < 100; change++) await stage.log.writeChange([watcher]);
  await until('all have arrived', async () => receiver.arrivals.length >= 100);
  assert.deepEqual(receiver.forged, []);
  const sequences = receiver.arrivals.map(({ event }) => event.sequence);
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(receiver.arrivals.map(({ id }) => id)).size, 100);
  await until('it rests', async () => (await stage.webhook(id)).dueAt === null);
  const rows = await stage.deliveries(id);
  assert.equal(rows.length, 100);
  assert.ok(
    rows.every(
      ({ status, httpStatus, response }) => status === 'succeeded' && httpStatus === 200 && response === null,
    ),
  );
});
