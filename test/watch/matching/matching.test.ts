// Proves over HTTP what watchers are told of changes.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { draft } from '../../support/catalogue/drafts.ts';
import { writer } from '../../support/catalogue/property-market.ts';
import { until } from '../../support/check/until.ts';
import { startService } from '../../support/service/service.ts';
import type { ReadPage } from '../../support/watch/event-service.ts';
import { untilMatched } from '../../support/watch/matching-oracle.ts';
import { sendWatcher, subscriber } from '../../support/watch/watchers.ts';

const service = await startService({ after });
const { database } = service;
const { subscribe } = subscriber(service);
const write = writer(service);
const hidden = { display: { listing: false, address: true, estimate: true } };
const masked = { display: { listing: true, address: false, estimate: true } };

await write(draft('first', { listPrice: 100_000 }));

async function watch(key: string, target: object, more: object = {}): Promise<string> {
  const { status, watcher, text } = await sendWatcher(service, 'POST', '', {
    key,
    body: { target, ...more },
  });
  assert.equal(status, 201, text);
  return watcher.id;
}

const search = (query: object) => ({ type: 'search', listingType: 'sale', query });

interface ToldEvent {
  readonly type: string;
  readonly watcherId: string;
  readonly data: {
    readonly object: { readonly id: string; readonly price?: number };
    readonly previous: object | null;
    readonly changedFields: readonly string[];
    readonly matchedOn: readonly string[];
  };
}

async function events(key: string, watcher: string): Promise<ToldEvent[]> {
  await untilMatched(database);
  const { data } = (await service.json(`/v1/watchers/${watcher}/events?limit=100`, key)) as ReadPage;
  return data as unknown as ToldEvent[];
}
const types = async (key: string, watcher: string): Promise<string[]> =>
  (await events(key, watcher)).map(({ type }) => type);

test('a search is told when a listing begins to match and when it no longer does, and by which parameters', async () => {
  const { key } = await subscribe('pro');
  const id = await watch(key, search({ city: ['Aldern'], maxPrice: 300_000, minBeds: 2 }));
  const home = { address: { ...draft('x').address, city: 'Aldern' }, bedrooms: 2 };
  const ids = await write(draft('home', { ...home, listPrice: 350_000 }));
  await write(draft('home', { ...home, listPrice: 290_000 }));
  await write(draft('home', { ...home, listPrice: 280_000 }));
  await write(draft('home', { ...home, listPrice: 310_000 }));
  await write(draft('new', { ...home, listPrice: 200_000 }));
  const told = await events(key, id);
  assert.deepEqual(
    told.map(({ type, data }) => [type, data.object.id, data.object.price, data.matchedOn]),
    [
      ['search.match_added', ids.get('home'), 290_000, ['maxPrice']],
      ['search.match_removed', ids.get('home'), 310_000, ['maxPrice']],
      ['search.match_added', told[2]?.data.object.id, 200_000, ['city', 'maxPrice', 'minBeds']],
    ],
  );
  assert.deepEqual(told[0]?.data.previous, { price: 350_000, ...told[0]?.data.previous });
});

test('a listing that is withdrawn from view is told by its id alone, and what was told before shows no more', async () => {
  const { key } = await subscribe('pro');
  const id = await watch(key, search({ maxPrice: 500_000 }));
  const [secret = ''] = (await write(draft('secret', { listPrice: 400_000 }))).values();
  await write(draft('secret', { listPrice: 400_000, ...hidden }));
  const told = (await events(key, id)).filter(({ data }) => data.object.id === secret);
  assert.deepEqual(
    told.map(({ type }) => type),
    ['search.match_added', 'search.match_removed'],
  );
  for (const { data } of told) {
    assert.equal(data.object.price, undefined);
    assert.equal(data.previous, null);
  }
});

test('a listing whose address is withdrawn goes on showing the rest, and what was sent before shows no more', async () => {
  const { key } = await subscribe('pro');
  const [listingId = ''] = (await write(draft('street', { listPrice: 400_000 }))).values();
  const id = await watch(key, { type: 'listing', listingId });
  await write(draft('street', { listPrice: 390_000 }));
  await write(draft('street', { listPrice: 380_000, ...masked }));
  assert.deepEqual(
    (await events(key, id)).map(({ data }) => data.object.price),
    [undefined, undefined, 380_000, 380_000],
  );
});

test('a watcher of a listing is told of everything that happens to it', async () => {
  const { key } = await subscribe('pro');
  const own = { listPrice: 500_000, openHouses: [] as never[] };
  const [listingId = ''] = (await write(draft('own', own))).values();
  const id = await watch(key, { type: 'listing', listingId });
  const openHouse = { id: 'o1', startsAt: '2099-01-01T10:00:00Z', endsAt: '2099-01-01T12:00:00Z' };
  const house = {
    ...openHouse,
    type: null,
    status: null,
    remarks: null,
    livestreamUrl: null,
    appointmentRequired: null,
  };
  await write(draft('own', { ...own, listPrice: 490_000 }));
  await write(draft('own', { ...own, listPrice: 495_000, status: 'PENDING' }));
  await write(draft('own', { ...own, listPrice: 495_000 }));
  await write(draft('own', { ...own, listPrice: 495_000, photoCount: 3 }));
  await write(draft('own', { ...own, listPrice: 495_000, photoCount: 3, openHouses: [house] as never }));
  await write(draft('own', { ...own, listPrice: 495_000, photoCount: 3 }));
  await write(draft('own', { ...own, listPrice: 495_000, photoCount: 3, status: 'EXPIRED' }));
  await write(draft('own', { ...own, listPrice: 495_000, photoCount: 3, status: 'EXPIRED', ...masked }));
  await write(draft('own', { ...own, listPrice: 495_000, photoCount: 3, status: 'EXPIRED', ...hidden }));
  await write(draft('own', { ...own, listPrice: 495_000, photoCount: 3 }));
  const told = await events(key, id);
  const bySequence = Map.groupBy(told, (event) => (event as unknown as { sequence: number }).sequence);
  assert.deepEqual(
    [...bySequence.values()].map((all) => all.map(({ type }) => type.replace('listing.', ''))),
    [
      ['price_decreased', 'updated'],
      ['pending', 'price_increased', 'status_changed', 'updated'],
      ['back_on_market', 'status_changed', 'updated'],
      ['photos_changed', 'updated'],
      ['open_house_added', 'updated'],
      ['open_house_canceled', 'updated'],
      ['delisted', 'status_changed', 'updated'],
      ['updated'],
      ['deleted'],
      ['updated'],
    ],
  );
});

