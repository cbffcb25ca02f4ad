// Proves over HTTP what digests tell, when, and to whom: what waits for one is told there alone, and nothing of it is lost.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { TIERS } from '../../../src/access/tiers/tiers.ts';
import { runDigests } from '../../../src/watch/digests/digest-scheduler.ts';
import { moveAllWatchers } from '../../../src/watch/operator.ts';
import { draft } from '../../support/catalogue/drafts.ts';
import { writer } from '../../support/catalogue/property-market.ts';
import { assertEvery } from '../../support/check/every.ts';
import { until } from '../../support/check/until.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startService } from '../../support/service/service.ts';
import type { ReadEvent, ReadPage } from '../../support/watch/event-service.ts';
import { openFeed } from '../../support/watch/feed-reader.ts';
import { isMatched } from '../../support/watch/matching-oracle.ts';
import { sendWatcher, subscriber, type WatcherRecord } from '../../support/watch/watchers.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Monday. */
const clock = manualClock(Date.UTC(2026, 5, 1, 12));
const service = await startService({ after }, { clock });
const { database } = service;
const { subscribe, changePlan } = subscriber(service);
const write = writer(service);
await write(draft('first', { listPrice: 900_000 }));
const search = { type: 'search', listingType: 'sale', query: { maxPrice: 500_000 } };

async function watch(key: string, more: object = {}): Promise<WatcherRecord> {
  const { status, watcher, text } = await send('POST', '', key, { target: search, ...more });
  assert.equal(status, 201, text);
  return watcher;
}

const send = (method: string, path: string, key: string, body?: object) =>
  sendWatcher(service, method, path, { key, body });

let homes = 0;
/** New listings that every search here matches; gives their ids. */
async function offer(count = 1, changes: object = {}): Promise<string[]> {
  const drafts = Array.from({ length: count }, () =>
    draft(`home-${++homes}`, { listPrice: 400_000, ...changes }),
  );
  return [...(await write(...drafts)).values()];
}

/** Whatever is due is told. */
async function settle(): Promise<void> {
  const isQuiet = async () => {
    await until('all changes are matched', () => isMatched(database));
    await runDigests({ database, clock });
    const [row] = await database.read(
      (sql) => sql<{ due: number }[]>`
        select count(*)::int as due from watch_digest where due_at is null or due_at <= ${new Date(clock.now())}`,
    );
    return row?.due === 0;
  };
  await until('nothing is due', isQuiet);
  await until('all changes are matched', () => isMatched(database));
}

/** Moves time to the next hour of this number in UTC. */
async function settleAt(hour: number): Promise<void> {
  const now = clock.now();
  const day = now - (now % DAY) + hour * HOUR;
  clock.advance((day > now ? day : day + DAY) - now);
  await settle();
}

interface Digest extends ReadEvent {
  readonly data: { readonly events: readonly ReadEvent[]; readonly count: number; readonly url: string };
}

const page = async (path: string, key: string): Promise<ReadPage> =>
  (await service.json(path.replace(service.url, ''), key)) as ReadPage;
const told = async (key: string): Promise<readonly ReadEvent[]> =>
  (await page('/v1/events?limit=100', key)).data;
const digestsOf = async (key: string): Promise<readonly Digest[]> =>
  (await told(key)).filter(({ type }) => type === 'watcher.digest') as unknown as Digest[];
const listings = (events: readonly ReadEvent[]): string[] =>
  events.map(({ data }) => (data.object as { id: string }).id);

/** All events of a digest, page by page. */
async function eventsOf({ data }: Digest, key: string, limit = 100): Promise<ReadEvent[]> {
  const events: ReadEvent[] = [];
  for (let after = ''; ; ) {
    const { data: next, page: links } = await page(`${data.url}&limit=${limit}${after}`, key);
    events.push(...next);
    if (!links.hasMore) return events;
    after = `&after=${links.nextCursor}`;
  }
}

