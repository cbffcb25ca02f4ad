// Proof of feeds: every event once and in order over breaks and processes, and feeds that end when they must.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLocalSubscriptions } from '../../../src/access/providers/subscription-store.ts';
import { DAY, MINUTE } from '../../../src/lib/clock.ts';
import { dropOldEvents } from '../../../src/watch/events/retention-store.ts';
import { until } from '../../support/check/until.ts';
import { startSecondService } from '../../support/service/second-service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';
import { type ReadPage, startEventService } from '../../support/watch/event-service.ts';
import { openFeed } from '../../support/watch/feed-reader.ts';

const service = await startEventService({ after });
const second = await startSecondService({ after }, service);
const { log, clock, url } = service;

const sequences = (events: readonly { readonly value: { readonly sequence: number } }[]) =>
  events.map(({ value }) => value.sequence);

test('a feed sends what the log has, and then what happens, as the pages show it', async () => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 2);
  await log.writeChange(watchers);
  const feed = await openFeed(url, key);
  assert.equal(feed.response.headers.get('content-type'), 'text/event-stream');
  assert.equal(feed.response.headers.get('cache-control'), 'no-store, no-transform');
  await feed.received(2);
  await log.writeChange(watchers, ['listing.pending', 'listing.status_changed']);
  await feed.received(6);
  const { data } = await service.events(key);
  assert.deepEqual(
    feed.events.map(({ value }) => value),
    data,
  );
  for (const { id, event, value } of feed.events) assert.deepEqual([id, event], [value.cursor, value.type]);
  feed.leave();
});

test('a feed of one watcher sends the events of that one alone', async () => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 2);
  const [first] = watchers;
  const feed = await openFeed(url, key, { path: `/v1/watchers/${first?.id}/stream?after=now` });
  await log.writeChange(watchers);
  await log.writeChange(watchers);
  await feed.received(2);
  assert.deepEqual(new Set(feed.events.map(({ value }) => value.watcherId)), new Set([first?.id]));
  feed.leave();
  const stranger = await service.createOwner('pro');
  const answer = await service.get(`/v1/watchers/${first?.id}/stream`, stranger.key);
  assert.equal(answer.status, 404);
});

test('a watcher that is given to another owner tells nothing more to the former one, nor its past to the new one', async () => {
  const [ann, bob] = [await service.createOwner('pro'), await service.createOwner('pro')];
  const [watcher] = await log.createWatchers(ann.owner, 1);
  const [annId, bobId] = [ann, bob].map(({ owner }) => ({ id: watcher?.id ?? '', owner }));
  const path = `/v1/watchers/${watcher?.id}`;
  const feed = await openFeed(url, ann.key, { path: `${path}/stream` });
  const [before] = await log.writeChange(annId ? [annId] : []);
  await feed.received(1);
  await service.database.write(
    (sql) =>
      sql`update watcher set owner = ${bob.owner}, allowance = ${bob.owner} where id = ${watcher?.id ?? ''}`,
  );
  const own = await openFeed(url, bob.key, { path: `${path}/stream` });
  const [later] = await log.writeChange(bobId ? [bobId] : []);
  await own.received(1);
  const other = await log.createWatchers(ann.owner, 1);
  const all = await openFeed(url, ann.key, { path: '/v1/events/stream' });
  await log.writeChange(other);
  await all.received(2);
  assert.deepEqual(sequences(own.events), [later?.sequence]);
  assert.deepEqual(sequences(feed.events), [before?.sequence], 'whoever had it');
  const page: ReadPage = await service.json(`${path}/events`, bob.key);
  assert.deepEqual(
    page.data.map(({ sequence }) => sequence),
    [later?.sequence],
  );
  for (const each of [feed, own, all]) each.leave();
});

test('a reader that comes back to another process goes on behind its last event, and misses nothing', async () => {
  const { key, owner } = await service.createOwner('business');
  const watchers = await log.createWatchers(owner, 1);
  const read: number[] = [];
  const written: number[] = [];
  let lastId: string | undefined;
  for (let round = 0; round < 6; round++) {
    const process = round % 2 === 0 ? url : second.url;
    const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
    // What the address says is older than what the reader has seen since.
    const feed = await openFeed(process, key, { path: '/v1/events/stream?after=now', headers });
    for (let change = 0; change < 3; change++)
      written.push(...(await log.writeChange(watchers)).map((e) => e.sequence));
    await feed.received(round === 0 ? 3 : 5);
    read.push(...sequences(feed.events));
    lastId = feed.lastId();
    feed.leave();
    for (let change = 0; change < 2; change++)
      written.push(...(await log.writeChange(watchers)).map((e) => e.sequence));
  }
  assert.deepEqual(read, written.slice(0, -2));
});

