// Proves over HTTP how watchers are created, read, changed, paused and deleted, and what each fault is told.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';
import { sendWatcher, subscriber, type WatcherRequest } from '../support/watch/watchers.ts';

const service = await startService({ after }, { clock: manualClock(Date.UTC(2026, 5, 1, 12)) });
const { subscribe } = subscriber(service);
const ids = await writer(service)(
  draft('one', { listPrice: 100_000, parcelNumber: 'home' }),
  draft('two', { listPrice: 200_000, parcelNumber: 'home' }),
  draft('hidden', { display: { listing: false, address: true, estimate: true } }),
);
const listingId = ids.get('one') ?? '';
const { id: propertyId }: { id: string } = await service.json(`/v1/property/${listingId}`, service.keys.pro);
const target = { type: 'listing', listingId } as const;

const send = (method: string, path: string, request?: WatcherRequest) =>
  sendWatcher(service, method, path, request);
const create = (key: string, body: object = { target }, headers = {}) =>
  send('POST', '', { key, body, headers });

test('a watcher is created with its defaults, and read again at its Location as it was told', async () => {
  const { key } = await subscribe('pro');
  const created = await create(key);
  assert.equal(created.status, 201);
  const { id, createdAt, events, ...rest } = created.watcher;
  assert.match(id, /^wat_[0-9a-f]{24}$/);
  assert.equal(created.headers.get('location'), `/v1/watchers/${id}`);
  assert.equal(createdAt, '2026-06-01T12:00:00.000Z');
  assert.ok(events.includes('listing.price_decreased') && !events.includes('search.match_added'));
  assert.deepEqual(rest, {
    object: 'watcher',
    name: null,
    target,
    interpretation: null,
    backfill: false,
    cadence: 'instant',
    timeZone: 'UTC',
    status: 'active',
    statusReason: null,
    initialMatchCount: 1,
    updatedAt: createdAt,
    expiresAt: null,
    metadata: {},
    version: 1,
    delivery: [],
  });
  const read = await send('GET', `/${id}`, { key });
  assert.deepEqual(read.watcher, created.watcher);
  assert.equal(read.headers.get('etag'), created.headers.get('etag'));
  const etag = read.headers.get('etag') ?? '';
  assert.equal((await send('GET', `/${id}`, { key, headers: { 'if-none-match': etag } })).status, 304);
});

test('a property counts the listings that may be seen', async () => {
  const { key } = await subscribe('pro');
  const created = await create(key, { target: { type: 'property', propertyId } });
  assert.equal(created.status, 201, created.text);
  assert.equal(created.watcher.initialMatchCount, 2);
});

test('everything that an owner can say is kept', async () => {
  const { key } = await subscribe('pro');
  const said = {
    target,
    name: 'The blue house',
    events: ['listing.closed', 'listing.pending'],
    cadence: 'weekly',
    backfill: true,
    expiresAt: '2026-07-01T00:00:00.000Z',
    metadata: { crm: '17', 'a b': '' },
  };
  const { watcher } = await create(key, said);
  for (const [name, value] of Object.entries(said))
    assert.deepEqual(watcher[name as keyof typeof said], value, name);
});

test('a change writes a new version, merges metadata, and leaves what it does not name', async () => {
  const { key } = await subscribe('pro');
  const { watcher, headers } = await create(key, { target, name: 'A', metadata: { a: '1', b: '2' } });
  service.clock.advance(1_000);
  const changed = await send('PATCH', `/${watcher.id}`, {
    key,
    body: { name: null, metadata: { a: null, c: '3' }, events: ['listing.deleted'] },
    headers: { 'if-match': headers.get('etag') ?? '' },
  });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.watcher, {
    ...watcher,
    name: null,
    metadata: { b: '2', c: '3' },
    events: ['listing.deleted'],
    version: 2,
    updatedAt: new Date(Date.parse(watcher.createdAt) + 1_000).toISOString(),
  });
  assert.notEqual(changed.headers.get('etag'), headers.get('etag'));
  const repeated = await send('PATCH', `/${watcher.id}`, { key, body: { name: null } });
  assert.equal(repeated.watcher.version, 2, 'what changes nothing is no version');
});