test('what happens to a watcher with a daily digest is told in one event at 08:00, and nowhere before', async () => {
  const { key } = await subscribe('pro');
  const { id, cadence, timeZone } = await watch(key, { cadence: 'daily' });
  assert.deepEqual([cadence, timeZone], ['daily', 'UTC']);
  const offered = [...(await offer(2)), ...(await offer())];
  await settle();
  assert.deepEqual(await told(key), []);
  assert.deepEqual((await page(`/v1/watchers/${id}/events`, key)).data, []);
  clock.advance(DAY - (clock.now() % DAY) + 8 * HOUR - 10_000);
  const feed = await openFeed(service.url, key);
  clock.advance(10_000);
  await settle();
  const [digest, ...others] = await digestsOf(key);
  assert.ok(digest);
  assert.deepEqual(others, []);
  assert.equal(digest.timestamp, new Date(clock.now()).toISOString());
  assert.deepEqual([digest.data.count, listings(digest.data.events)], [3, offered]);
  for (const event of digest.data.events)
    assert.deepEqual([event.type, event.watcherId, event.owner], ['search.match_added', id, digest.owner]);
  // The same everywhere.
  assert.deepEqual(await told(key), [digest]);
  assert.deepEqual((await page(`/v1/watchers/${id}/events`, key)).data, [digest]);
  await feed.received(1);
  assert.deepEqual(
    feed.events.map(({ value }) => value),
    [digest],
  );
  feed.leave();
  assert.deepEqual(await eventsOf(digest, key), digest.data.events);
  assert.deepEqual(await eventsOf(digest, key, 1), digest.data.events, 'page by page');
  // A day without anything has no digest.
  await settleAt(8);
  assert.equal((await digestsOf(key)).length, 1);
  await offer();
  await settleAt(8);
  const [, second] = await digestsOf(key);
  assert.equal(second?.data.count, 1, 'only what is new');
});

/** Moves time to the next Monday at noon in UTC, and gives it. */
async function nextMonday(): Promise<number> {
  do await settleAt(12);
  while (new Date(clock.now()).getUTCDay() !== 1);
  return clock.now();
}

test('digests come on the hour, at 08:00, or on Monday at 08:00, in the time zone of the watcher', async () => {
  const monday = await nextMonday();
  const { key } = await subscribe('business');
  const due = [
    { cadence: 'hourly', timeZone: 'Asia/Kathmandu', at: monday + HOUR / 4 },
    { cadence: 'daily', timeZone: 'America/New_York', at: monday + 24 * HOUR },
    { cadence: 'weekly', timeZone: 'Europe/Berlin', at: monday + 6 * 24 * HOUR + 18 * HOUR },
  ];
  const ids: string[] = [];
  for (const { cadence, timeZone } of due) {
    const watcher = await watch(key, { cadence, timeZone: timeZone.toLowerCase() });
    assert.deepEqual([watcher.cadence, watcher.timeZone], [cadence, timeZone]);
    ids.push(watcher.id);
  }
  await offer();
  for (const [number, { at }] of due.entries()) {
    clock.advance(at - 1 - clock.now());
    await settle();
    assert.equal((await digestsOf(key)).length, number);
    clock.advance(1);
    await settle();
    assert.deepEqual(
      (await digestsOf(key)).map(({ watcherId }) => watcherId),
      ids.slice(0, number + 1),
    );
  }
});

test('without one of its own, a watcher has the time zone of its area or listing, else UTC', async () => {
  const { key } = await subscribe('pro');
  await database.write(
    (sql) => sql`
      insert into area (id, external_id, type, name, slug, time_zone, source, digest, created_at, updated_at)
      values ('area_state', 'state', 'state', 'State', 'state', 'America/Denver', 'test', '', now(), now()),
        ('area_city', 'city', 'city', 'City', 'city', null, 'test', '', now(), now())`,
  );
  await database.write((sql) => sql`update area set parent_id = 'area_state' where id = 'area_city'`);
  const [listingId = ''] = await offer();
  await database.write((sql) => sql`update listing set time_zone = 'Asia/Kathmandu' where id = ${listingId}`);
  const zoneOf = async (target: object) => (await watch(key, { target })).timeZone;
  assert.equal(await zoneOf({ ...search, query: { areas: ['area_city'] } }), 'America/Denver');
  assert.equal(await zoneOf({ type: 'listing', listingId }), 'Asia/Kathmandu');
  assert.equal(await zoneOf(search), 'UTC');
});

