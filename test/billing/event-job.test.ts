// Proof of the job behind the inbox: events are handled at once, retried until done, and by one process at a time.

import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { type EventJobOptions, startEventJob } from '../../src/billing/event-job.ts';
import { claimEvents, finishEvent } from '../../src/billing/event-store.ts';
import { jobOptions, type MemorySource, memorySource } from '../support/billing/memory-source.ts';
import { endPauses, eventStates, storeEvent } from '../support/billing/stored-events.ts';
import { assertEvery } from '../support/check/every.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });

/** Jobs that run, so that none outlives its test. */
let running: { stop(): Promise<void> }[] = [];

function start(payments: MemorySource, options: Partial<EventJobOptions> = {}) {
  const job = startEventJob({ ...jobOptions(database, payments), ...options });
  running.push(job);
  return job;
}

afterEach(async () => {
  await Promise.all(running.map((job) => job.stop()));
  running = [];
  await database.write((sql) => sql`delete from billing_event`);
});

const isHandled = (id: string) => async () =>
  (await eventStates(database)).some((event) => event.id === id && event.isHandled);

test('an event is handled as soon as it is stored, and what it names is renewed', async () => {
  const payments = memorySource();
  payments.references.set('customer:c', ['key-1', 'key-2']);
  const counted: string[] = [];
  start(payments, { countEvent: (type, step) => void counted.push(`${type} ${step}`) });
  await storeEvent(database, 'one', ['customer:c']);
  await until('it is handled', isHandled('one'));
  assert.deepEqual([payments.resolved, payments.renewed], [['customer:c'], ['key-1', 'key-2']]);
  assert.deepEqual(counted, ['customer.state_changed handled']);
  assert.equal(await storeEvent(database, 'one', ['customer:c']), false, 'known by its id');
  assert.ok(await isHandled('one')(), 'nothing is to be done again');
});

test('a subject that gets no answer is tried again until it has one, and holds no other event', async () => {
  const payments = memorySource();
  payments.failing.add('customer:down').add('key-b');
  payments.references.set('customer:b', ['key-a', 'key-b']);
  start(payments);
  await storeEvent(database, 'down', ['customer:down']);
  await storeEvent(database, 'half', ['customer:b']);
  await storeEvent(database, 'both', ['customer:fine', 'customer:down']);
  await storeEvent(database, 'fine', ['customer:fine']);
  await until('the good one is handled', isHandled('fine'));
  const pauses = new Set<number>();
  await until('each has failed often, after longer and longer pauses', async () => {
    const waiting = (await eventStates(database)).filter(({ id }) => id !== 'fine');
    for (const { id, wait, attempts, error, isClaimed, isHandled: isDone } of waiting) {
      assert.ok(!isDone, id);
      if (attempts === 0 || isClaimed) continue;
      const pause = Math.min(1_000 * 2 ** (attempts - 1), 3_600_000) / 2;
      assert.match(error ?? '', /answered 503/);
      // Times are stored in whole milliseconds.
      assert.ok(wait !== null && wait <= pause + 1, `${id}: ${wait} of ${pause}`);
      if (wait > pause / 2) pauses.add(attempts);
    }
    // Pauses are drawn by chance: one that is more than half of its longest is seen sooner or later.
    if (waiting.every(({ attempts }) => attempts >= 14) && Math.max(...pauses) >= 14) return true;
    await endPauses(database);
    return false;
  });
  payments.failing.clear();
  for (const id of ['down', 'half', 'both'])
    await until(`${id} is handled`, async () => {
      // One that is being tried in this moment fails once more, and then has a pause of its own.
      await endPauses(database);
      return isHandled(id)();
    });
  const states = await eventStates(database);
  assertEvery(states, ({ error, wait }) => error === null && wait === null);
});

test('a question that hangs holds no other event, not even of the same batch', async () => {
  const payments = memorySource();
  payments.hanging.add('customer:slow');
  await storeEvent(database, 'slow', ['customer:slow']);
  await storeEvent(database, 'beside', ['customer:quick']);
  start(payments);
  await until('the one beside it is handled', isHandled('beside'));
  await storeEvent(database, 'later', ['customer:later']);
  await until('a later one is handled', isHandled('later'));
  assert.ok(!(await isHandled('slow')()));
  payments.release();
  await until('the slow one is handled', isHandled('slow'));
});

test('several events about one customer are one question, but an event that comes later is another', async () => {
  const payments = memorySource();
  payments.hanging.add('customer:c');
  for (const id of ['a', 'b', 'c']) await storeEvent(database, id, ['customer:c']);
  start(payments);
  await until('it was asked', () => payments.resolved.length === 1);
  await storeEvent(database, 'd', ['customer:c']);
  await until('it was asked again', () => payments.resolved.length === 2);
  payments.release();
  await until('all are handled', async () => (await eventStates(database)).every((event) => event.isHandled));
  assert.deepEqual([payments.resolved.length, payments.renewed.length], [2, 2]);
});

