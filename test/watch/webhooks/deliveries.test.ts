// Proof of how events reach webhooks: in order, signed, each recorded with its answer.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '../../../src/lib/clock.ts';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { ok, startReceiver } from '../../support/webhooks/receiver.ts';
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
  for (const { status, httpStatus, response } of rows)
    assert.deepEqual([status, httpStatus, response], ['succeeded', 200, null]);
});

test('an attempt that a stop of the service cuts is no failure of its webhook, and the next process repeats it', async (t) => {
  const { database: own } = await testDatabase(t);
  const receiver = await startReceiver(t);
  const stage = await openStage(t, { database: own, clock: systemClock, ports: [receiver.port] });
  const { id, watcher, secret } = await stage.createWebhook(receiver.url);
  receiver.secrets.set('', secret);
  receiver.answer = () => {};
  const stopped = stage.startDispatcher(t);
  const [event] = await stage.log.writeChange([watcher]);
  await until('the attempt is under way', () => receiver.arrivals.length === 1);
  await stopped.stop();
  const { status, attempt, failures, sequence, retryAt, lastError, isClaimed, dueAt } =
    await stage.webhook(id);
  assert.deepEqual(
    { status, attempt, failures, sequence, retryAt, lastError, isClaimed },
    {
      status: 'active',
      attempt: 0,
      failures: 0,
      sequence: 0,
      retryAt: null,
      lastError: null,
      isClaimed: false,
    },
  );
  assert.ok(dueAt !== null && Date.parse(dueAt) <= systemClock.now(), 'due at once');
  assert.deepEqual(await stage.deliveries(id), []);
  receiver.answer = ok;
  stage.startDispatcher(t);
  await until('it is sent again', () => receiver.arrivals.length === 2);
  await until('it is recorded', async () => (await stage.webhook(id)).sequence === event?.sequence);
  assert.equal(receiver.arrivals[1]?.id, receiver.arrivals[0]?.id);
  const deliveries = await stage.deliveries(id);
  assert.deepEqual(
    deliveries.map((each) => [each.status, each.attempt]),
    [['succeeded', 1]],
  );
});