test('a change of another version than the one in If-Match is refused, and changes nothing', async () => {
  const { key } = await subscribe('pro');
  const { watcher, headers } = await create(key);
  await send('PATCH', `/${watcher.id}`, { key, body: { name: 'B' } });
  const stale = { 'if-match': headers.get('etag') ?? '' };
  for (const [method, path, body] of [
    ['PATCH', '', { name: 'C' }],
    ['DELETE', '', undefined],
    ['POST', '/pause', undefined],
  ] as const) {
    const refused = await send(method, `/${watcher.id}${path}`, { key, body, headers: stale });
    assert.equal(refused.code, 'PRECONDITION_FAILED', method);
    assert.equal(refused.status, 412);
  }
  const { watcher: now } = await send('GET', `/${watcher.id}`, { key });
  assert.deepEqual([now.name, now.status, now.version], ['B', 'active', 2]);
  const any = await send('PATCH', `/${watcher.id}`, {
    key,
    body: { name: 'D' },
    headers: { 'if-match': '*' },
  });
  assert.equal(any.status, 200);
});

test('pausing and resuming can be repeated, and say who paused', async () => {
  const { key } = await subscribe('pro');
  const { id } = (await create(key)).watcher;
  for (const version of [2, 2]) {
    const { status, watcher } = await send('POST', `/${id}/pause`, { key });
    assert.deepEqual(
      [status, watcher.status, watcher.statusReason, watcher.version],
      [200, 'paused', 'owner', version],
    );
  }
  for (const version of [3, 3]) {
    const { status, watcher } = await send('POST', `/${id}/resume`, { key });
    assert.deepEqual(
      [status, watcher.status, watcher.statusReason, watcher.version],
      [200, 'active', null, version],
    );
  }
});

test('a deleted watcher is gone', async () => {
  const { key } = await subscribe('pro');
  const { id } = (await create(key)).watcher;
  const deleted = await send('DELETE', `/${id}`, { key });
  assert.deepEqual([deleted.status, deleted.text], [204, '']);
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/pause'],
  ] as const)
    assert.equal((await send(method, `/${id}${path}`, { key })).code, 'WATCHER_NOT_FOUND');
});

test('a list shows every watcher once, the newest first, forwards and backwards, and by status', async () => {
  const { key } = await subscribe('pro');
  const created: string[] = [];
  for (let number = 0; number < 7; number++) created.unshift((await create(key)).watcher.id);
  await send('POST', `/${created[2]}/pause`, { key });
  type List = { data: { id: string }[]; page: { nextCursor: string | null; prevCursor: string | null } };
  const list = async (query: string): Promise<List> =>
    (await send('GET', `?${query}`, { key })).watcher as unknown as List;
  const pages: List[] = [];
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.page.nextCursor ?? null)
    pages.push(await list(`limit=3${cursor && `&cursor=${cursor}`}`));
  const idsOf = (lists: List[]) => lists.map(({ data }) => data.map(({ id }) => id));
  assert.deepEqual(idsOf(pages), [created.slice(0, 3), created.slice(3, 6), created.slice(6)]);
  assert.equal(pages[0]?.page.prevCursor, null);
  const back = await list(`limit=3&cursor=${pages[2]?.page.prevCursor}`);
  assert.deepEqual(idsOf([back]), [created.slice(3, 6)]);
  const first = await list(`limit=3&cursor=${back.page.prevCursor}`);
  assert.deepEqual(idsOf([first]), [created.slice(0, 3)]);
  assert.equal(first.page.prevCursor, null);
  assert.deepEqual(idsOf([await list('status=paused')]), [[created[2]]]);
  const foreign = await send('GET', `?status=paused&cursor=${pages[0]?.page.nextCursor}`, { key });
  assert.equal(foreign.code, 'INVALID_CURSOR');
});

