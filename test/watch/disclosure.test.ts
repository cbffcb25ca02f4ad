// Proof of what watchers, events and changes do not disclose: secrets, listings of others' view, events of other owners.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { createLog } from '../../src/lib/log.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { until } from '../support/check/until.ts';
import { copyTables } from '../support/database/table-copy.ts';
import { Canaries } from '../support/fuzz/canaries.ts';
import { signIn } from '../support/oauth/oauth.ts';
import { startService } from '../support/service/service.ts';
import type { ReadPage } from '../support/watch/event-service.ts';
import { type FeedReader, openFeed } from '../support/watch/feed-reader.ts';
import { untilMatched } from '../support/watch/matching-oracle.ts';
import { sendWatcher, subscriber } from '../support/watch/watchers.ts';

const sink = new PassThrough();
const logged: Buffer[] = [];
sink.on('data', (chunk: Buffer) => logged.push(chunk));
const service = await startService({ after }, { log: createLog({ level: 'trace', stream: sink }) });
const { subscribe } = subscriber(service);
const write = writer(service);

const display = (listing: boolean, address: boolean) => ({ display: { listing, address, estimate: true } });
/** A home whose street and text are found nowhere else. */
const home = (listPrice: number, facts: object) => ({
  listPrice,
  description: 'Blind Tiger Saloon',
  ...facts,
  address: {
    ...NO_ADDRESS,
    streetNumber: '911',
    streetName: 'Quillfeather',
    city: 'Austin',
    state: 'TX',
    postalCode: '78701',
  },
});

const search = (query: object) => ({
  target: { type: 'search', listingType: 'sale', query: { currency: 'USD', ...query } },
  events: [
    'search.match_added',
    'search.match_removed',
    'listing.created',
    'listing.updated',
    'listing.deleted',
  ],
});

async function watch(key: string, body: object): Promise<string> {
  const answer = await sendWatcher(service, 'POST', '', { key, body });
  assert.equal(answer.status, 201, answer.text);
  return answer.watcher.id;
}

/** Of listings that are hidden at the end, and the address of the one that is not. */
const WITHHELD = /Quillfeather|Blind Tiger|101001|101002|30300\d/i;

/** All that a key reads of watchers: pages, lines, matches, and what its feed got. */
async function readAll(key: string, watcher: string, feed: FeedReader): Promise<string> {
  const paths = ['/v1/events?limit=100', `/v1/watchers/${watcher}/events?limit=100`, '/v1/changes?limit=100'];
  const texts = [feed.text()];
  for (const path of [...paths, `/v1/watchers/${watcher}/matches?limit=100`, '/v1/watchers'])
    texts.push(await (await service.get(path, key)).text());
  texts.push(await (await service.get('/v1/changes', key, { accept: 'application/x-ndjson' })).text());
  return texts.join('\n');
}

test('what a source withholds is in no event, change, match or feed, whatever happened to it before', async () => {
  const [boss, reader] = [await subscribe('internal', 'boss'), await subscribe('business', 'reader')];
  await write(
    draft('hidden', home(101_001, display(false, true))),
    draft('masked', home(202_002, { ...display(true, false), description: 'A house' })),
  );
  const backfill = { backfill: true };
  const watchers = [
    await watch(boss.key, { ...search({ display: 'ignore' }), ...backfill }),
    await watch(reader.key, { ...search({}), ...backfill }),
  ] as const;
  const feeds = [await openFeed(service.url, boss.key), await openFeed(service.url, reader.key)] as const;
  await write(
    draft('hidden', home(101_002, display(false, true))),
    draft('masked', home(202_001, { ...display(true, false), description: 'A house' })),
    draft('flips', home(303_001, display(true, true))),
  );
  await untilMatched(service.database);
  assert.match(await readAll(reader.key, watchers[1], feeds[1]), /Quillfeather/, 'shown while it may be');
  const shown = await openFeed(service.url, reader.key, { path: '/v1/events/stream?after=now' });
  for (const [listing, address] of [
    [true, false],
    [false, false],
  ] as const) {
    await write(draft('flips', home(303_002, display(listing, address))));
    // While its address is withheld, the listing itself is shown.
    await until('the feed shows it', () => shown.text().includes('303002'));
  }
  await untilMatched(service.database);
  const last = await write(draft('end', { listPrice: 1 }));
  await untilMatched(service.database);
  const isAtEnd = ({ events }: FeedReader) =>
    events.some(({ data }) => data.includes(last.get('end') ?? 'none'));
  await until('the feeds have come to the end', () => isAtEnd(shown) && feeds.every(isAtEnd));
  const fresh = await openFeed(service.url, reader.key);
  await until('a feed from the beginning has, too', () => isAtEnd(fresh));
  assert.doesNotMatch(await readAll(reader.key, watchers[1], fresh), WITHHELD);
  assert.doesNotMatch(shown.text(), /Quillfeather/i);
  // Events are stored once for all: those of a caller who sees everything show what everybody may see.
  const { data }: ReadPage = await service.json('/v1/events?limit=100', boss.key);
  assert.ok(data.length > 5);
  assert.doesNotMatch(JSON.stringify(data), WITHHELD);
  for (const feed of [...feeds, shown, fresh]) feed.leave();
});

