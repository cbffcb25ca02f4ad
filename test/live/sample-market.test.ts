// Proof of live data against the sample market over real HTTP: changes, every fault it can make, and what goes and returns.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Property } from '../../src/listings/property-record.ts';
import type { Listing } from '../../src/listings/record.ts';
import STREAM_ERRORS from '../../src/site/stream-errors.json' with { type: 'json' };
import type { LiveFailure } from '../../src/sources/source.ts';
import { until } from '../support/check/until.ts';
import { startService } from '../support/service/service.ts';
import { parseEvents } from '../support/sources/live-service.ts';

const service = await startService({ after }, { source: 'sample' });
const { clock, keys, control } = service;
const { data }: { data: Listing[] } = await service.json('/v1/search/sales?limit=500', keys.internal);
/** Each the only listing of its property, so that the property is composed from it. */
const homes: Listing[] = [];
for (const listing of data.filter(({ price }) => price !== null)) {
  if (homes.length === 5) break;
  const { listings } = await read(listing, keys.pro);
  if (listings?.length === 1) homes.push(listing);
}
const [changing = assert.fail(), failing = assert.fail(), slow = assert.fail(), leaving = assert.fail()] =
  homes;

async function answerOf({ id }: Listing, key: string, headers: Readonly<Record<string, string>> = {}) {
  return service.get(`/v1/property/${id}?include=listings,history`, key, headers);
}

async function read(listing: Listing, key: string): Promise<Property> {
  const answer = await answerOf(listing, key);
  assert.equal(answer.status, 200);
  return (await answer.json()) as Property;
}

async function streamOf({ id }: Listing) {
  const answer = await service.get(`/v1/listing/${id}`, keys.pro);
  return parseEvents(await answer.text()).map((event) => ({
    name: event.event,
    data: JSON.parse(event.data),
  }));
}

const entityRequests = async () => ((await control('GET', '/control/stats')) as { entity: number }).entity;

async function isFound({ id }: Listing, status = 'any'): Promise<boolean> {
  const answer: { data: unknown[] } = await service.json(
    `/v1/search/sales?ids=${id}&status=${status}`,
    keys.internal,
  );
  return answer.data.length === 1;
}

test('a change upstream is in the next Business read, before replication, with its history and another tag', async () => {
  const before = await answerOf(changing, keys.business);
  const etag = before.headers.get('etag') ?? '';
  await before.arrayBuffer();
  const unchanged = await answerOf(changing, keys.business, { 'if-none-match': etag });
  assert.equal(unchanged.status, 304);
  const price = (changing.price ?? 0) + 12_345;
  await control('POST', '/control/change', { key: changing.provider.listingKey, set: { ListPrice: price } });
  const cached = await read(changing, keys.pro);
  assert.deepEqual(
    [cached.source, cached.live, cached.currentListing?.price],
    ['cached', null, changing.price],
  );
  const requests = await entityRequests();
  const answer = await answerOf(changing, keys.business, { 'if-none-match': etag });
  assert.equal(answer.status, 200);
  assert.equal((await entityRequests()) - requests, 1);
  const live = (await answer.json()) as Property;
  assert.deepEqual([live.source, live.live?.ok, live.currentListing?.price], ['live', true, price]);
  assert.equal(live.currentListing?.version, changing.version + 1);
  const [newest] = live.history ?? [];
  assert.deepEqual(
    [newest?.event, newest?.price, newest?.previousPrice],
    ['PRICE_CHANGED', price, changing.price],
  );
  const next = answer.headers.get('etag') ?? '';
  assert.notEqual(next, etag);
  assert.equal((await answerOf(changing, keys.business, { 'if-none-match': next })).status, 304);
  assert.equal((await answerOf(changing, keys.free, { 'if-none-match': next })).status, 304);
  assert.equal((await read(changing, keys.free)).currentListing?.price, price);
});