test('each fault of a body names its member and the remedy, and creates nothing', async () => {
  const { key } = await subscribe('pro');
  const faults: readonly (readonly [body: unknown, pointer: string, words: RegExp])[] = [
    [{}, '/target', /is required/],
    [{ target: 'lst_1' }, '/target', /must be an object/],
    [{ target: { type: 'listings', listingId } }, '/target/type', /listing, property, search/],
    [{ target: { type: 'market', areaId: 'x' } }, '/target/listingType', /is required/],
    [{ target: { type: 'listing' } }, '/target', /listingId/],
    [{ target: { type: 'listing', listingId, extra: 1 } }, '/target/extra', /not a member/],
    [{ target: { type: 'listing', listingId: 'lst_unknown' } }, '/target/listingId', /\/v1\/search/],
    [{ target: { type: 'listing', listingId: ids.get('hidden') } }, '/target/listingId', /\/v1\/search/],
    [{ target: { type: 'property', propertyId: listingId } }, '/target/propertyId', /\/v1\/search/],
    [{ target, events: [] }, '/events', /1/],
    [
      { target, events: ['search.match_added'] },
      '/events/0',
      /names search.match_added.* a listing cannot send.*listing\.closed/,
    ],
    [{ target, events: ['listing.closed', 'listing.close'] }, '/events/1', /listing\.close/],
    [{ target, events: ['watcher.paused'] }, '/events/0', /cannot send/],
    [{ target, timeZone: 'Amerika/Chicago' }, '/timeZone', /America\/Chicago/],
    [{ target, timeZone: '+02:00' }, '/timeZone', /IANA/],
    [{ target, timeZone: null }, '/timeZone', /./],
    [{ target, cadence: 'yearly' }, '/cadence', /./],
    [{ target, expiresAt: '2026-06-01T12:00:00Z' }, '/expiresAt', /in the future/],
    [{ target, expiresAt: 'tomorrow' }, '/expiresAt', /./],
    [{ target, name: '' }, '/name', /./],
    [{ target, name: 'x'.repeat(201) }, '/name', /./],
    [{ target, metadata: { a: 1 } }, '/metadata/a', /string/],
    [{ target, metadata: { a: 'x'.repeat(501) } }, '/metadata/a', /500/],
    [{ target, metadata: { ['k'.repeat(41)]: 'x' } }, `/metadata/${'k'.repeat(41)}`, /./],
    [
      { target, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, ''])) },
      '/metadata',
      /at most 16/,
    ],
    [{ target, backfill: 'yes' }, '/backfill', /boolean/],
    [{ target, filters: {} }, '/filters', /not a member/],
  ];
  for (const [body, pointer, words] of faults) {
    const refused = await create(key, body as object);
    const what = `${JSON.stringify(body).slice(0, 80)}: ${refused.text}`;
    assert.equal(refused.status, 400, what);
    assert.equal(refused.errors[0]?.pointer, pointer, what);
    assert.match(refused.errors[0]?.detail ?? '', words, what);
  }
  const suggested = await create(key, { target, events: ['listing.close'] });
  assert.equal(suggested.errors[0]?.suggestion, 'listing.closed');
  for (const body of ['', '[]', '7', 'null', '{"target":'])
    assert.equal((await send('POST', '', { key, body })).code, 'INVALID_BODY', body);
  const large = { target, metadata: { a: 'x'.repeat(33_000) } };
  const tooLarge = await create(key, large);
  assert.deepEqual([tooLarge.status, tooLarge.code], [413, 'PAYLOAD_TOO_LARGE']);
  assert.match(tooLarge.text, /too large: this endpoint takes at most 32,768 bytes/);
  const { watcher } = await send('GET', '', { key });
  assert.deepEqual((watcher as unknown as { data: unknown[] }).data, []);
});

