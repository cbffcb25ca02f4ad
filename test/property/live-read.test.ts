// Proves the property read: who gets it live, what a failed fetch answers, and when a client already has the answer.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { LiveError } from '../../src/sources/source.ts';
import { problemOf } from '../support/service/http-server.ts';
import { startLive } from '../support/sources/live-service.ts';
import { draftOf } from '../support/sources/memory-source.ts';

const service = await startLive({ after });
const { keys, source } = service;

interface PropertyBody {
  readonly id: string;
  readonly source: string;
  readonly live: { readonly attempted: boolean; readonly ok: boolean; readonly error: string | null } | null;
  readonly currentListing: {
    readonly id: string;
    readonly price: number;
    readonly livingArea: number | null;
    readonly attribution: string;
    readonly fetchedAt: string;
  } | null;
  readonly listings: readonly unknown[] | null;
  readonly history: readonly unknown[] | null;
}

async function property(query = '', key: string = keys.business, listing = 'a') {
  const answer = await service.get(`/v1/property/${service.id(listing)}${query}`, key);
  assert.equal(answer.status, 200, await answer.clone().text());
  return { answer, body: (await answer.json()) as PropertyBody };
}

test('Business and Internal readers get it live, others what is stored', async () => {
  for (const [key, expected] of [
    [keys.business, 'live'],
    [keys.internal, 'live'],
    [keys.pro, 'cached'],
    [keys.free, 'cached'],
  ] as const) {
    const before = source.fetched.length;
    const { answer, body } = await property('', key);
    assert.equal(body.source, expected);
    assert.equal(answer.headers.get('x-data-source'), expected);
    assert.equal(source.fetched.length - before, expected === 'live' ? 1 : 0);
    if (expected === 'live')
      assert.deepEqual(
        { ...body.live, durationMs: 0 },
        { attempted: true, ok: true, error: null, durationMs: 0 },
      );
    else assert.equal(body.live, null);
  }
});

test('freshness=cached spares the wait, and asks nobody', async () => {
  const before = source.fetched.length;
  const { body } = await property('?freshness=cached');
  assert.deepEqual([body.source, body.live, source.fetched.length], ['cached', null, before]);
});

test('a change upstream is in the answer, and in the next cached one', async () => {
  source.put(draftOf('a', { ListPrice: 70, LivingArea: 1_000 }), '2026-01-02T00:00:00.000Z');
  assert.equal((await property()).body.currentListing?.price, 70);
  assert.equal((await property('', keys.free)).body.currentListing?.price, 70);
});

test('when the source fails the answer is 200 with what is stored and why', async () => {
  source.failures.push(new LiveError('fetch_failed', 'no'));
  const { body } = await property();
  assert.deepEqual(
    [body.source, body.live?.attempted, body.live?.ok, body.live?.error],
    ['cached', true, false, 'fetch_failed'],
  );
  assert.equal(body.currentListing?.price, 70);
});

test('the property id and the listing id lead to the same record', async () => {
  const { body } = await property('', keys.free);
  const byProperty = await service.get(`/v1/property/${body.id}`, keys.free);
  assert.deepEqual(await byProperty.json(), body);
});

test('include, fields and units do what they say, and nothing else is accepted', async () => {
  const { body: full } = await property('?include=listings,history', keys.free);
  assert.equal(full.listings?.length, 1);
  assert.ok((full.history?.length ?? 0) >= 1);
  const { body: plain } = await property('', keys.free);
  assert.deepEqual([plain.listings, plain.history], [null, null]);
  const { body: sparse } = await property('?fields=currentListing.price', keys.free);
  const { attribution, fetchedAt } = sparse.currentListing ?? assert.fail();
  assert.ok(attribution && fetchedAt);
  assert.deepEqual(sparse, {
    id: full.id,
    object: 'property',
    currentListing: { price: 70, attribution, fetchedAt },
    attribution,
    fetchedAt,
  });
  const { body: metric } = await property('?units=metric', keys.free);
  assert.equal(metric.currentListing?.livingArea, 92.9);
  for (const query of [
    '?include=unknown',
    '?freshness=live',
    '?maxAge=60',
    '?fields=nothing',
    '?units=stone',
  ]) {
    const answer = await service.get(`/v1/property/${service.id('a')}${query}`, keys.free);
    assert.deepEqual([answer.status, (await problemOf(answer)).code], [400, 'INVALID_PARAMETER'], query);
  }
});

test('a live read is never confirmed by its date', async () => {
  const path = `/v1/property/${service.id('a')}`;
  const { answer } = await property();
  const since = { 'if-modified-since': answer.headers.get('last-modified') ?? '' };
  service.clock.advance(2_000);
  assert.equal((await service.get(path, keys.free, { headers: since })).status, 304);
  const before = source.fetched.length;
  assert.equal((await service.get(path, keys.business, { headers: since })).status, 200);
  assert.equal(source.fetched.length, before + 1);
});

test('a reader who has the version gets 304, live or cached, until it changes', async () => {
  const path = `/v1/property/${service.id('a')}`;
  const { answer } = await property();
  const etag = answer.headers.get('etag') ?? '';
  assert.match(etag, /^W\/"/);
  const again = (key: string) => service.get(path, key, { headers: { 'if-none-match': etag } });
  assert.equal((await again(keys.business)).status, 304);
  assert.equal((await again(keys.free)).status, 304);
  source.put(draftOf('a', { ListPrice: 60 }), '2026-01-03T00:00:00.000Z');
  assert.equal((await again(keys.business)).status, 200);
});

test('age and last-modified tell how old the answer is', async () => {
  service.clock.advance(90_000);
  const { answer } = await property('', keys.free);
  assert.ok(Number(answer.headers.get('age')) >= 90);
  assert.ok(!Number.isNaN(Date.parse(answer.headers.get('last-modified') ?? '')));
  assert.equal((await property()).answer.headers.get('age'), '0');
  assert.equal(answer.headers.get('cache-control'), 'private, no-cache');
  assert.match(answer.headers.get('vary') ?? '', /authorization/i);
});

test('what is not there, or not to be shown, is PROPERTY_NOT_FOUND', async () => {
  const unknown = await service.get('/v1/property/prp_nothing', keys.free);
  assert.deepEqual([unknown.status, (await problemOf(unknown)).code], [404, 'PROPERTY_NOT_FOUND']);
  const anonymous = await service.get(`/v1/property/${service.id('a')}`);
  assert.deepEqual([anonymous.status, (await problemOf(anonymous)).code], [401, 'MISSING_API_KEY']);
  source.put(draftOf('b', { InternetEntireListingDisplayYN: false }), '2026-01-04T00:00:00.000Z');
  const hiding = await service.get(`/v1/property/${service.id('b')}`, keys.business);
  assert.equal(hiding.status, 404);
  const hidden = await service.get(`/v1/property/${service.id('b')}`, keys.free);
  assert.equal(hidden.status, 404);
  const { body } = await property('?display=ignore&freshness=cached', keys.internal, 'b');
  assert.equal(body.currentListing?.id, service.id('b'));
});