test('a digest shows 100 events, and its URL has all of them in pages', async () => {
  const { key } = await subscribe('business');
  await watch(key, { cadence: 'daily' });
  const offered = await offer(130);
  await settleAt(8);
  const [digest] = await digestsOf(key);
  assert.ok(digest);
  assert.deepEqual([digest.data.count, digest.data.events.length], [130, 100]);
  const events = await eventsOf(digest, key, 60);
  assert.deepEqual(listings(events).toSorted(), offered.toSorted());
  assert.deepEqual(events.slice(0, 100), digest.data.events);
});

test('a listing that is withdrawn leaves its id alone in a digest that was told before', async () => {
  const { key } = await subscribe('pro');
  await watch(key, { cadence: 'hourly' });
  const [id] = await offer();
  await settleAt(14);
  const objects = async () => {
    const [digest] = await digestsOf(key);
    assert.ok(digest);
    return [...digest.data.events, ...(await eventsOf(digest, key))].map(({ data }) => data.object);
  };
  assert.deepEqual(
    (await objects()).map((object) => (object as { price: number }).price),
    [400_000, 400_000],
  );
  await write(
    draft(`home-${homes}`, {
      listPrice: 400_000,
      display: { listing: false, address: true, estimate: true },
    }),
  );
  await settle();
  assert.deepEqual(await objects(), [{ id }, { id }]);
});

test('events that wait for a digest count against the hourly limit of the plan', async () => {
  const { key } = await subscribe('free');
  await watch(key);
  await offer(TIERS.free.events ?? 0);
  await offer(5);
  await settle();
  const [throttled, ...others] = await told(key);
  assert.deepEqual([throttled?.type, others.length, throttled?.data.dropped], ['watcher.throttled', 0, 5]);
  await settleAt(8);
  assert.equal((await digestsOf(key))[0]?.data.count, TIERS.free.events);
});

test('a plan without instant events has its fastest digest, and refuses faster ones; null is the fastest again', async () => {
  const { key } = await subscribe('free');
  for (const cadence of ['instant', 'hourly']) {
    const refused = await send('POST', '', key, { target: search, cadence });
    assert.deepEqual([refused.status, refused.code], [403, 'TIER_RESTRICTED']);
    assert.match(refused.detail, /fastest is daily/);
  }
  const { id, cadence } = await watch(key);
  assert.equal(cadence, 'daily');
  for (const faster of ['instant', 'hourly'])
    assert.equal((await send('PATCH', `/${id}`, key, { cadence: faster })).code, 'TIER_RESTRICTED');
  assert.equal((await send('PATCH', `/${id}`, key, { cadence: 'weekly' })).watcher.cadence, 'weekly');
  assert.equal((await send('PATCH', `/${id}`, key, { cadence: null })).watcher.cadence, 'daily');
  assert.equal(
    (await send('PATCH', `/${id}`, key, { timeZone: 'Europe/Berlin' })).watcher.timeZone,
    'Europe/Berlin',
  );
});