const FAULTS: readonly (readonly [fault: object, code: LiveFailure])[] = [
  [{ kind: 'reset' }, 'fetch_failed'],
  [{ kind: 'truncated' }, 'fetch_failed'],
  [{ kind: 'redirect' }, 'fetch_failed'],
  [{ kind: 'status', status: 500 }, 'fetch_failed'],
  [{ kind: 'malformed' }, 'parse_failed'],
  [{ kind: 'wrong_id' }, 'parse_failed'],
  [{ kind: 'huge' }, 'parse_failed'],
  [{ kind: 'status', status: 401 }, 'upstream_unauthorized'],
  [{ kind: 'status', status: 403 }, 'upstream_unauthorized'],
  [{ kind: 'status', status: 429, retryAfter: 0 }, 'upstream_rate_limited'],
  [{ kind: 'status', status: 503, retryAfter: 0 }, 'upstream_unavailable'],
];

async function heal(): Promise<void> {
  await control('DELETE', '/control/faults');
  assert.equal((await read(failing, keys.business)).source, 'live');
}

for (const [fault, code] of FAULTS) {
  test(`${Object.values(fault).join(' ')} upstream: 200 with what is stored, and ${code} on both ways`, async () => {
    await control('PUT', '/control/faults', { ...fault, resource: 'entity' });
    const answer = await answerOf(failing, keys.business);
    const property = (await answer.json()) as Property;
    const events = await streamOf(failing);
    await heal();
    assert.equal(answer.headers.get('x-data-source'), 'cached');
    assert.deepEqual(
      [answer.status, property.source, property.live?.attempted, property.live?.ok, property.live?.error],
      [200, 'cached', true, false, code],
    );
    assert.equal(property.currentListing?.price, failing.price);
    assert.equal(property.currentListing?.version, failing.version);
    assert.deepEqual(
      events.map(({ name }) => name),
      ['cached', 'error', 'done'],
    );
    const error = events[1]?.data;
    assert.deepEqual(Object.keys(error), ['code', 'message', 'retryable', 'requestId']);
    assert.deepEqual([error.code, error.retryable], [code, STREAM_ERRORS[code].retryable]);
    assert.ok(!/127\.0\.0\.1|odata|Bearer/i.test(error.message), 'tells nothing of the source');
  });
}

for (const fault of [{ kind: 'drip' }, { latencyMs: 600_000 }]) {
  test(`${JSON.stringify(fault)} upstream is a timeout after eight seconds on both ways`, async () => {
    await control('PUT', '/control/faults', { ...fault, resource: 'entity' });
    for (const ask of [() => read(slow, keys.business), () => streamOf(slow)]) {
      const requests = await entityRequests();
      const answering = ask();
      await until('the source is reached', async () => (await entityRequests()) > requests);
      clock.advance(8_000);
      const answer = await answering;
      if (!Array.isArray(answer)) assert.equal(answer.live?.error, 'timeout');
      else assert.deepEqual([answer[1]?.data.code, answer[1]?.data.retryable], ['timeout', true]);
    }
    await heal();
  });
}

test('a listing that upstream took away is DELETED and in no search, and is relisted when it returns', async () => {
  const key = leaving.provider.listingKey;
  await control('POST', '/control/remove', { key });
  assert.equal(await isFound(leaving), true);
  const gone = await read(leaving, keys.business);
  assert.deepEqual([gone.source, gone.live?.error], ['cached', 'not_found_upstream']);
  assert.deepEqual([gone.currentListing, gone.listings?.[0]?.status], [null, 'DELETED']);
  assert.deepEqual([gone.history?.[0]?.event, gone.history?.[0]?.origin], ['DELISTED', 'observed']);
  assert.equal(await isFound(leaving), false);
  const events = await streamOf(leaving);
  assert.deepEqual(
    [events[0]?.data.status, events[1]?.name, events[1]?.data.code, events[1]?.data.retryable],
    ['DELETED', 'error', 'not_found_upstream', false],
  );
  await control('POST', '/control/restore', { key });
  const back = await read(leaving, keys.business);
  assert.deepEqual([back.source, back.currentListing?.status], ['live', leaving.status]);
  assert.equal(back.history?.[0]?.event, 'RELISTED');
  assert.equal(await isFound(leaving, leaving.status), true);
});
