// Proof of subscriptions: each stream tells of what its caller may follow, whatever process writes it, and ends when it must.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { until } from '../support/check/until.ts';
import { connectMcp, followResources } from '../support/mcp/update-stream.ts';
import { revoke, signIn } from '../support/oauth/oauth.ts';
import { startSecondService } from '../support/service/second-service.ts';
import { type Owner, startEventService } from '../support/watch/event-service.ts';

const service = await startEventService({ after });
const second = await startSecondService({ after }, service);
const { log, url, clock, database } = service;
const write = writer(service);
const HIDDEN = { listing: false, address: true, estimate: true };

/** Ids of listings as they are written. */
async function writeListings(...drafts: readonly ListingDraft[]): Promise<string[]> {
  const ids = await write(...drafts);
  return drafts.map(({ listingKey }) => ids.get(listingKey) ?? assert.fail());
}

const uriOf = ({ id }: { readonly id: string }) => `watcher://${id}`;

async function openFeeds({ key }: Owner): Promise<number> {
  const { feeds }: { feeds: { open: number } } = await service.json('/v1/usage', key);
  return feeds.open;
}

test('a stream is told which resources it follows: unknown, foreign and hidden ones are left out alike', async (t) => {
  const [ann, bob] = [await service.createOwner('pro'), await service.createOwner('pro')];
  const [own = assert.fail()] = await log.createWatchers(ann.owner, 1);
  const [foreign = assert.fail()] = await log.createWatchers(bob.owner, 1);
  const [shown, hidden] = await writeListings(draft('ack-shown'), draft('ack-hidden', { display: HIDDEN }));
  await writeAreaBatch(database, 'test', [
    {
      type: 'city',
      externalId: 'ack',
      name: 'Ackton',
      aliases: [],
      codes: {},
      parentReference: null,
      population: null,
      boundary: null,
    },
  ]);
  const [area] = await database.read(
    (sql) => sql<{ id: string }[]>`select id from area where name = 'Ackton'`,
  );
  const { followed } = await followResources(t, { url, key: ann.key }, [
    uriOf(foreign),
    `listing://${shown}`,
    `listing://${hidden}`,
    'listing://lst_none',
    'watcher://wat_none',

    uriOf(own),
    `property://${shown}`,
    `area://${area?.id}`,
    'freehold://metrics',
    'https://example.com',
    `listing://${shown}`,
  ]);
  assert.deepEqual(followed, [`listing://${shown}`, uriOf(own)]);
});

test('a stream with nothing to follow ends at once and takes no feed', async (t) => {
  const [ann, bob] = [await service.createOwner('free'), await service.createOwner('pro')];
  const [foreign = assert.fail()] = await log.createWatchers(bob.owner, 1);
  for (const uri of [uriOf(foreign), 'watcher://wat_none']) {
    const stream = await followResources(t, { url, key: ann.key }, [uri]);
    assert.deepEqual(stream.followed, []);
    assert.equal(await stream.ended, 'graceful');
  }
  assert.equal(await openFeeds(ann), 0);
});

test('the Free tier follows no listings, since it reads none', async (t) => {
  const { key } = await service.createOwner('free');
  const [shown] = await writeListings(draft('free-shown'));
  const stream = await followResources(t, { url, key }, [`listing://${shown}`]);
  assert.deepEqual(stream.followed, []);
});

test('an event of a watcher is told on every process, whichever wrote it, and to nobody else', async (t) => {
  const [ann, bob] = [await service.createOwner('pro'), await service.createOwner('pro')];
  const [own = assert.fail(), silent = assert.fail()] = await log.createWatchers(ann.owner, 2);
  const [foreign = assert.fail()] = await log.createWatchers(bob.owner, 1);
  const uris = [own, silent, foreign].map(uriOf);
  const streams = await Promise.all(
    [url, second.url].map((each) => followResources(t, { url: each, key: ann.key }, uris)),
  );
  const other = await followResources(t, { url, key: bob.key }, uris);
  await log.writeChange([own]);
  for (const stream of streams) await stream.received(1);
  await log.writeChange([foreign]);
  await other.received(1);
  clock.advance(1_000);
  for (const stream of streams) assert.deepEqual(stream.updates, [uriOf(own)]);
  assert.deepEqual(other.updates, [uriOf(foreign)]);
});

