// Proof that feeds lose nothing and hold nothing: thousands cut at once, slow readers, clients that vanish, processes that stop.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { until } from '../../support/check/until.ts';
import { startSecondService } from '../../support/service/second-service.ts';
import { changeEvents, contentsOf } from '../../support/watch/event-log.ts';
import { startEventService } from '../../support/watch/event-service.ts';
import { openFeed } from '../../support/watch/feed-reader.ts';
import { openRawFeed, type RawFeed } from '../../support/watch/raw-feeds.ts';

const limits = { connections: 12_000, connectionsPerAddress: 12_000 };
const service = await startEventService({ after }, { overrides: { limits } });
const { log, clock, url } = service;
const TIMEOUT = 300_000;

/** A metric of the first process. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

const open = () => metric('freehold_feeds_open');

test('2,000 feeds that are cut and come back at once, on another process, miss nothing', {
  timeout: TIMEOUT,
}, async (t) => {
  const second = await startSecondService(t, service, { limits });
  const owners = await Promise.all(Array.from({ length: 5 }, () => service.createOwner('internal')));
  const watchers = (await Promise.all(owners.map(({ owner }) => log.createWatchers(owner, 1)))).flat();
  const written: number[] = [];
  const write = async (count: number) => {
    for (let change = 0; change < count; change++)
      written.push(...(await log.writeChange(watchers)).slice(0, 1).map(({ sequence }) => sequence));
  };
  const readers = owners.flatMap(({ key }) => Array.from({ length: 400 }, () => key));
  const start = async (addresses: readonly string[], before: readonly RawFeed[] | null) => {
    const feeds = readers.map((key, at) =>
      openRawFeed(addresses[at % addresses.length] ?? url, {
        key,
        retries: true,
        lastId: before?.[at]?.lastId() ?? '',
      }),
    );
    await until('all feeds are open', () => feeds.every((feed) => feed.hasBegun()), TIMEOUT);
    return feeds;
  };
  const arrived = (feeds: readonly RawFeed[], count: number) =>
    until(
      `${count} events have arrived`,
      () => feeds.every(({ sequences }) => sequences.length >= count),
      TIMEOUT,
    );

  const first = await start([url, second.url], null);
  await write(4);
  await arrived(first, 4);
  for (const { socket } of first) socket.resetAndDestroy();
  await write(3);
  const again = await start([second.url, url], first);
  await write(3);
  await arrived(again, 6);
  const wrong = readers.filter(
    (_, at) => [...(first[at]?.sequences ?? []), ...(again[at]?.sequences ?? [])].join() !== written.join(),
  );
  assert.equal(wrong.length, 0);
  for (const { socket } of again) socket.destroy();
  await until('no feed is open', async () => (await open()) === 0);
});

test('readers that read nothing cost bounded memory, and get every event in order when they read on', {
  timeout: TIMEOUT,
}, async () => {
  const { key, owner } = await service.createOwner('business');
  const watchers = await log.createWatchers(owner, 1);
  const feeds = Array.from({ length: 40 }, () => openRawFeed(url, { key, paused: true }));
  await until('all feeds are open', async () => (await open()) === feeds.length);
  const [before] = [process.memoryUsage()];
  const pad = 'x'.repeat(15_000);
  const count = 1_000;
  for (let change = 0; change < count; change++) {
    const events = changeEvents(log.next(), { watchers, types: ['listing.updated'], at: clock.now() });
    const contents = contentsOf(events).map((content) => ({
      ...content,
      object: { ...content.object, pad },
    }));
    await log.write({ events, contents });
    await log.complete(events[0]?.sequence ?? 0);
  }
  await until('the readers are behind', async () => (await metric('freehold_feed_events_total')) > 0);
  const { rss, external } = process.memoryUsage();
  // What was written to each of them is 15 MB.
  const grown = (rss - before.rss + external - before.external) / 2 ** 20;
  assert.ok(grown < 300, `${grown.toFixed()} MB for ${feeds.length} readers`);
  for (const { socket } of feeds) socket.resume();
  await until(
    'everything has arrived',
    () => feeds.every(({ sequences }) => sequences.length >= count),
    TIMEOUT,
  );
  const [{ sequences } = assert.fail()] = feeds;
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(sequences).size, count);
  for (const feed of feeds) assert.deepEqual(feed.sequences, sequences);
  for (const { socket } of feeds) socket.destroy();
  await until('no feed is open', async () => (await open()) === 0);
});

test('a reader that reads nothing between two heartbeats is cut', async () => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 1);
  const feed = openRawFeed(url, { key, paused: true });
  await until('the feed is open', async () => (await open()) === 1);
  const object = { pad: 'x'.repeat(15_000) };
  for (let change = 0; change < 600; change++) {
    const events = changeEvents(log.next(), { watchers, types: ['listing.updated'], at: clock.now() });
    await log.write({ events, contents: contentsOf(events).map((content) => ({ ...content, object })) });
    await log.complete(events[0]?.sequence ?? 0);
  }
  for (let beat = 0; beat < 3; beat++) {
    for (let tick = 0; tick < 20; tick++) clock.advance(1_000);
    await service.get('/livez');
  }
  await until('the feed is cut', async () => (await open()) === 0);
  assert.equal(await metric('freehold_feeds_ended_total\\{reason="slow"\\}'), 1);
  feed.socket.destroy();
});

test('clients that vanish leave no feed, count or timer behind', async () => {
  const { key, owner } = await service.createOwner('internal');
  const watchers = await log.createWatchers(owner, 1);
  const before = clock.waiting;
  for (let round = 0; round < 10; round++) {
    const feeds = Array.from({ length: 40 }, () => openRawFeed(url, { key }));
    for (const [at, { socket }] of feeds.entries()) {
      if (at % 4 === 0) socket.resetAndDestroy();
      else if (at % 4 === 1) socket.once('data', () => socket.resetAndDestroy());
      else if (at % 4 === 2) socket.once('data', () => socket.end());
      else socket.once('data', () => socket.destroy());
    }
    await log.writeChange(watchers);
    await Promise.all(feeds.map(({ closed }) => closed));
  }
  await until('no feed is open', async () => (await open()) === 0);
  const usage = (await (await service.get('/v1/usage', key)).json()) as { feeds: { open: number } };
  assert.equal(usage.feeds.open, 0);
  // Some of the service's own come and go; each client would have left one.
  await until('no timers are left', () => clock.waiting < before + 20);
});

test('a process that stops ends its feeds at once, and their readers go on elsewhere without a gap', async (t) => {
  const second = await startSecondService(t, service);
  const { key, owner } = await service.createOwner('business');
  const watchers = await log.createWatchers(owner, 1);
  const feeds = Array.from({ length: 50 }, () => openRawFeed(second.url, { key }));
  await log.writeChange(watchers);
  await until('an event has arrived', () => feeds.every(({ sequences }) => sequences.length === 1));
  await Promise.all([second.stop(), ...feeds.map(({ closed }) => closed)]);
  await log.writeChange(watchers);
  const reader = await openFeed(url, key, { headers: { 'last-event-id': feeds[0]?.lastId() ?? '' } });
  await reader.received(1);
  await log.writeChange(watchers);
  await reader.received(2);
  const [first = 0] = feeds[0]?.sequences ?? [];
  assert.deepEqual(
    reader.events.map(({ value }) => value.sequence),
    [first + 1, first + 2],
  );
  reader.leave();
});