test('the last event may come as a parameter, which is newer than after and older than the header', async () => {
  const { key, owner } = await service.createOwner('business');
  const watchers = await log.createWatchers(owner, 1);
  for (let change = 0; change < 3; change++) await log.writeChange(watchers);
  const feed = await openFeed(url, key);
  await feed.received(3);
  const all = sequences(feed.events);
  const [first = '', second = ''] = (await service.events(key)).data.map(({ cursor }) => cursor);
  feed.leave();
  for (const path of ['/v1/events/stream', `/v1/watchers/${watchers[0]?.id}/stream`]) {
    const later = await openFeed(url, key, { path: `${path}?after=now&lastEventId=${first}` });
    await later.received(2);
    assert.deepEqual(sequences(later.events), all.slice(1), path);
    later.leave();
    const headers = { 'last-event-id': second };
    const latest = await openFeed(url, key, { path: `${path}?lastEventId=${first}`, headers });
    await latest.received(1);
    assert.deepEqual(sequences(latest.events), all.slice(2), path);
    latest.leave();
  }
  const wrong = await service.get('/v1/events/stream?lastEventId=nonsense', key);
  assert.match(await wrong.text(), /"code":"INVALID_CURSOR".*"parameter":"lastEventId"/);
});

test('feeds that are opened while events are written miss none of them', async () => {
  const { key, owner } = await service.createOwner('internal');
  const watchers = await log.createWatchers(owner, 1);
  const written: number[] = [];
  const write = async () => {
    for (let change = 0; change < 150; change++)
      written.push(...(await log.writeChange(watchers)).map(({ sequence }) => sequence));
  };
  const feeds: Awaited<ReturnType<typeof openFeed>>[] = [];
  const open = async () => {
    for (let round = 0; round < 8; round++)
      feeds.push(...(await Promise.all(Array.from({ length: 8 }, () => openFeed(url, key)))));
  };
  await Promise.all([write(), open()]);
  for (const feed of feeds) await feed.received(written.length);
  for (const feed of feeds) {
    assert.deepEqual(sequences(feed.events), written);
    feed.leave();
  }
});

test('a feed that is cut before its first event goes on where it began', async () => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 1);
  const feed = await openFeed(url, key, { path: '/v1/events/stream?after=now' });
  await until('the feed names its position', () => feed.lastId() !== '');
  feed.leave();
  const [missed] = await log.writeChange(watchers);
  const again = await openFeed(url, key, { headers: { 'last-event-id': feed.lastId() } });
  await again.received(1);
  assert.deepEqual(sequences(again.events), [missed?.sequence]);
  again.leave();
});

test('the processes send the same events in the same order, however many feeds read them', async () => {
  const { key, owner } = await service.createOwner('business');
  const watchers = await log.createWatchers(owner, 5);
  const feeds = await Promise.all([url, second.url].map((each) => openFeed(each, key)));
  for (let change = 0; change < 40; change++) await log.writeChange(watchers);
  for (const feed of feeds) await feed.received(200);
  const [here, there] = feeds.map(({ events }) => events.map(({ id }) => id));
  assert.deepEqual(here, there);
  assert.equal(new Set(here).size, 200);
  for (const feed of feeds) feed.leave();
});

test('a heartbeat is a comment that keeps the cursor of a quiet feed from growing old', async () => {
  const [quiet, busy] = [await service.createOwner('pro'), await service.createOwner('pro')];
  const feed = await openFeed(url, quiet.key);
  await until('the feed has begun', () => feed.lastId() !== '');
  const start = feed.lastId();
  await log.writeChange(await log.createWatchers(busy.owner, 1));
  for (let beat = 1; beat <= 3; beat++) {
    for (let tick = 0; tick < 20; tick++) clock.advance(1_000);
    await until('a heartbeat has come', () => (feed.text().match(/^:/gm) ?? []).length === beat);
  }
  // The change may be matched after these heartbeats.
  await until('a heartbeat has a newer cursor', () => {
    clock.advance(1_000);
    return feed.lastId() !== start;
  });
  assert.equal(feed.events.length, 0);
  assert.match(feed.text(), /^retry: \d{4,5}$/m);
  feed.leave();
});