test('whoever has digests no longer is told what waits at once, in a last digest', async () => {
  const { key } = await subscribe('pro');
  const { id } = await watch(key, { cadence: 'weekly' });
  const offered = await offer(2);
  await settle();
  await send('PATCH', `/${id}`, key, { cadence: 'instant' });
  const later = await offer();
  await settle();
  const events = await told(key);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['watcher.digest', 'search.match_added'],
  );
  assert.deepEqual(listings((events[0] as unknown as Digest).data.events), offered);
  assert.deepEqual(listings(events.slice(1)), later);
  await settleAt(8);
  // Nothing waits any more: no other change of the watcher ends in a digest.
  await send('PATCH', `/${id}`, key, { name: 'At once' });
  await send('DELETE', `/${id}`, key);
  await settle();
  assert.equal((await told(key)).length, 2);
});

test('another cadence or time zone moves what waits to its own time', async () => {
  const monday = await nextMonday();
  const { key } = await subscribe('pro');
  const { id } = await watch(key, { cadence: 'weekly' });
  await offer();
  await settle();
  clock.advance(25 * HOUR);
  await send('PATCH', `/${id}`, key, { cadence: 'daily' });
  await settle();
  assert.deepEqual(await digestsOf(key), [], 'not at once');
  await send('PATCH', `/${id}`, key, { timeZone: 'America/New_York' });
  clock.advance(monday + 48 * HOUR - 1 - clock.now());
  await settle();
  assert.deepEqual(await digestsOf(key), []);
  clock.advance(1);
  await settle();
  assert.equal((await digestsOf(key)).length, 1);
});

test('what waits outlives a pause, an end and a deletion; what happens meanwhile is not told', async () => {
  const { key } = await subscribe('pro');
  const [paused, expiring, deleted] = [
    await watch(key, { cadence: 'daily' }),
    await watch(key, { cadence: 'daily', expiresAt: new Date(clock.now() + HOUR).toISOString() }),
    await watch(key, { cadence: 'daily' }),
  ];
  const offered = await offer(2);
  await settle();
  await send('POST', `/${paused.id}/pause`, key);
  await send('DELETE', `/${deleted.id}`, key);
  await settle();
  const [last, ...none] = await digestsOf(key);
  assert.ok(last);
  assert.deepEqual([last.watcherId, listings(last.data.events), none.length], [deleted.id, offered, 0]);
  assert.deepEqual(await eventsOf(last, key, 1), last.data.events, 'its URL works without the watcher');
  clock.advance(2 * HOUR);
  await until('the watcher has expired', async () => {
    clock.advance(10_000);
    return (await send('GET', `/${expiring.id}`, key)).watcher.status === 'expired';
  });
  await offer();
  await settleAt(8);
  const others = (await digestsOf(key)).slice(1);
  assert.deepEqual(others.map(({ watcherId }) => watcherId).toSorted(), [paused.id, expiring.id].toSorted());
  for (const { data } of others) assert.deepEqual(listings(data.events), offered);
});

test('a lower plan has its own digests, a higher one ends them', async () => {
  const { key, id: subscription } = await subscribe('pro');
  const { id } = await watch(key);
  const change = async (plan: 'free' | 'pro', cadence: string) => {
    await changePlan(subscription, plan);
    await until(`it is ${cadence}`, async () => {
      clock.advance(10_000);
      return (await send('GET', `/${id}`, key)).watcher.cadence === cadence;
    });
  };
  await change('free', 'daily');
  const waiting = await offer();
  await settle();
  assert.deepEqual(await told(key), []);
  await change('pro', 'instant');
  const later = await offer();
  await settle();
  const [digest, event] = await told(key);
  assert.deepEqual(listings((digest as unknown as Digest).data.events), waiting);
  assert.deepEqual(listings(event === undefined ? [] : [event]), later);
});

test('what waits for an hourly digest comes with the daily one of a lower plan', async () => {
  await settleAt(12);
  const { key, id: subscription } = await subscribe('pro');
  const { id } = await watch(key, { cadence: 'hourly' });
  await offer();
  await settle();
  await changePlan(subscription, 'free');
  await until('it is daily', async () => {
    clock.advance(1_000);
    return (await send('GET', `/${id}`, key)).watcher.cadence === 'daily';
  });
  await settleAt(7);
  assert.deepEqual(await digestsOf(key), []);
  await settleAt(8);
  assert.equal((await digestsOf(key)).length, 1);
});

