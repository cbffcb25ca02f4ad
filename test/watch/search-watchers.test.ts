// Proves over HTTP what a watcher of a search understands and refuses, and that its matches are those of the search.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';
import { sendWatcher, subscriber, type WatcherRequest } from '../support/watch/watchers.ts';

const service = await startService({ after }, { clock: manualClock(Date.UTC(2026, 5, 1, 12)) });
const { subscribe } = subscriber(service);
const { keys } = service;
const write = writer(service);
const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
const hidden = { display: { listing: false, address: true, estimate: true } };
const ids = await write(
  ...[1, 2, 3, 4, 5].map((number) =>
    draft(`home-${number}`, { listPrice: number * 100_000, bedrooms: number, listedAt: day(number) }),
  ),
  draft('sold', { listPrice: 100_000, status: 'CLOSED', listedAt: day(6) }),
  draft('secret', { listPrice: 100_000, bedrooms: 1, listedAt: day(7), ...hidden }),
);
const idsOf = (...names: string[]): string[] => names.map((name) => ids.get(name) ?? name);

const send = (method: string, path: string, request?: WatcherRequest) =>
  sendWatcher(service, method, path, request);
const search = (query: object, listingType = 'sale') => ({ target: { type: 'search', listingType, query } });
const create = (key: string, query: object, more: object = {}) =>
  send('POST', '', { key, body: { ...search(query), ...more } });

interface Matches {
  readonly data: readonly { readonly id: string; readonly livingArea?: number; readonly areaUnit?: string }[];
  readonly page: { readonly nextCursor: string | null; readonly prevCursor: string | null };
  readonly total: { readonly value: number; readonly relation: string };
}
const matches = async (key: string, id: string, query = ''): Promise<Matches> => {
  const answer = await send('GET', `/${id}/matches${query}`, { key });
  assert.equal(answer.status, 200, answer.text);
  return answer.watcher as unknown as Matches;
};

test('a search is created with what was understood of it, and counts what matches', async () => {
  const { key } = await subscribe('pro');
  const { status, watcher, text } = await create(key, { maxPrice: 300_000, beds: [1, 2] });
  assert.equal(status, 201, text);
  assert.deepEqual(watcher.target, search({ maxPrice: 300_000, beds: [1, 2] }).target);
  assert.deepEqual(watcher.interpretation, {
    areas: [],
    words: [],
    currency: 'USD',
    currencyChoice: null,
    suggestions: null,
    units: 'imperial',
    display: null,
  });
  assert.deepEqual(watcher.events, ['search.match_added', 'search.match_removed']);
  assert.equal(watcher.initialMatchCount, 2);
  assert.deepEqual(
    (await matches(key, watcher.id)).data.map(({ id }) => id),
    idsOf('home-2', 'home-1'),
  );
});

test('a search without a condition watches everything on the market, and may send events of listings', async () => {
  const { key } = await subscribe('pro');
  const { watcher } = await create(key, {}, { events: ['search.match_added', 'listing.price_decreased'] });
  assert.equal(watcher.initialMatchCount, 5);
  assert.deepEqual(watcher.events, ['search.match_added', 'listing.price_decreased']);
});

test('matches are paged like a search: each once, the newest first, with the exact total', async () => {
  const { key } = await subscribe('pro');
  const { id } = (await create(key, {})).watcher;
  const pages = [await matches(key, id, '?limit=2&fields=id')];
  for (let next = pages[0]?.page.nextCursor; next; next = pages.at(-1)?.page.nextCursor)
    pages.push(await matches(key, id, `?limit=2&fields=id&cursor=${next}`));
  assert.deepEqual(
    pages.map(({ data }) => data.map(({ id: each }) => each)),
    [idsOf('home-5', 'home-4'), idsOf('home-3', 'home-2'), idsOf('home-1')],
  );
  assert.deepEqual(pages[0]?.total, { value: 5, relation: 'exact' });
  const other = (await create(key, { minPrice: 1 })).watcher;
  const foreign = await send('GET', `/${other.id}/matches?cursor=${pages[0]?.page.nextCursor}`, { key });
  assert.equal(foreign.code, 'INVALID_CURSOR');
  assert.equal((await send('GET', `/${id}/matches?sort=price`, { key })).code, 'INVALID_PARAMETER');
});

