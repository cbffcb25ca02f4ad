// Proof that endpoints that answer without end, slowly or never cost their own webhook alone.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';
import { type Answer, ok, startReceiver } from '../../support/webhooks/receiver.ts';
import { openStage } from '../../support/webhooks/stage.ts';

async function open(t: TestContext, address?: string) {
  const { database } = await testDatabase(t);
  const clock = manualClock();
  const receiver = await startReceiver(t, address);
  const stage = await openStage(t, { database, clock, ports: [receiver.port] });
  /** A webhook at a path of its own, which answers like this. */
  const answers = new Map<string, Answer>();
  receiver.answer = (arrival, response) => (answers.get(arrival.path) ?? ok)(arrival, response);
  const createWebhook = async (path: string, answer: Answer, origin = receiver.url) => {
    answers.set(path, answer);
    const webhook = await stage.createWebhook(`${origin}${path}`);
    receiver.secrets.set(path, webhook.secret);
    return webhook;
  };
  const countOf = (path: string) => receiver.arrivals.filter((arrival) => arrival.path === path).length;
  return { ...stage, database, clock, receiver, createWebhook, countOf };
}

test('an answer that drips is cut after 15 seconds as no answer, while other webhooks get their events', async (t) => {
  const { log, clock, createWebhook, startDispatcher, deliveries, webhook, countOf } = await open(t);
  let drip = (): void => {};
  const dripping = await createWebhook('/dripping', (_, { socket }) => {
    socket?.write('HTTP/1.1 200 OK\r\n');
    drip = () => void socket?.write('x-more: 1\r\n');
  });
  const good = await createWebhook('/good', ok);
  startDispatcher(t);
  await log.writeChange([dripping.watcher, good.watcher]);
  await until('both have their event', () => countOf('/dripping') === 1 && countOf('/good') === 1);
  for (let second = 1; second < 15; second++) {
    drip();
    clock.advance(1_000);
    await log.writeChange([good.watcher]);
    await until('the other has its event', () => countOf('/good') === 1 + second);
  }
  assert.equal((await webhook(dripping.id)).isClaimed, true);
  assert.equal((await deliveries(dripping.id)).length, 0);
  clock.advance(1_000);
  await until('it is given up', async () => (await deliveries(dripping.id)).length === 1);
  const [{ status, error, httpStatus, nextAttemptAt } = assert.fail()] = await deliveries(dripping.id);
  assert.deepEqual([status, error, httpStatus], ['failed', 'No answer within 15 seconds', null]);
  assert.equal(Date.parse(nextAttemptAt ?? ''), clock.now() + 5_000, 'the pause begins at the end');
  clock.advance(4_999);
  await log.writeChange([good.watcher]);
  await until('the other has its event', () => countOf('/good') === 16);
  assert.equal(countOf('/dripping'), 1);
  clock.advance(1);
  await until('it is tried again', () => countOf('/dripping') === 2);
});

test('an answer without end counts by its status: its body is cut by size, or two seconds after the status', async (t) => {
  const { log, clock, createWebhook, startDispatcher, deliveries, countOf } = await open(t);
  const closed = new Set<string>();
  const endless = await createWebhook('/endless', (_, response) => {
    response.on('close', () => closed.add('/endless'));
    const pump = (): void => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
      response.once('drain', pump);
    };
    pump();
  });
  const slow = await createWebhook('/slow', (_, response) => {
    response.on('close', () => closed.add('/slow'));
    response.writeHead(201).write('x');
  });
  const good = await createWebhook('/good', ok);
  startDispatcher(t);
  await log.writeChange([endless.watcher, slow.watcher, good.watcher]);
  const isRecorded = async (id: string) => (await deliveries(id)).length === 1;
  await until('the endless one is cut', async () => closed.has('/endless') && (await isRecorded(endless.id)));
  await until('the good one is recorded', () => isRecorded(good.id));
  await until('the slow one has its event', () => countOf('/slow') === 1);
  assert.equal(await isRecorded(slow.id), false);
  await until('the slow one is cut', async () => {
    clock.advance(500);
    return closed.has('/slow');
  });
  await until('the slow one is recorded', () => isRecorded(slow.id));
  for (const [{ id }, expected] of [[endless, 200] as const, [slow, 201] as const]) {
    const [{ status, httpStatus } = assert.fail()] = await deliveries(id);
    assert.deepEqual([status, httpStatus], ['succeeded', expected]);
  }
});

const WEBHOOKS = 1_000;
const HANGING = 50;
const EVENTS = 2;

test('while 50 of 1,000 endpoints hang, all others get every event', async (t) => {
  const { log, createWebhook, startDispatcher, receiver, database, countOf } = await open(t, '0.0.0.0');
  const watchers = [];
  for (let no = 0; no < WEBHOOKS; no++) {
    const origin = `http://127.0.${no >> 7}.${(no & 127) + 1}:${receiver.port}`;
    watchers.push((await createWebhook(`/${no}`, no < HANGING ? () => {} : ok, origin)).watcher);
  }
  const dispatcher = startDispatcher(t);
  for (let event = 0; event < EVENTS; event++) await log.writeChange(watchers);
  const expected = HANGING + (WEBHOOKS - HANGING) * EVENTS;
  await until('all others have theirs', () => receiver.arrivals.length === expected);
  for (let no = 0; no < WEBHOOKS; no++) assert.equal(countOf(`/${no}`), no < HANGING ? 1 : EVENTS, `/${no}`);
  assert.deepEqual(receiver.forged, []);
  await until('the others rest', () => dispatcher.status().open === HANGING);
  const [row] = await database.read(
    (sql) =>
      sql<{ waiting: number }[]>`select count(*)::int as waiting from webhook where due_at is not null`,
  );
  assert.equal(row?.waiting, HANGING);
});
