// Proof that a feed misses nothing while it goes over from the log to the events that all feeds of a process share.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Database, openDatabase } from '../../../src/postgres/client/database.ts';
import { until } from '../../support/check/until.ts';
import { atEnd } from '../../support/database/database.ts';
import { startEventService } from '../../support/watch/event-service.ts';
import { openFeed } from '../../support/watch/feed-reader.ts';

/** Once armed, the next read of events by a feed is held back until `release`, with what it has read. */
const held = { isArmed: false, hasRead: false, release: (): void => {} };
/** Likewise what all feeds share, once it has read the log up to this sequence. */
const shared = { from: Number.POSITIVE_INFINITY, hasRead: false, release: (): void => {} };

function holdReads(database: Database): Database {
  return {
    ...database,
    async read(work, options) {
      // What all feeds share reads whenever it is woken.
      const isShared = new Error().stack?.includes('event-tail.ts') ?? false;
      const result = await database.read(work, options);
      const isPage =
        typeof result === 'object' && result !== null && 'position' in result && 'droppedThrough' in result;
      if (!isPage) return result;
      if (isShared) {
        if (Number(result.position) < shared.from) return result;
        shared.from = Number.POSITIVE_INFINITY;
        await hold(shared);
      } else if (held.isArmed) {
        held.isArmed = false;
        await hold(held);
      }
      return result;
    },
  };
}

function hold(read: { hasRead: boolean; release: () => void }): Promise<void> {
  read.hasRead = true;
  return new Promise((resolve) => {
    read.release = resolve;
  });
}

const service = await startEventService(
  { after },
  {
    async connect(url) {
      const database = openDatabase({ url });
      atEnd({ after }, () => database.close());
      return holdReads(database);
    },
  },
);

test('a feed that has read the log gets what the others were sent before it joined them', async (t) => {
  const { log, url } = service;
  const { key, owner } = await service.createOwner('business');
  const watchers = await log.createWatchers(owner, 1);
  const write = async () => (await log.writeChange(watchers))[0]?.sequence ?? 0;
  const before = await openFeed(url, key);
  const written = [await write()];
  atEnd(t, async () => before.leave());
  await before.received(1);
  // The head of a feed is sent before it reads the log.
  held.isArmed = true;
  const opening = openFeed(url, key);
  await until('the route has read how far the log reaches', () => held.hasRead);
  Object.assign(held, { isArmed: true, hasRead: false });
  held.release();
  const feed = await opening;
  atEnd(t, async () => feed.leave());
  await until('the feed has read the log', () => held.hasRead);
  written.push(await write());
  await before.received(2);
  held.release();
  written.push(await write());
  await until('the feed has the last event', () => feed.events.at(-1)?.value.sequence === written.at(-1));
  assert.deepEqual(
    feed.events.map(({ value }) => value.sequence),
    written,
  );
});

test('a feed gets what was read for the others just before it joined them, though none of them wanted it', async (t) => {
  const { log, url } = service;
  const [other, own] = [await service.createOwner('business'), await service.createOwner('business')];
  const [others, watchers] = [
    await log.createWatchers(other.owner, 1),
    await log.createWatchers(own.owner, 1),
  ];
  const before = await openFeed(url, other.key);
  atEnd(t, async () => before.leave());
  const written = (await log.writeChange(others))[0]?.sequence ?? 0;
  await before.received(1);
  Object.assign(held, { isArmed: true, hasRead: false });
  const opening = openFeed(url, own.key);
  await until('the route has read how far the log reaches', () => held.hasRead);
  Object.assign(held, { isArmed: true, hasRead: false });
  held.release();
  const feed = await opening;
  atEnd(t, async () => feed.leave());
  await until('the feed has read the log', () => held.hasRead);
  shared.from = written + 1;
  const [event] = await log.writeChange(watchers);
  await until('the others have read on', () => shared.hasRead);
  held.release();
  await turn();
  shared.release();
  const [last] = await log.writeChange(watchers);
  await until('the feed has the last event', () => feed.events.at(-1)?.value.sequence === last?.sequence);
  assert.deepEqual(
    feed.events.map(({ value }) => value.sequence),
    [event?.sequence, last?.sequence],
  );
});
