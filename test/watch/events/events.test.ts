// Proof of the event log: one order, pages that skip nothing, and readers that see their own events alone.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DAY, HOUR } from '../../../src/lib/clock.ts';
import { dropOldEvents } from '../../../src/watch/events/retention-store.ts';
import { until } from '../../support/check/until.ts';
import { changeEvents, contentsOf } from '../../support/watch/event-log.ts';
import { type ReadPage, startEventService } from '../../support/watch/event-service.ts';

const service = await startEventService({ after });
const { log, clock } = service;

/** Events as a reader tells them apart. */
const names = (events: readonly { readonly sequence: number; watcherId: string; type: string }[]) =>
  events.map(({ sequence, watcherId, type }) => `${sequence} ${watcherId} ${type}`);

test('pages hold every event of an owner once and in order, whatever their size', async () => {
  const { key, owner } = await service.createOwner('business');
  const watchers = await log.createWatchers(owner, 3);
  const written = [];
  for (let change = 0; change < 7; change++)
    written.push(...(await log.writeChange(watchers, ['search.match_added', 'listing.updated'])));
  const read: string[] = [];
  let page: ReadPage['page'] | null = null;
  while (page === null || page.hasMore) {
    const next: ReadPage = await service.events(key, `limit=5${page ? `&after=${page.nextCursor}` : ''}`);
    read.push(...names(next.data));
    page = next.page;
    assert.ok(read.length <= 42);
  }
  assert.deepEqual(read, names(written));
  const rest = await service.events(key, `after=${page.nextCursor}`);
  assert.deepEqual(rest.data, []);
});

test('an event has the documented form, and the same id and cursor at every reading', async () => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 1);
  await log.writeChange(watchers);
  const { data } = await service.events(key);
  const again: ReadPage = await service.json(`/v1/watchers/${watchers[0]?.id}/events`, key);
  assert.deepEqual(again.data, data);
  const [event] = data;
  assert.ok(event);
  const { id, cursor, owner: publicOwner, sequence, ...rest } = event;
  assert.match(id, /^evt_[\w-]{24}$/);
  assert.match(publicOwner, /^own_/);
  assert.ok(!publicOwner.includes(owner));
  assert.ok(cursor.length > 0 && Number.isSafeInteger(sequence));
  assert.deepEqual(rest, {
    object: 'event',
    type: 'listing.price_decreased',
    apiVersion: 'v1',
    watcherId: watchers[0]?.id,
    timestamp: new Date(clock.now()).toISOString(),
    data: {
      object: { id: `lst_${sequence}`, object: 'listing', price: 4200, status: 'ACTIVE' },
      previous: { price: 4500 },
      changedFields: ['price'],
      matchedOn: ['maxPrice', 'minBedrooms'],
      url: `${service.url}/v1/property/lst_${sequence}`,
    },
  });
});

test('after takes the cursor of any event, and now means new events only', async () => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 1);
  for (let change = 0; change < 3; change++) await log.writeChange(watchers);
  const { data } = await service.events(key);
  const rest = await service.events(key, `after=${data[0]?.cursor}`);
  assert.deepEqual(rest.data, data.slice(1));
  const now = await service.events(key, 'after=now');
  assert.deepEqual(now.data, []);
  const written = await log.writeChange(watchers);
  const later = await service.events(key, `after=${now.page.nextCursor}`);
  assert.deepEqual(names(later.data), names(written));
});

test('only events of the wanted types are listed', async () => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 2);
  await log.writeChange(watchers, ['listing.updated', 'listing.pending', 'listing.closed']);
  const { data } = await service.events(key, 'type=listing.closed,listing.pending');
  assert.deepEqual(new Set(data.map(({ type }) => type)), new Set(['listing.closed', 'listing.pending']));
  assert.equal(data.length, 4);
  const misspelt = await service.get('/v1/events?type=listing.close', key);
  const problem = (await misspelt.json()) as { errors: { suggestion: string }[] };
  assert.equal(misspelt.status, 400);
  assert.equal(problem.errors[0]?.suggestion, 'listing.closed');
});

test('nobody reads the events of others, and their watchers do not exist', async () => {
  const [ann, bob] = [await service.createOwner('pro'), await service.createOwner('pro')];
  const watchers = await log.createWatchers(ann.owner, 1);
  await log.writeChange(watchers);
  assert.deepEqual((await service.events(bob.key)).data, []);
  for (const id of [watchers[0]?.id, 'wat_unknown', '%00']) {
    const answer = await service.get(`/v1/watchers/${id}/events`, bob.key);
    assert.equal(answer.status, 404);
    assert.equal(((await answer.json()) as { code: string }).code, 'WATCHER_NOT_FOUND');
  }
  assert.equal((await service.get('/v1/events')).status, 401);
});

