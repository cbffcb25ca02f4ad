// Proof of when webhooks are tried again, parked and disabled, over days of an injected clock.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../../../src/lib/clock.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { assertEvery } from '../../support/check/every.ts';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';
import { type Answer, ok, startReceiver } from '../../support/webhooks/receiver.ts';
import { openStage, type WebhookChanges } from '../../support/webhooks/stage.ts';

/** As documented: pauses before the attempts of an event, and what is added to each here, at most a tenth. */
const PAUSES = [0, 5_000, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
const RANDOM = 0.5;
const withJitter = (pause: number): number => Math.round(pause * (1 + RANDOM / 10));
const START = Date.UTC(2026, 0, 5, 12);

const failing: Answer = (_, response) => void response.writeHead(500).end('out of order');

async function open(t: TestContext, answer: Answer, changes: WebhookChanges = {}) {
  const { database } = await testDatabase(t);
  const clock = manualClock(START);
  const receiver = await startReceiver(t);
  const stage = await openStage(t, { database, clock, ports: [receiver.port] });
  const { id, watcher, secret } = await stage.createWebhook(receiver.url, changes);
  receiver.secrets.set('', secret);
  /** Milliseconds since the start, of each attempt. */
  const attempts: number[] = [];
  receiver.answer = (arrival, response) => {
    attempts.push(clock.now() - START);
    answer(arrival, response);
  };
  /** Looks for webhooks that are due, which were begun and done with. */
  const looks = { begun: 0, done: 0 };
  const watched: Database = {
    ...database,
    async write(work, options) {
      const look = ++looks.begun;
      const written = await database.write(work, options);
      looks.done = Math.max(looks.done, look);
      return written;
    },
  };
  const dispatcher = stage.startDispatcher(t, { database: watched, random: () => RANDOM });
  /** Lets the dispatcher look once more, and shows that it finds nothing to send. */
  const findsNothing = async () => {
    const [count, before] = [attempts.length, looks.begun];
    dispatcher.wake();
    await until('it has looked', () => looks.done > before);
    assert.equal((await stage.webhook(id)).isClaimed, false);
    assert.equal(attempts.length, count);
  };
  /** Waits until nothing is under way. */
  const settled = async (count: number) =>
    until(`${count} attempts are recorded`, async () => {
      const { isClaimed, dueAt } = await stage.webhook(id);
      return attempts.length >= count && !isClaimed && (dueAt === null || Date.parse(dueAt) > clock.now());
    });
  /** Goes on to the next attempt, and shows that a moment before there is none. */
  const advance = async () => {
    const { dueAt } = await stage.webhook(id);
    assert.ok(dueAt !== null, 'another attempt follows');
    const count = attempts.length;
    clock.advance(Date.parse(dueAt) - clock.now() - 1);
    await findsNothing();
    clock.advance(1);
    await settled(count + 1);
  };
  return { ...stage, database, clock, receiver, id, watcher, attempts, settled, advance, findsNothing };
}

async function entriesOf(database: Database, watcherId: string): Promise<readonly string[]> {
  const rows = await database.read(
    (sql) => sql<{ action: string; data: { webhook?: { reason: string } } }[]>`
      select action, after as data from change where watcher_id = ${watcherId} order by batch_id, ordinal`,
  );
  return rows.map(({ action, data }) => `${action} ${data.webhook?.reason}`);
}

async function statusOf(database: Database, watcherId: string): Promise<string> {
  const [row] = await database.read(
    (sql) => sql<{ text: string }[]>`
      select status || ' ' || coalesce(status_reason, '') as text from watcher where id = ${watcherId}`,
  );
  return row?.text ?? '';
}

test('an event is tried ten times as documented, then parked; the next follows after the last pause; five days disable', async (t) => {
  const { log, watcher, settled, advance, webhook, id, attempts, deliveries, receiver, database } =
    await open(t, failing);
  await log.writeChange([watcher]);
  await settled(1);
  await log.writeChange([watcher]);
  while ((await webhook(id)).status === 'failing') await advance();
  const expected: number[] = [];
  for (const pause of [...PAUSES, 24 * HOUR, 24 * HOUR])
    expected.push((expected.at(-1) ?? 0) + (pause === 0 ? 0 : withJitter(pause)));
  assert.deepEqual(attempts, expected);
  const ids = receiver.arrivals.map((arrival) => arrival.id);
  assert.deepEqual(
    ids.map((each) => ids.indexOf(each)),
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 10],
  );
  assert.deepEqual(receiver.forged, []);
  assert.ok((attempts.at(-1) ?? 0) >= 5 * DAY && (attempts.at(-2) ?? 0) < 5 * DAY);
  const rows = await deliveries(id);
  assert.deepEqual(
    rows.map(({ status, attempt, httpStatus, nextAttemptAt }) => ({
      status,
      attempt,
      httpStatus,
      nextAttemptAt,
    })),
    [
      { status: 'parked', attempt: 10, httpStatus: 500, nextAttemptAt: null },
      { status: 'failed', attempt: 2, httpStatus: 500, nextAttemptAt: null },
    ],
  );
  assert.equal((await webhook(id)).status, 'disabled');
  assert.equal(await statusOf(database, watcher.id), 'disabled delivery_failed');
  assert.deepEqual(await entriesOf(database, watcher.id), ['disabled failing']);
  console.log(`attempts at hours ${attempts.map((at) => (at / HOUR).toFixed(2)).join(' ')}; deviation 0`);
});

