// Proof that what owners ask for once more is sent out of turn, and changes nothing about the queue.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { EventType } from '../../../src/watch/events/event-types.ts';
import { lockDelivery, requestRedelivery } from '../../../src/watch/webhooks/delivery-store.ts';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';
import { openStage } from '../../support/webhooks/stage.ts';

async function open(t: TestContext) {
  const { database } = await testDatabase(t);
  const clock = manualClock();
  const receiver = await startReceiver(t);
  const stage = await openStage(t, { database, clock, ports: [receiver.port] });
  const { id, watcher, secret } = await stage.createWebhook(receiver.url);
  receiver.secrets.set('', secret);
  /** Sequences that are refused. */
  const refused = new Set<number>();
  receiver.answer = ({ event }, response) =>
    void response.writeHead(refused.has(event.sequence) ? 500 : 200).end();
  const start = () => stage.startDispatcher(t);
  const dispatcher = start();
  const write = async (type: EventType = 'listing.price_decreased') =>
    (await stage.log.writeChange([watcher], [type]))[0]?.sequence ?? 0;
  const arrived = () => receiver.arrivals.map(({ event }) => event.sequence);
  const settled = (count: number) =>
    until(`${count} attempts are recorded`, async () => {
      const { isClaimed, dueAt } = await stage.webhook(id);
      return arrived().length >= count && !isClaimed && (dueAt === null || Date.parse(dueAt) > clock.now());
    });
  const redeliver = async (sequence: number) => {
    const [row] = await database.read(
      (sql) => sql<{ id: string }[]>`select id from webhook_delivery where sequence = ${sequence}`,
    );
    await database.transaction(async (tx) => {
      const found = await lockDelivery(tx, { watcherId: watcher.id, id: row?.id ?? '' });
      assert.ok(found);
      await requestRedelivery(tx, found.delivery, new Date(clock.now()));
    });
  };
  const deliveryOf = async (sequence: number) => {
    const delivery = (await stage.deliveries(id)).find((each) => each.sequence === sequence);
    return [delivery?.status, delivery?.attempt, delivery?.nextAttemptAt];
  };
  const queue = async () => {
    const { attempt, failures, sequence, retryAt } = await stage.webhook(id);
    return { attempt, failures, sequence, retryAt };
  };
  return {
    refused,
    write,
    arrived,
    settled,
    redeliver,
    deliveryOf,
    queue,
    receiver,
    start,
    stop: () => dispatcher.stop(),
  };
}

test('a redelivery is one more attempt of that event alone, with its id', async (t) => {
  const { write, arrived, settled, redeliver, deliveryOf, queue, receiver } = await open(t);
  const [first, second, third] = [await write(), await write(), await write()];
  await settled(3);
  const before = await queue();
  await redeliver(second);
  await settled(4);
  assert.deepEqual(arrived(), [first, second, third, second]);
  assert.equal(receiver.arrivals[3]?.id, receiver.arrivals[1]?.id);
  assert.deepEqual(await deliveryOf(second), ['succeeded', 2, null]);
  assert.deepEqual(await queue(), before);
  const next = await write();
  await settled(5);
  assert.equal(arrived().at(-1), next);
});

test('while the head of the queue waits, a redelivery that fails leaves it waiting; one that succeeds lets it follow', async (t) => {
  const { refused, write, arrived, settled, redeliver, deliveryOf, queue } = await open(t);
  const first = await write();
  await settled(1);
  const head = first + 1;
  for (const each of [first, head]) refused.add(each);
  await write();
  await settled(2);
  const waiting = await queue();
  assert.deepEqual([waiting.attempt, waiting.sequence], [1, first]);
  await redeliver(first);
  await settled(3);
  assert.deepEqual(arrived(), [first, head, first]);
  assert.deepEqual(await deliveryOf(first), ['failed', 2, null]);
  assert.deepEqual(await queue(), waiting);
  refused.clear();
  await redeliver(first);
  await settled(5);
  assert.deepEqual(arrived(), [first, head, first, first, head]);
  assert.deepEqual(await deliveryOf(first), ['succeeded', 3, null]);
  assert.deepEqual(await deliveryOf(head), ['succeeded', 2, null]);
});

/** More than one claim reads of a queue. */
const WAITING = 150;

for (const [what, outOfTurn] of [
  ['a redelivery', ['redelivery']],
  ['a test', ['test']],
  ['a test and a redelivery', ['test', 'redelivery']],
] as const)
  test(`more events than are read at once arrive in order beside ${what}`, async (t) => {
    const { write, arrived, settled, redeliver, start, stop } = await open(t);
    const first = await write();
    await settled(1);
    await stop();
    const waiting: number[] = [];
    for (let event = 0; event < WAITING; event++) waiting.push(await write());
    const expected: number[] = [];
    if (outOfTurn.some((each) => each === 'test')) expected.push(await write('watcher.test'));
    if (outOfTurn.some((each) => each === 'redelivery')) {
      await redeliver(first);
      expected.push(first);
    }
    start();
    await settled(1 + expected.length);
    assert.deepEqual(arrived().slice(1), [...expected, ...waiting]);
  });