test('matches of a property are its listings, those of a listing itself; what is hidden later is not among them', async () => {
  const { key } = await subscribe('pro');
  const unit = (number: number, facts: object = {}) =>
    draft(`unit-${number}`, { parcelNumber: 'house', listPrice: number, listedAt: day(number), ...facts });
  const house = await write(unit(1), unit(2), unit(3));
  const { id: propertyId }: { id: string } = await service.json(`/v1/property/${house.get('unit-1')}`, key);
  const created = await send('POST', '', { key, body: { target: { type: 'property', propertyId } } });
  const first = await matches(key, created.watcher.id, '?limit=2');
  const second = await matches(key, created.watcher.id, `?limit=2&cursor=${first.page.nextCursor}`);
  assert.equal(new Set([...first.data, ...second.data].map(({ id }) => id)).size, 3);
  const listingId = house.get('unit-1') ?? '';
  const single = await send('POST', '', { key, body: { target: { type: 'listing', listingId } } });
  const shown = (await matches(key, single.watcher.id)).data;
  assert.deepEqual(
    shown.map(({ id }) => id),
    [listingId],
  );
  await write(unit(1, hidden));
  assert.deepEqual((await matches(key, single.watcher.id)).data, []);
  await write(...[1, 2, 3].map((number) => unit(number, { status: 'DELETED' })));
});

test('units are those of the query, in its filters and in its matches', async () => {
  const { key } = await subscribe('pro');
  const { watcher } = await create(key, { units: 'metric' });
  assert.equal(watcher.interpretation?.units, 'metric');
  assert.equal((await matches(key, watcher.id)).data[0]?.areaUnit, 'sqm');
});

test('what the source hides is seen by Internal owners who ask for it, and by nobody else', async () => {
  const { key } = await subscribe('business');
  const refused = await create(key, { display: 'ignore' });
  assert.deepEqual([refused.status, refused.code], [403, 'TIER_RESTRICTED']);
  const plain = await create(keys.internal, { maxBedrooms: 1 });
  assert.equal(plain.watcher.initialMatchCount, 1);
  const all = await create(keys.internal, { maxBedrooms: 1, display: 'ignore' });
  assert.equal(all.watcher.initialMatchCount, 2);
  assert.deepEqual(
    (await matches(keys.internal, all.watcher.id)).data.map(({ id }) => id),
    idsOf('secret', 'home-1'),
  );
});

test('what a watcher cannot mean is refused with the member and the remedy', async () => {
  const { key } = await subscribe('pro');
  const faults: readonly (readonly [query: unknown, pointer: string])[] = [
    [{ sort: ['price'] }, '/target/query/sort'],
    [{ limit: 3 }, '/target/query/limit'],
    [{ cursor: 'x' }, '/target/query/cursor'],
    [{ facets: ['bedrooms'] }, '/target/query/facets'],
    [{ count: 'none' }, '/target/query/count'],
    [{ fields: ['id'] }, '/target/query/fields'],
    [{ minDaysOnMarket: 3 }, '/target/query/minDaysOnMarket'],
    [{ listedSince: 'P7D' }, '/target/query/listedSince'],
    [{ areaId: ['nowhere'] }, '/target/query/areaId'],
    [{ minprise: 3 }, '/target/query/minprise'],
    [{ minBeds: 5, maxBedrooms: 3 }, '/target/query/minBeds'],
    [{ minPrice: 'cheap' }, '/target/query/minPrice'],
    [[], '/target/query'],
    ['beds=2', '/target/query'],
  ];
  for (const [query, pointer] of faults) {
    const refused = await create(key, query as object);
    assert.equal(refused.status, 400, refused.text);
    assert.equal(refused.errors[0]?.pointer, pointer, refused.text);
    assert.ok((refused.errors[0]?.detail ?? '').length > 10);
  }
  assert.equal((await create(key, { minprise: 3 })).errors[0]?.suggestion, 'minPrice');
  const missing = await send('POST', '', { key, body: { target: { type: 'search', query: {} } } });
  assert.match(missing.detail, /listingType/);
  const other = await send('POST', '', { key, body: search({}, 'house') });
  assert.equal(other.errors[0]?.pointer, '/target/listingType');
});
