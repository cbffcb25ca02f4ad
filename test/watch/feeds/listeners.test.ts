// Proof of listeners to events: each hears what any process writes in its scope, from when it listens until it leaves.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createMetrics } from '../../../src/lib/metrics.ts';
import { type Database, openDatabase } from '../../../src/postgres/client/database.ts';
import type { EventRow } from '../../../src/watch/events/read-store.ts';
import { FeedHub } from '../../../src/watch/feeds/feed-hub.ts';
import { until } from '../../support/check/until.ts';
import { atEnd, type Closing } from '../../support/database/database.ts';
import { startEventService } from '../../support/watch/event-service.ts';
import { openFeed } from '../../support/watch/feed-reader.ts';

const service = await startEventService({ after });
const { log, clock } = service;

/** A hub of another process on the service's database. */
function startHub(t: Closing, changed: (database: Database) => Database = (database) => database): FeedHub {
  const database = openDatabase({ url: service.databaseUrl, maxConnections: 2 });
  const hub = new FeedHub({
    clock,
    metrics: createMetrics(),
    publicUrl: service.url,
    database: changed(database),
    checks: { add: () => () => {} },
    report: () => {},
    isOpen: () => true,
    sourceOf: () => 'sample',
    refreshLicences: async () => {},
  });
  atEnd(t, async () => {
    await hub.close();
    await database.close(1_000);
  });
  return hub;
}

/** Events as the test compares them. */
const sequencesOf = (rows: readonly EventRow[]) => rows.map(({ sequence }) => sequence);

test('a listener hears the events of its watcher that are written after it came, and those of no other', async (t) => {
  const hub = startHub(t);
  const watchers = await log.createWatchers('cus:a', 2);
  const [first, other] = watchers.map((watcher) => [watcher]);
  await log.writeChange(watchers);
  const heard: EventRow[] = [];
  await hub.listen({ owner: 'cus:a', watcherId: first?.[0]?.id ?? '' }, (row) => heard.push(row));
  const written = [...(await log.writeChange(first ?? []))];
  await log.writeChange(other ?? []);
  written.push(...(await log.writeChange(watchers)).filter(({ watcherId }) => watcherId === first?.[0]?.id));
  await until('both events are heard', () => heard.length >= 2);
  assert.deepEqual(
    sequencesOf(heard),
    written.map(({ sequence }) => sequence),
  );
});

test('nobody hears the events of a watcher that belongs to another owner', async (t) => {
  const hub = startHub(t);
  const [watcher] = await log.createWatchers('cus:b', 1);
  const [own] = await log.createWatchers('cus:c', 1);
  const heard: EventRow[] = [];
  const listen = (watcherId = '') => hub.listen({ owner: 'cus:c', watcherId }, (row) => heard.push(row));
  await listen(watcher?.id);
  await listen(own?.id);
  await log.writeChange(watcher ? [watcher] : []);
  const [last] = await log.writeChange(own ? [own] : []);
  await until('the own event is heard', () => heard.length > 0);
  assert.deepEqual(sequencesOf(heard), [last?.sequence]);
});

test('a listener that left hears nothing more, and the others go on', async (t) => {
  const hub = startHub(t);
  const watchers = await log.createWatchers('cus:d', 1);
  const scope = { owner: 'cus:d', watcherId: watchers[0]?.id ?? '' };
  const [staying, leaving]: [EventRow[], EventRow[]] = [[], []];
  await hub.listen(scope, (row) => staying.push(row));
  const leave = await hub.listen(scope, (row) => leaving.push(row));
  await log.writeChange(watchers);
  await until('both hear it', () => staying.length === 1 && leaving.length === 1);
  leave();
  leave();
  await log.writeChange(watchers);
  await until('the one that stayed hears it', () => staying.length === 2);
  assert.equal(leaving.length, 1);
});

test('a hub reads nothing while nobody listens, and what was written meanwhile is not heard later', async (t) => {
  const hub = startHub(t);
  const watchers = await log.createWatchers('cus:e', 1);
  const scope = { owner: 'cus:e', watcherId: watchers[0]?.id ?? '' };
  const leave = await hub.listen(scope, () => {});
  leave();
  await log.writeChange(watchers);
  const heard: EventRow[] = [];
  await hub.listen(scope, (row) => heard.push(row));
  const [event] = await log.writeChange(watchers);
  await until('the later event is heard', () => heard.length > 0);
  assert.deepEqual(sequencesOf(heard), [event?.sequence]);
});

test('feeds get all their events while listeners come and go', async (t) => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 1);
  const feed = await openFeed(service.url, key);
  atEnd(t, async () => feed.leave());
  const hub = startHub(t);
  const written: number[] = [];
  for (let round = 0; round < 5; round++) {
    const leave = await hub.listen({ owner }, () => {});
    written.push(...(await log.writeChange(watchers)).map(({ sequence }) => sequence));
    leave();
  }
  await feed.received(written.length);
  assert.deepEqual(
    feed.events.map(({ value }) => value.sequence),
    written,
  );
});

test('listening fails while the log cannot be read, and leaves nothing behind', async (t) => {
  let isDown = true;
  const hub = startHub(t, (database) => ({
    ...database,
    read: (work, options) =>
      isDown ? Promise.reject(new Error('The database is down')) : database.read(work, options),
  }));
  const watchers = await log.createWatchers('cus:f', 1);
  const scope = { owner: 'cus:f', watcherId: watchers[0]?.id ?? '' };
  const [refused, heard]: [EventRow[], EventRow[]] = [[], []];
  await assert.rejects(
    hub.listen(scope, (row) => refused.push(row)),
    /down/,
  );
  isDown = false;
  await hub.listen(scope, (row) => heard.push(row));
  await log.writeChange(watchers);
  await until('the event is heard', () => heard.length === 1);
  assert.equal(refused.length, 0);
});