test('a watcher that is given to another owner is told of no more', async (t) => {
  const [ann, bob] = [await service.createOwner('pro'), await service.createOwner('pro')];
  const [moved = assert.fail(), kept = assert.fail()] = await log.createWatchers(ann.owner, 2);
  const stream = await followResources(t, { url, key: ann.key }, [uriOf(moved), uriOf(kept)]);
  await database.write(
    (sql) => sql`update watcher set owner = ${bob.owner}, allowance = ${bob.owner} where id = ${moved.id}`,
  );
  await log.writeChange([{ ...moved, owner: bob.owner }]);
  await log.writeChange([kept]);
  await stream.received(1);
  clock.advance(1_000);
  assert.deepEqual(stream.updates, [uriOf(kept)]);
});

test('a change of a listing is told on every process, and that of another is not', async (t) => {
  const { key } = await service.createOwner('pro');
  const [id] = await writeListings(draft('changed', { listPrice: 500_000 }));
  await writeListings(draft('unchanged'));
  const uri = `listing://${id}`;
  const streams = await Promise.all(
    [url, second.url].map((each) => followResources(t, { url: each, key }, [uri])),
  );
  await write(draft('unchanged', { listPrice: 1 }), draft('changed', { listPrice: 450_000 }));
  for (const { received, updates } of streams) {
    await received(1);
    assert.deepEqual(updates, [uri]);
  }
});

test('a reader that was told reads what has changed, although the caches of its process have not heard of it', async (t) => {
  const deaf = await startSecondService(t, service);
  const { key } = await service.createOwner('pro');
  const [id] = await writeListings(draft('deaf', { listPrice: 500_000 }));
  const uri = `listing://${id}`;
  const { client, received } = await followResources(t, { url: deaf.url, key }, [uri]);
  const readPrice = async () => {
    const { contents } = await client.readResource({ uri });
    const [content] = contents;
    assert.ok(content && 'text' in content);
    return (JSON.parse(content.text) as { price: number }).price;
  };
  assert.equal(await readPrice(), 500_000);
  deaf.silence();
  await write(draft('deaf', { listPrice: 450_000 }));
  await received(1);
  assert.equal(await readPrice(), 450_000);
});

test('that a listing is hidden is told, and what happens to it from then on is not', async (t) => {
  const { key } = await service.createOwner('pro');
  const [id, other] = await writeListings(draft('withdrawn'), draft('stays'));
  const stream = await followResources(t, { url, key }, [`listing://${id}`, `listing://${other}`]);
  await write(draft('withdrawn', { display: HIDDEN }));
  await stream.received(1);
  clock.advance(1_000);
  await write(draft('withdrawn', { display: HIDDEN, listPrice: 2 }));
  await write(draft('stays', { listPrice: 3 }));
  await stream.received(2);
  clock.advance(1_000);
  assert.deepEqual(stream.updates, [`listing://${id}`, `listing://${other}`]);
});

test('a resource on which much happens is told of at most once a second', async (t) => {
  const { key, owner } = await service.createOwner('pro');
  const watchers = await log.createWatchers(owner, 2);
  const [busy = assert.fail(), other = assert.fail()] = watchers;
  const stream = await followResources(t, { url, key }, watchers.map(uriOf));
  await log.writeChange([busy]);
  await stream.received(1);
  for (let change = 0; change < 20; change++) await log.writeChange([busy]);
  await log.writeChange([other]);
  await until('the last of them is told', () => {
    clock.advance(1_000);
    return stream.updates.includes(uriOf(other));
  });
  assert.ok(stream.updates.length <= 22 && stream.updates.length >= 3);
  assert.equal(stream.updates.filter((uri) => uri === uriOf(other)).length, 1);
});