test('a success ends the backoff: what waited follows in order, and the next failure begins anew', async (t) => {
  let isUp = false;
  const { log, watcher, settled, advance, webhook, id, attempts, receiver } = await open(
    t,
    (arrival, response) => (isUp ? ok : failing)(arrival, response),
  );
  for (let change = 0; change < 3; change++) await log.writeChange([watcher]);
  await settled(1);
  for (let round = 0; round < 3; round++) await advance();
  assert.equal((await webhook(id)).failures, 4);
  isUp = true;
  await advance();
  await settled(7);
  const sequences = receiver.arrivals.map(({ event }) => event.sequence);
  assert.deepEqual(
    sequences.map((sequence) => sequence - (sequences[0] ?? 0)),
    [0, 0, 0, 0, 0, 1, 2],
  );
  assert.equal((await webhook(id)).status, 'active');
  isUp = false;
  await log.writeChange([watcher]);
  await settled(8);
  const before = attempts.at(-1) ?? 0;
  await advance();
  assert.equal((attempts.at(-1) ?? 0) - before, withJitter(5_000));
});

test('an endpoint that asks for more time by Retry-After gets it, a day at most', async (t) => {
  const asked = ['120', '9999999', new Date(START + 2 * DAY).toUTCString(), '1'];
  const { log, watcher, settled, advance, attempts } = await open(t, (_, response) => {
    response.writeHead(503, { 'retry-after': asked[attempts.length - 1] ?? '' }).end();
  });
  await log.writeChange([watcher]);
  await settled(1);
  for (let round = 0; round < 3; round++) await advance();
  const [first = 0, second = 0, third = 0, fourth = 0] = attempts;
  assert.equal(second - first, withJitter(120_000));
  assert.equal(third - second, withJitter(DAY));
  const untilDate = 2 * DAY - third;
  assert.equal(fourth - third, withJitter(Math.max(untilDate, 30 * MINUTE)));
});

test('410 disables at once, tells the owner, and nothing is sent any more', async (t) => {
  const { log, watcher, settled, webhook, id, attempts, clock, deliveries, database, findsNothing } =
    await open(t, (_, response) => {
      response.writeHead(410).end();
    });
  await log.writeChange([watcher]);
  await log.writeChange([watcher]);
  await settled(1);
  await until('it is disabled', async () => (await webhook(id)).status === 'disabled');
  await log.writeChange([watcher]);
  clock.advance(30 * DAY);
  await findsNothing();
  assert.equal((await webhook(id)).dueAt, null);
  assert.equal(attempts.length, 1);
  assert.deepEqual(
    (await deliveries(id)).map(({ status, httpStatus }) => [status, httpStatus]),
    [['failed', 410]],
  );
  assert.deepEqual(await entriesOf(database, watcher.id), ['disabled gone']);
});

test('an unverified webhook gets its test alone, again for a day; the first success lets its events follow', async (t) => {
  let isUp = false;
  const { log, watcher, settled, advance, receiver, webhook, id } = await open(
    t,
    (arrival, response) => (isUp ? ok : failing)(arrival, response),
    { status: 'unverified' },
  );
  await log.writeChange([watcher]);
  await log.writeChange([watcher], ['watcher.test']);
  await settled(1);
  await log.writeChange([watcher]);
  await advance();
  await advance();
  assertEvery(receiver.arrivals, ({ event }) => event.type === 'watcher.test');
  isUp = true;
  await advance();
  await settled(6);
  const types = receiver.arrivals.map(({ event }) => event.type);
  assert.deepEqual(types, [
    ...Array(4).fill('watcher.test'),
    'listing.price_decreased',
    'listing.price_decreased',
  ]);
  assert.equal((await webhook(id)).status, 'active');
});

test('a webhook whose test was not answered for a day is disabled', async (t) => {
  const { log, watcher, settled, advance, webhook, id, attempts, database } = await open(t, failing, {
    status: 'unverified',
  });
  await log.writeChange([watcher], ['watcher.test']);
  await settled(1);
  while ((await webhook(id)).status === 'unverified') await advance();
  assert.equal((await webhook(id)).status, 'disabled');
  assert.ok((attempts.at(-1) ?? 0) <= DAY && attempts.length === 7, String(attempts));
  assert.deepEqual(await entriesOf(database, watcher.id), ['disabled unverified']);
});

test('a successful test out of turn ends the backoff of a failing webhook', async (t) => {
  let isUp = false;
  const { log, watcher, settled, receiver, webhook, id } = await open(t, (arrival, response) =>
    (isUp ? ok : failing)(arrival, response),
  );
  await log.writeChange([watcher]);
  await settled(1);
  isUp = true;
  await log.writeChange([watcher], ['watcher.test']);
  await settled(3);
  const types = receiver.arrivals.map(({ event }) => event.type.split('.')[1]);
  assert.deepEqual(types, ['price_decreased', 'test', 'price_decreased']);
  assert.equal((await webhook(id)).failures, 0);
});
