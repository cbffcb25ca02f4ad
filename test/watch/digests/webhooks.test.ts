// Proof that a webhook gets of a watcher with digests what its log shows: the digest, and nothing that waited for it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '../../../src/lib/clock.ts';
import type { EventType } from '../../../src/watch/events/event-types.ts';
import { presentEvents } from '../../../src/watch/events/presenter.ts';
import { readEvents } from '../../../src/watch/events/read-store.ts';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { changeEvents, contentsOf } from '../../support/watch/event-log.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';
import { openStage } from '../../support/webhooks/stage.ts';

const { database } = await testDatabase({ after });

test('a webhook gets a digest as the log has it, and no event that waited for it', async (t) => {
  const receiver = await startReceiver(t);
  const stage = await openStage(t, { database, clock: systemClock, ports: [receiver.port] });
  const { id, watcher, secret } = await stage.createWebhook(`${receiver.url}/a`);
  receiver.secrets.set('/a', secret);
  stage.startDispatcher(t);
  const at = systemClock.now();
  const { log } = stage;
  for (let change = 0; change < 3; change++) {
    const sequence = log.next();
    const events = changeEvents(sequence, { watchers: [watcher], types: ['listing.price_decreased'], at });
    const held = events.map((event) => ({ ...event, held: true }));
    await log.write({ events: held, contents: contentsOf(held) }, sequence);
  }
  const sequence = log.next();
  const [digest] = changeEvents(sequence, { watchers: [watcher], types: ['watcher.digest'], at });
  assert.ok(digest);
  await log.write({ events: [{ ...digest, listingId: null }] }, sequence);
  await log.writeChange([watcher]);
  await until('both have arrived', () => receiver.arrivals.length >= 2);
  await until('it rests', async () => (await stage.webhook(id)).dueAt === null);
  const page = await database.read((sql) =>
    readEvents(sql, {
      scope: { watcherId: watcher.id },
      after: { sequence: 0, watcherId: '', type: '', ordinal: 0 },
      limit: 10,
    }),
  );
  const shown = presentEvents(page, 'http://freehold.example').map(({ json }) => JSON.parse(json) as object);
  assert.deepEqual(
    receiver.arrivals.map(({ event }) => event),
    shown,
  );
  const { type, data } = receiver.arrivals[0]?.event ?? assert.fail();
  assert.deepEqual([type, data.count, (data.events as unknown[]).length], ['watcher.digest', 3, 3]);
  assert.deepEqual(receiver.forged, []);
});

test('what follows a digest in a queue arrives after it, though it is read by itself', async (t) => {
  const { database: own } = await testDatabase(t);
  const receiver = await startReceiver(t);
  const stage = await openStage(t, { database: own, clock: systemClock, ports: [receiver.port] });
  const { watcher, secret } = await stage.createWebhook(`${receiver.url}/b`);
  receiver.secrets.set('/b', secret);
  const { log } = stage;
  const write = async (type: EventType, held: boolean) => {
    const sequence = log.next();
    const isAbout = type !== 'watcher.digest';
    const events = changeEvents(sequence, { watchers: [watcher], types: [type], at: systemClock.now() });
    const own = events.map((event) => ({ ...event, held, ...(!isAbout && { listingId: null }) }));
    const contents = isAbout ? contentsOf(own) : [];
    await log.write({ events: own, contents }, sequence);
  };
  for (let digest = 0; digest < 2; digest++) {
    await write('listing.price_decreased', true);
    await write('watcher.digest', false);
  }
  await write('listing.price_decreased', false);
  stage.startDispatcher(t);
  await until('all have arrived', () => receiver.arrivals.length >= 3);
  assert.deepEqual(
    receiver.arrivals.map(({ event }) => event.type),
    ['watcher.digest', 'watcher.digest', 'listing.price_decreased'],
  );
});

test('of a listing that is closed when its events are due nothing is sent, and a digest counts what is open', async (t) => {
  const { database: own } = await testDatabase(t);
  const receiver = await startReceiver(t);
  const stage = await openStage(t, { database: own, clock: systemClock, ports: [receiver.port] });
  const { id, watcher, secret } = await stage.createWebhook(`${receiver.url}/c`);
  receiver.secrets.set('/c', secret);
  const { log } = stage;
  const closed = new Set<string>();
  const write = async (type: EventType, held: boolean, listingId: string | null, isClosed = false) => {
    const sequence = log.next();
    const events = changeEvents(sequence, { watchers: [watcher], types: [type], at: systemClock.now() });
    const own = events.map((event) => ({ ...event, held, listingId }));
    if (isClosed && listingId !== null) closed.add(listingId);
    await log.write({ events: own, contents: listingId === null ? [] : contentsOf(own) }, sequence);
  };
  // One of two, then none.
  await write('listing.price_decreased', true, 'lst_open');
  await write('listing.price_decreased', true, 'lst_closed', true);
  await write('watcher.digest', false, null);
  await write('listing.price_decreased', true, 'lst_closed', true);
  await write('watcher.digest', false, null);
  await write('listing.price_decreased', false, 'lst_closed', true);
  stage.startDispatcher(t, {
    isOpenEvent: (row) => !('listingId' in row && closed.has(String(row.listingId))),
  });
  await until('one has arrived', () => receiver.arrivals.length >= 1);
  await until('it rests', async () => (await stage.webhook(id)).dueAt === null);
  await log.writeChange([watcher]);
  await until('a later one has arrived', () => receiver.arrivals.length >= 2);
  await until('it rests again', async () => (await stage.webhook(id)).dueAt === null);
  const [digest, later, ...more] = receiver.arrivals.map(({ event }) => event);
  assert.deepEqual([digest?.type, digest?.data.count], ['watcher.digest', 1]);
  assert.ok(!JSON.stringify(receiver.arrivals).includes('lst_closed'));
  assert.deepEqual([later?.type.startsWith('listing.'), more], [true, []]);
  assert.equal((await stage.deliveries(id)).length, 2);
});