test('what waits when a watcher is moved is told to the new owner alone, as theirs', async () => {
  const [ann, bob] = [await subscribe('pro', 'ann'), await subscribe('pro', 'bob')];
  const { id } = await watch(ann.key, { cadence: 'daily' });
  const offered = await offer(2);
  await settle();
  await moveAllWatchers({ database, clock }, 'cus:ann', {
    owner: 'cus:bob',
    subscription: bob.id,
    plan: 'pro',
  });
  await settleAt(8);
  assert.deepEqual(await told(ann.key), []);
  const [digest] = await digestsOf(bob.key);
  assert.ok(digest);
  assert.deepEqual([digest.watcherId, listings(digest.data.events)], [id, offered]);
  const events = await eventsOf(digest, bob.key);
  assert.deepEqual(events, digest.data.events);
  assertEvery(events, ({ owner }) => owner === digest.owner);
  const path = digest.data.url.replace(service.url, '');
  assert.equal((await service.get(path, ann.key)).status, 404);
});

test('a digest is read by the cursor of its own event only', async () => {
  const [ann, bob] = [await subscribe('pro'), await subscribe('pro')];
  const { id } = await watch(ann.key, { cadence: 'daily' });
  const other = await watch(ann.key);
  const foreign = await watch(bob.key);
  await offer();
  await settleAt(8);
  const [digest] = await digestsOf(ann.key);
  assert.ok(digest);
  const [event] = digest.data.events;
  const answer = async (watcher: string, cursor: string | undefined, key = ann.key) => {
    const response = await service.get(`/v1/watchers/${watcher}/events?digest=${cursor}`, key);
    return [response.status, ((await response.json()) as { code?: string }).code];
  };
  assert.deepEqual(await answer(id, digest.cursor), [200, undefined]);
  assert.deepEqual(await answer(id, event?.cursor), [400, 'INVALID_CURSOR']);
  assert.deepEqual(await answer(id, 'x'), [400, 'INVALID_CURSOR']);
  assert.deepEqual(await answer(id, 'now'), [400, 'INVALID_CURSOR']);
  assert.deepEqual(await answer(other.id, digest.cursor), [400, 'INVALID_CURSOR']);
  assert.deepEqual(await answer(foreign.id, digest.cursor), [404, 'WATCHER_NOT_FOUND']);
  assert.deepEqual(await answer(id, digest.cursor, bob.key), [404, 'WATCHER_NOT_FOUND']);
  const only = await page(`${digest.data.url}&type=search.match_removed`, ann.key);
  assert.deepEqual(only.data, []);
  // After the digest's own cursor there is nothing of it, and the log goes on.
  assert.deepEqual((await page(`${digest.data.url}&after=${only.page.nextCursor}`, ann.key)).data, []);
  assert.equal(only.page.nextCursor, digest.cursor);
});

test('a digest that cannot be handed to the log is in the metrics as overdue, and comes later', async () => {
  const { key } = await subscribe('pro');
  const { id } = await watch(key, { cadence: 'hourly' });
  await offer();
  await settle();
  const lag = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(/^freehold_digest_lag_seconds (\S+)$/m.exec(text)?.[1]);
  };
  assert.equal(await lag(), 0);
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = database.transaction(
    async (tx) => {
      await tx`select from watcher where id = ${id} for update`;
      locked.resolve();
      await held.promise;
    },
    { timeout: 30_000 },
  );
  await locked.promise;
  await until('it is overdue', async () => {
    clock.advance(10 * 60_000);
    return (await lag()) > 60;
  });
  assert.deepEqual(await digestsOf(key), []);
  held.resolve();
  await holding;
  await settle();
  assert.equal((await digestsOf(key)).length, 1);
  await until('nothing is overdue', async () => {
    clock.advance(5_000);
    return (await lag()) === 0;
  });
});