test('a customer who is gone at the service is asked about by the subscriptions that are remembered', async () => {
  await database.write(
    (sql) => sql`
      insert into provider_subscription (provider, reference, state, customer, tier, checked_at, question)
      values ('polar', 'key-9', 'active', 'gone', 'pro', now(), 1), ('stripe', 'sub_9', 'active', 'gone', 'pro', now(), 1),
        ('polar', 'key-8', 'active', 'other', 'pro', now(), 1)`,
  );
  const payments = memorySource();
  payments.references.set('customer:gone', []);
  start(payments);
  await storeEvent(database, 'deleted', ['customer:gone']);
  await until('it is handled', isHandled('deleted'));
  assert.deepEqual(payments.renewed, ['key-9']);
});

test('two processes share the events: none is handled by both, and none of another service is touched', async () => {
  const all = [memorySource(), memorySource()];
  for (const payments of all) start(payments);
  await storeEvent(database, 'other', ['subscription:sub_1'], 'stripe');
  for (let number = 0; number < 120; number += 1)
    await storeEvent(database, `e${number}`, [`key:k${number}`]);
  await until('all are handled', async () =>
    (await eventStates(database)).every((event) => event.isHandled || event.id === 'other'),
  );
  const asked = all.flatMap(({ resolved }) => resolved);
  assert.deepEqual([asked.length, new Set(asked).size], [120, 120]);
});

test('a stop gives back what is under way, and another process takes it at once', async () => {
  const stopped = memorySource();
  stopped.hanging.add('customer:c').add('key-d');
  const job = start(stopped);
  await storeEvent(database, 'one', ['customer:c']);
  await storeEvent(database, 'two', ['key:key-d']);
  await until('both are asked about', () => stopped.resolved.length === 2 && stopped.renewed.length === 1);
  await job.stop();
  const states = await eventStates(database);
  assertEvery(
    states,
    ({ isHandled: isDone, attempts, wait }) => !isDone && attempts === 0 && (wait ?? 1) <= 0,
  );
  start(memorySource());
  for (const id of ['one', 'two']) await until(`${id} is handled`, isHandled(id));
});

test('whoever has lost a claim writes nothing', async () => {
  await storeEvent(database, 'one', ['customer:c']);
  const [old, next] = ['0b7e0c6e-0000-4000-8000-000000000001', '0b7e0c6e-0000-4000-8000-000000000002'];
  const request = { provider: 'polar', lifetime: 60_000, max: 10 } as const;
  const [event] = await database.write((sql) => claimEvents(sql, { ...request, claim: old }));
  const no = event?.no ?? 0;
  const [claimed] = await eventStates(database);
  assert.ok((claimed?.wait ?? 0) > 0 && (claimed?.wait ?? 0) <= 60_000, 'it is due when its claim ends');
  assert.equal((await database.write((sql) => claimEvents(sql, { ...request, claim: next }))).length, 0);
  await endPauses(database, { andClaims: true });
  assert.equal((await database.write((sql) => claimEvents(sql, { ...request, claim: next }))).length, 1);
  const failed = { kind: 'failed', error: 'late', pause: 1 } as const;
  assert.equal(await database.write((sql) => finishEvent(sql, { no, claim: old }, failed)), false);
  assert.equal(
    await database.write((sql) => finishEvent(sql, { no, claim: next }, { kind: 'handled' })),
    true,
  );
  assert.equal(await database.write((sql) => finishEvent(sql, { no, claim: old }, failed)), false);
  assert.deepEqual(
    (await eventStates(database)).map(({ isHandled: isDone, attempts }) => [isDone, attempts]),
    [[true, 1]],
  );
});

test('a claim is prolonged while its questions take long', async () => {
  const payments = memorySource();
  payments.hanging.add('customer:slow');
  const dueAt = async () => {
    const [row] = await database.read((sql) => sql<{ at: string }[]>`select due_at as at from billing_event`);
    return Date.parse(row?.at ?? '');
  };
  await storeEvent(database, 'slow', ['customer:slow']);
  start(payments, { lifetime: 3_000 });
  await until('it is asked about', () => payments.resolved.length === 1);
  for (let time = 0; time < 2; time += 1) {
    const before = await dueAt();
    await until('its claim ends later', async () => (await dueAt()) > before);
  }
  payments.release();
  await until('it is handled', isHandled('slow'));
});

test('handled events are deleted after 30 days, and so are those of a service that is not asked any more', async () => {
  for (const id of ['handled', 'recent']) await storeEvent(database, id, ['customer:c']);
  await storeEvent(database, 'other', ['subscription:sub_1'], 'stripe');
  const first = start(memorySource());
  for (const id of ['handled', 'recent']) await until(`${id} is handled`, isHandled(id));
  await first.stop();
  const payments = memorySource();
  payments.failing.add('customer:down');
  await storeEvent(database, 'waiting', ['customer:down']);
  await database.write(
    (sql) =>
      sql`update billing_event set received_at = now() - interval '30 days 1 minute' where id <> 'recent'`,
  );
  const job = start(payments);
  await until('two are deleted', async () => (await eventStates(database)).length === 2);
  assert.deepEqual(
    (await eventStates(database)).map(({ id }) => id),
    ['recent', 'waiting'],
  );
  await until('the age is known', () => (job.oldestWaiting() ?? 0) > 30 * 86_400_000);
});