test('all faults of a body are named in one answer', async () => {
  const { key } = await subscribe('pro');
  const pointersOf = ({ errors }: Awaited<ReturnType<typeof create>>) =>
    errors.map(({ pointer }) => pointer).sort();
  const form = { target, name: 5, cadence: 'yearly', backfill: 'yes', filters: {} };
  assert.deepEqual(pointersOf(await create(key, form)), ['/backfill', '/cadence', '/filters', '/name']);
  const rules = { timeZone: 'Mars/Olympus', events: ['listing.close'], expiresAt: '2020-01-01T00:00:00Z' };
  const pointers = ['/events/0', '/expiresAt', '/timeZone'];
  assert.deepEqual(pointersOf(await create(key, { ...rules, target })), pointers);
  const { watcher } = await create(key);
  const change = await send('PATCH', `/${watcher.id}`, { key, body: rules });
  assert.deepEqual([change.status, change.code, pointersOf(change)], [400, 'INVALID_BODY', pointers]);
});

test('a change cannot reach the target, and is refused where a creation would be', async () => {
  const { key } = await subscribe('pro');
  const { watcher } = await create(key);
  const faults: readonly (readonly [body: object, pointer: string])[] = [
    [{ target }, '/target'],
    [{ backfill: true }, '/backfill'],
    [{ cadence: 'yearly' }, '/cadence'],
    [{ timeZone: 'Mars/Olympus' }, '/timeZone'],
    [{ events: ['search.match_added'] }, '/events/0'],
    [{ status: 'paused' }, '/status'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt'],
  ];
  for (const [body, pointer] of faults) {
    const refused = await send('PATCH', `/${watcher.id}`, { key, body });
    assert.deepEqual([refused.status, refused.errors[0]?.pointer], [400, pointer], refused.text);
  }
  assert.equal((await send('GET', `/${watcher.id}`, { key })).watcher.version, 1);
});

test('the cadence instant is for tiers that have it, and a Free watcher has a daily digest', async () => {
  const { key } = await subscribe('free');
  const refused = await create(key, { target, cadence: 'instant' });
  assert.deepEqual([refused.status, refused.code], [403, 'TIER_RESTRICTED']);
  const { watcher } = await create(key);
  assert.equal(watcher.cadence, 'daily');
  const changed = await send('PATCH', `/${watcher.id}`, { key, body: { cadence: 'instant' } });
  assert.equal(changed.code, 'TIER_RESTRICTED');
});

test('every change of a watcher is an entry of the log of changes, in its order', async () => {
  const { key } = await subscribe('pro');
  const { id } = (await create(key)).watcher;
  await send('POST', `/${id}/pause`, { key });
  await send('POST', `/${id}/pause`, { key });
  await send('POST', `/${id}/resume`, { key });
  await send('PATCH', `/${id}`, { key, body: { events: ['listing.closed'] } });
  await send('DELETE', `/${id}`, { key });
  const entries = await service.database.read(
    (sql) => sql<{ action: string; status: string; events: number }[]>`
      select action, after ->> 'status' as status, json_array_length(after -> 'events') as events
      from change join change_batch on change_batch.id = batch_id
      where watcher_id = ${id} order by first_sequence + ordinal`,
  );
  assert.deepEqual(
    entries.map(({ action, status }) => `${action} ${status}`),
    ['created active', 'paused paused', 'resumed active', 'updated active', 'deleted active'],
  );
  assert.equal(entries.at(-1)?.events, 1);
});

test('usage counts the watchers of the caller', async () => {
  const { key } = await subscribe('pro');
  await create(key);
  const { watchers }: { watchers: object } = await service.json('/v1/usage', key);
  assert.deepEqual(watchers, { limit: 25, used: 1 });
});

test('what takes no body takes a content type without one', async () => {
  const { key } = await subscribe('business');
  const { watcher } = await create(key);
  const act = async (method: string, path: string) => {
    const headers = { 'content-type': 'application/json', 'content-length': '0' };
    const answer = await fetch(`${service.url}/v1/watchers/${watcher.id}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    return answer.status;
  };
  for (const [method, path, status] of [
    ['POST', '/pause', 200],
    ['POST', '/resume', 200],
    ['POST', '/test', 409],
    ['POST', '/rotate-secret', 409],
    ['DELETE', '', 204],
  ] as const)
    assert.equal(await act(method, path), status, `${method} ${path}`);
});