test('no event is shown before the position of the matching has come so far', async () => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 1);
  const events = changeEvents(log.next(), { watchers, types: ['listing.updated'], at: clock.now() });
  await log.write({ events, contents: contentsOf(events) });
  const before = await service.events(key);
  assert.deepEqual(before.data, []);
  await log.complete(events[0]?.sequence ?? 0);
  const { data } = await service.events(key, `after=${before.page.nextCursor}`);
  assert.deepEqual(names(data), names(events));
});

test('a withdrawn listing leaves its id alone, in events that were stored before too', async () => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 1);
  const [told] = await log.writeChange(watchers);
  assert.ok(told?.listingId);
  const sequence = log.next();
  const at = clock.now();
  const withdrawn = changeEvents(sequence, { watchers, types: ['search.match_removed'], at });
  const events = withdrawn.map((event) => ({ ...event, listingId: told.listingId }));
  await log.write({
    events,
    contents: [
      { sequence, listingId: told.listingId, at, object: null, previous: null, changedFields: ['display'] },
    ],
    withdrawals: [{ sequence, listingId: told.listingId }],
  });
  await log.complete(sequence);
  const { data } = await service.events(key);
  assert.equal(data.length, 2);
  for (const event of data) {
    assert.deepEqual(event.data.object, { id: told.listingId });
    assert.equal(event.data.previous, null);
  }
  const stored = await service.database.read(
    (sql) => sql`select from watch_event_content where listing_id = ${told.listingId} and object is not null`,
  );
  assert.equal(stored.length, 0);
});

test('an event stays below 20 kB, whatever its listing holds', async () => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 1);
  const openHouses = Array.from({ length: 500 }, (_, i) => ({
    id: `oh_${i}`,
    startsAt: '2026-01-05T12:00:00Z',
  }));
  const large = { price: 1, openHouses };
  const huge = { price: 1, address: { full: 'ß'.repeat(15_000) } };
  for (const object of [large, huge]) {
    const events = changeEvents(log.next(), { watchers, types: ['listing.updated'], at: clock.now() });
    await log.write({
      events,
      contents: contentsOf(events).map((content) => ({ ...content, object, previous: object })),
    });
    await log.complete(events[0]?.sequence ?? 0);
  }
  const { data } = await service.events(key);
  assert.deepEqual(
    data.map((event) => (event.data.object as { price?: number }).price),
    [1, undefined],
  );
  for (const event of data) assert.ok(Buffer.byteLength(JSON.stringify(event)) < 20_000);
});

test('a reader is told that its owner was throttled, and how many events that cost', async () => {
  const { key, owner } = await service.createOwner('free');
  const watchers = await log.createWatchers(owner, 1);
  const [hour, at] = [clock.now() - (clock.now() % HOUR), clock.now()];
  for (let change = 0; change < 4; change++) {
    const made = changeEvents(log.next(), { watchers, types: ['listing.updated'], at });
    const events = made.map((event) => ({ ...event, eventsPerHour: 2 }));
    await log.write({ events, contents: contentsOf(events) });
    await log.complete(events[0]?.sequence ?? 0);
  }
  const { data } = await service.events(key);
  assert.deepEqual(
    data.map(({ type }) => type),
    ['listing.updated', 'listing.updated', 'watcher.throttled'],
  );
  const [from, until] = [new Date(hour).toISOString(), new Date(hour + HOUR).toISOString()];
  assert.deepEqual(data.at(-1)?.data, { limit: 2, from, until, dropped: 2 });
});

test('a cursor that this service did not make is refused', async () => {
  const { key } = await service.createOwner('pro');
  for (const cursor of ['nonsense', 'MQ==', 'LTE', Buffer.from('1 wat_a x 1 2').toString('base64url')]) {
    const answer = await service.get(`/v1/events?after=${cursor}`, key);
    assert.equal(answer.status, 400);
    assert.equal(((await answer.json()) as { code: string }).code, 'INVALID_CURSOR');
  }
});

test('events are kept for 30 days; an older cursor is refused with what to do', async () => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 1);
  await log.writeChange(watchers);
  const { data } = await service.events(key);
  clock.advance(20 * DAY);
  const kept = await log.writeChange(watchers);
  clock.advance(11 * DAY);
  // Where the service drops them at the same time, the later one gives way.
  await until('the first event is gone', async () => {
    await dropOldEvents(service.database, clock.now());
    return (await service.events(key)).data.length < 2;
  });
  assert.deepEqual(names((await service.events(key)).data), names(kept));
  const answer = await service.get(`/v1/events?after=${data[0]?.cursor}`, key);
  const problem = (await answer.json()) as { code: string; detail: string };
  assert.equal(answer.status, 410);
  assert.equal(problem.code, 'CURSOR_EXPIRED');
  assert.match(problem.detail, /after=now/);
});