test('a watcher with events named is told of those alone', async () => {
  const { key } = await subscribe('pro');
  const id = await watch(key, search({ minPrice: 700_000 }), {
    events: ['listing.price_decreased', 'search.match_removed'],
  });
  await write(draft('rich', { listPrice: 900_000 }));
  await write(draft('rich', { listPrice: 800_000 }));
  await write(draft('rich', { listPrice: 850_000 }));
  await write(draft('rich', { listPrice: 600_000 }));
  assert.deepEqual(await types(key, id), [
    'listing.price_decreased',
    'listing.price_decreased',
    'search.match_removed',
  ]);
});

test('a search for words is told of listings whose text begins or ceases to have them', async () => {
  const { key } = await subscribe('pro');
  const id = await watch(key, search({ q: 'umbrella' }));
  const text = (description: string) => write(draft('words', { listPrice: 100_000, description }));
  await untilMatched(database);
  // Meanwhile no event can be written: all of it is matched when it is past.
  await database.transaction(async (tx) => {
    await tx`select from watch_position for update`;
    await text('A house.');
    await text('A house with an umbrella.');
    await text('A house with a red umbrella.');
    await text('A house again.');
  });
  assert.deepEqual(await types(key, id), ['search.match_added', 'search.match_removed']);
});

test('a paused watcher is told of nothing but its pause; after that it goes on with what happens', async () => {
  const { key } = await subscribe('pro');
  const id = await watch(key, search({ minPrice: 2_000_000 }));
  await write(draft('a', { listPrice: 2_500_000 }));
  assert.equal((await sendWatcher(service, 'POST', `/${id}/pause`, { key })).status, 200);
  await write(draft('b', { listPrice: 2_500_000 }));
  assert.equal((await sendWatcher(service, 'POST', `/${id}/resume`, { key })).status, 200);
  await write(draft('c', { listPrice: 2_500_000 }));
  assert.deepEqual(await types(key, id), ['search.match_added', 'watcher.paused', 'search.match_added']);
});

test('with backfill, what matches at the creation is told too, each once', async () => {
  const { key } = await subscribe('pro');
  const ids = await write(
    ...[1, 2, 3].map((number) => draft(`fill-${number}`, { listPrice: 3_000_000, bedrooms: number })),
  );
  const id = await watch(key, search({ minPrice: 2_900_000 }), { backfill: true });
  await write(draft('fill-1', { listPrice: 1_000 }));
  const told = await events(key, id);
  assert.deepEqual(
    told
      .slice(0, 3)
      .map(({ type, data }) => `${type} ${data.object.id}`)
      .sort(),
    [...ids.values()].map((listing) => `search.match_added ${listing}`).sort(),
  );
  assert.deepEqual(
    told.slice(3).map(({ type, data }) => [type, data.object.id]),
    [['search.match_removed', ids.get('fill-1')]],
  );
});

test('beyond the hourly limit of the plan, events are counted and announced once', async () => {
  const { key } = await subscribe('free');
  const id = await watch(key, search({ maxPrice: 50 }), {});
  for (let first = 0; first < 150; first += 50)
    await write(...Array.from({ length: 50 }, (_, at) => draft(`cheap-${first + at}`, { listPrice: 10 })));
  await untilMatched(database);
  const counted = await database.read(
    (sql) => sql<{ type: string; count: number }[]>`
      select type, count(*)::int from watch_event where watcher_id = ${id} group by type order by type`,
  );
  assert.deepEqual(
    counted.map(({ type, count }) => [type, count]),
    [
      ['search.match_added', 100],
      ['watcher.throttled', 1],
    ],
  );
});

test('metrics that only grow are counters: those of the service by their names, and what matching has done', async () => {
  const { key } = await subscribe('pro');
  await watch(key, search({ minPrice: 9_000_000 }));
  await write(draft('dear', { listPrice: 9_500_000 }));
  const read = async () => (await fetch(`${service.url}/metrics`)).text();
  const kinds = new Map(
    [...(await read()).matchAll(/^# TYPE (freehold_\w+) (\w+)$/gm)].map(([, name = '', kind]) => [
      name,
      kind,
    ]),
  );
  for (const [name, kind] of kinds) assert.equal(kind === 'counter', name.endsWith('_total'), name);
  for (const name of ['changes', 'events', 'match_seconds'])
    assert.equal(kinds.get(`freehold_watch_${name}_total`), 'counter');
  await until('changes and events are counted', async () => {
    const counters = [...(await read()).matchAll(/^freehold_watch_(?:changes|events)_total (\d+)$/gm)];
    return counters.length === 2 && counters.every(([, value]) => Number(value) > 0);
  });
});