test('a feed ends by itself after 30 to 60 minutes', async () => {
  const { key } = await service.createOwner('pro');
  const feed = await openFeed(url, key);
  let ended = 0;
  void feed.ended.then(() => (ended = clock.monotonic()));
  const start = clock.monotonic();
  const step = async () => {
    for (let second = 0; second < 30; second++) clock.advance(1_000);
    // Answers about credentials come in between.
    await service.get('/livez');
  };
  while (ended === 0 && clock.monotonic() - start < 62 * MINUTE) await step();
  assert.ok(ended - start >= 30 * MINUTE && ended - start <= 61 * MINUTE, String((ended - start) / MINUTE));
});

test('a feed ends within five seconds once its key is revoked, and the other feeds stay', async () => {
  const [ann, bob] = [await service.createOwner('pro'), await service.createOwner('pro')];
  const feeds = [await openFeed(second.url, ann.key), await openFeed(second.url, bob.key)] as const;
  let isEnded = false;
  void feeds[0].ended.then(() => (isEnded = true));
  await createLocalSubscriptions(service.database, clock).revoke(ann.subscription);
  await until('the key is refused', async () => {
    const answer = await fetch(`${second.url}/v1/events`, {
      headers: { authorization: `Bearer ${ann.key}` },
    });
    return answer.status === 401;
  });
  for (let second = 0; second < 5; second++) clock.advance(1_000);
  await feeds[0].ended;
  assert.ok(isEnded);
  await log.writeChange(await log.createWatchers(bob.owner, 1));
  await feeds[1].received(1);
  feeds[1].leave();
});

test('a feed stays while the provider of subscriptions is unavailable, and ends once it says that the key has ended', async (t) => {
  const provider = stubProvider();
  const key = provider.subscribe('pro');
  const own = await startEventService(t, { overrides: { provider } });
  const feed = await openFeed(own.url, key);
  let isEnded = false;
  void feed.ended.then(() => {
    isEnded = true;
  });
  const advance = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 1_000) {
      own.clock.advance(1_000);
      // Answers come in between, and heartbeats reach their reader.
      await own.get('/livez');
    }
  };
  provider.mode = 'fail';
  await advance(12 * MINUTE);
  assert.equal(isEnded, false);
  provider.mode = 'answer';
  provider.change(key, { state: 'expired' });
  await advance(MINUTE);
  await feed.ended;
});

test('an owner has as many feeds as its tier allows, and may open another once one has ended', async () => {
  const { key } = await service.createOwner('free');
  const feed = await openFeed(url, key);
  const refused = await service.get('/v1/events/stream', key);
  assert.equal(refused.status, 429);
  const problem = (await refused.json()) as { code: string; violatedPolicies: string[] };
  assert.deepEqual([problem.code, problem.violatedPolicies], ['TOO_MANY_STREAMS', ['feeds']]);
  feed.leave();
  await until('another feed may be opened', async () => {
    const answer = await fetch(`${url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    return ((await answer.json()) as { feeds: { open: number } }).feeds.open === 0;
  });
  (await openFeed(url, key)).leave();
});

test('a feed cannot begin before what is kept, nor at what is no cursor', async () => {
  const { key, owner } = await service.createOwner('business');
  const watchers = await log.createWatchers(owner, 1);
  await log.writeChange(watchers);
  const { data } = await service.events(key);
  clock.advance(32 * DAY);
  // Where the service drops them at the same time, the later one gives way.
  await until('the event is gone', async () => {
    await dropOldEvents(service.database, clock.now());
    return (await service.events(key)).data.length === 0;
  });
  for (const [headers, status, code] of [
    [{ 'last-event-id': data[0]?.cursor ?? '' }, 410, 'CURSOR_EXPIRED'],
    [{ 'last-event-id': 'nonsense' }, 400, 'INVALID_CURSOR'],
  ] as const) {
    const answer = await service.get('/v1/events/stream', key, headers);
    assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [status, code]);
  }
});