test('a feed carries events of its owner alone, with watchers of others on the same listing', async () => {
  const owners = await Promise.all([0, 1, 2].map(() => subscribe('pro')));
  const ids = await write(draft('shared', { listPrice: 400_000 }));
  const target = { type: 'listing', listingId: ids.get('shared') ?? '' };
  const watchers = await Promise.all(owners.map(({ key }) => watch(key, { target })));
  const feeds = await Promise.all(owners.map(({ key }) => openFeed(service.url, key)));
  await write(draft('shared', { listPrice: 390_000 }));
  await until('all have their events', () => feeds.every(({ events }) => events.length >= 2));
  for (const [at, feed] of feeds.entries()) {
    assert.deepEqual(new Set(feed.events.map(({ value }) => value.watcherId)), new Set([watchers[at]]));
    feed.leave();
  }
  assert.equal(new Set(feeds.map(({ events }) => events[0]?.value.owner)).size, 3);
});

test('R30, R31: no table and no line of the log holds a key or token of those who watch', async () => {
  const canaries = new Canaries();
  const { key } = await subscribe('business', 'careless');
  canaries.watch('the key', key);
  const { accessToken } = await signIn(service, { key });
  canaries.watch('the access token', accessToken);
  const ids = await write(draft('careful', { listPrice: 500_000 }));
  const target = { type: 'listing', listingId: ids.get('careful') ?? '' };
  for (const secret of [key, accessToken]) {
    const id = await watch(secret, { target });
    const feed = await openFeed(service.url, secret);
    const careless = { 'idempotency-key': secret, 'if-match': `"${secret}"`, 'last-event-id': secret };
    for (const [method, path, body] of [
      ['POST', '', { target }],
      ['POST', '', { target, name: secret }],
      ['PATCH', `/${id}`, { metadata: { secret } }],
      ['POST', `/${id}/pause`, undefined],
      ['GET', `/${id}/events?after=${secret}`, undefined],
      ['GET', `/${id}/stream?after=${secret}`, undefined],
      ['GET', `/${secret}`, undefined],
    ] as const) {
      const answer = await sendWatcher(service, method, path, { key: secret, body, headers: careless });
      assert.ok(answer.status >= 400 && answer.status < 500, `${method} ${path}: ${answer.text}`);
      assert.deepEqual(canaries.in(answer.text), []);
    }
    await write(draft('careful', { listPrice: secret === key ? 490_000 : 480_000 }));
    await until('an event arrives', () => feed.events.length > 0);
    feed.leave();
  }
  const copy = await copyTables(service.database);
  assert.ok(
    copy.includes('cus:careless') && copy.includes('listing.price_decreased'),
    'the tables are there',
  );
  assert.deepEqual(canaries.in(copy), []);
  const log = Buffer.concat(logged).toString('latin1');
  assert.ok(log.includes('/v1/watchers'));
  assert.deepEqual(canaries.in(log), []);
});