test('a stream takes one of the feeds of its tier, beside those of events, and gives it back when its client leaves', async (t) => {
  const ann = await service.createOwner('free');
  const watchers = await log.createWatchers(ann.owner, 1);
  const uris = watchers.map(uriOf);
  const stream = await followResources(t, { url, key: ann.key }, uris);
  assert.equal(await openFeeds(ann), 1);
  await assert.rejects(followResources(t, { url, key: ann.key }, uris), /429/);
  assert.equal((await service.get('/v1/events/stream', ann.key)).status, 429);
  await stream.leave();
  assert.equal(await stream.ended, 'local');
  await until('the feed is free', async () => (await openFeeds(ann)) === 0);
  const next = await followResources(t, { url, key: ann.key }, uris);
  await next.client.close();
  await until('the feed is free once its connection has broken', async () => (await openFeeds(ann)) === 0);
});

test('a stream ends within five seconds once its key is revoked, and others stay', async (t) => {
  const [ann, bob] = [await service.createOwner('pro'), await service.createOwner('pro')];
  const [watcher = assert.fail()] = await log.createWatchers(ann.owner, 1);
  const others = await log.createWatchers(bob.owner, 1);
  const [shown] = await writeListings(draft('revoked-shown'));
  const streams = [
    await followResources(t, { url, key: ann.key }, [uriOf(watcher)]),
    await followResources(t, { url, key: ann.key }, [`listing://${shown}`]),
  ];
  const staying = await followResources(t, { url, key: bob.key }, others.map(uriOf));
  await createLocalSubscriptions(database, clock).revoke(ann.subscription);
  await until('the key is refused', async () => (await service.get('/v1/usage', ann.key)).status === 401);
  for (let second = 0; second < 5; second++) {
    clock.advance(1_000);
    await service.get('/livez');
  }
  for (const { ended } of streams) assert.equal(await ended, 'graceful');
  await log.writeChange([watcher, ...others]);
  await staying.received(1);
  assert.deepEqual([streams[0]?.updates, staying.updates], [[], others.map(uriOf)]);
});

test('a stream ends once the token that opened it is given back, or the scope of what it follows is not in its grant', async (t) => {
  const { key, owner } = await service.createOwner('pro');
  const [watcher = assert.fail()] = await log.createWatchers(owner, 1);
  const [shown] = await writeListings(draft('token-shown'));
  const uris = [uriOf(watcher), `listing://${shown}`];
  const resources = [`${url}/mcp`];
  const session = await signIn(service, { key, resources });
  const stream = await followResources(t, { url, key: session.accessToken }, uris);
  assert.deepEqual(stream.followed, uris);
  const watching = await signIn(service, { key, resources, scope: 'watchers' });
  const partial = await followResources(t, { url, key: watching.accessToken }, uris);
  assert.deepEqual(partial.followed, [uriOf(watcher)], 'listings need a scope of their own');
  const reading = await signIn(service, { key, resources, scope: 'listings:read' });
  await assert.rejects(
    followResources(t, { url, key: reading.accessToken }, uris),
    /Insufficient scope: required "watchers"/,
  );
  await revoke(service, session.refreshToken, session.clientId);
  for (let second = 0; second < 5; second++) {
    clock.advance(1_000);
    await service.get('/livez');
  }
  assert.equal(await stream.ended, 'graceful');
  await log.writeChange([watcher]);
  await partial.received(1);
  assert.deepEqual(stream.updates, []);
});

test('a stream takes at most 100 resources', async (t) => {
  const { key } = await service.createOwner('pro');
  const client = await connectMcp(t, url, key);
  const uris = Array.from({ length: 101 }, (_, at) => `listing://lst_${at}`);
  await assert.rejects(client.listen({ resourceSubscriptions: uris }), /at most 100 URIs/);
});

test('streams end at once when the service drains', async (t) => {
  const third = await startSecondService(t, service);
  const { key, owner } = await service.createOwner('pro');
  const [watcher = assert.fail()] = await log.createWatchers(owner, 1);
  const [shown] = await writeListings(draft('drain-shown'));
  const streams = [
    await followResources(t, { url: third.url, key }, [uriOf(watcher)]),
    await followResources(t, { url: third.url, key }, [`listing://${shown}`]),
  ];
  await third.stop();
  for (const { ended } of streams) assert.equal(await ended, 'graceful');
});
