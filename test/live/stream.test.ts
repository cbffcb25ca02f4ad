// Proof of the listing stream over real HTTP: its grammar, its errors, one fetch for many readers, and what it writes.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { UNRECORDED } from '../../src/http/frame/call-usage.ts';
import type { Listing } from '../../src/listings/record.ts';
import type { StoredListing } from '../../src/listings/store.ts';
import { openListingStream } from '../../src/live/routes.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { LiveError, type LiveFailure } from '../../src/sources/source.ts';
import { backgroundAtRest } from '../support/check/background.ts';
import { makeInBatches } from '../support/check/batches.ts';
import { assertEvery } from '../support/check/every.ts';
import { until } from '../support/check/until.ts';
import { atEnd } from '../support/database/database.ts';
import { problemOf } from '../support/service/http-server.ts';
import { type LiveService, startLive } from '../support/sources/live-service.ts';
import { draftOf } from '../support/sources/memory-source.ts';

const service = await startLive({ after });

const CODES: readonly LiveFailure[] = [
  'fetch_failed',
  'timeout',
  'parse_failed',
  'upstream_rate_limited',
  'upstream_unauthorized',
  'upstream_unavailable',
  'live_unsupported',
];

const names = (events: readonly { event?: string | undefined }[]) => events.map(({ event }) => event);

async function historyOf({ database, id }: LiveService, key: string) {
  return database.read(
    async (sql) =>
      await sql`select event, origin, price, previous_price from listing_event where listing_id = ${id(key)} order by sequence`,
  );
}

test('a stream is cached, live, done, each with an id, and closes', async () => {
  const answer = await service.get(`/v1/listing/${service.id('a')}`, service.keys.pro);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  assert.match(answer.headers.get('cache-control') ?? '', /no-store/);
  assert.match(answer.headers.get('cache-control') ?? '', /no-transform/);
  assert.equal(answer.headers.get('x-accel-buffering'), 'no');
  assert.ok(answer.headers.has('ratelimit'));
  const text = await answer.text();
  assert.match(text, /^retry: 60000\n\n/);
  const events = await service.stream('a');
  assert.deepEqual(names(events), ['cached', 'live', 'done']);
  assert.equal(new Set(events.map(({ id }) => id)).size, 3);
  assert.match(events[2]?.id ?? '', /\.done$/);
  assert.equal(events[2]?.data, '{}');
  const [cached, live] = events.slice(0, 2).map(({ data }) => JSON.parse(data));
  assert.deepEqual([cached.source, live.source], ['cached', 'live']);
  assert.deepEqual([cached.id, cached.price, cached.status], [service.id('a'), 100, 'ACTIVE']);
  assert.deepEqual({ ...live, source: 0, fetchedAt: 0 }, { ...cached, source: 0, fetchedAt: 0 });
});

test('whatever the source does, a stream is cached, then live or error, then done', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(null, ...CODES), fc.integer({ min: 1, max: 9 }), async (code, price) => {
      service.source.put(draftOf('b', { ListPrice: price * 10 }), '2026-01-02T00:00:00.000Z');
      if (code !== null) service.source.failures.push(new LiveError(code, 'A sentence.'));
      const events = await service.stream('b');
      assert.deepEqual(names(events), ['cached', code === null ? 'live' : 'error', 'done']);
      const second = JSON.parse(events[1]?.data ?? '');
      if (code === null) assert.equal(second.price, price * 10);
      else {
        assert.deepEqual(Object.keys(second), ['code', 'message', 'retryable', 'requestId']);
        assert.equal(second.code, code);
        assert.match(second.requestId, /^req_/);
      }
    }),
    { numRuns: 30 },
  );
});

/** Of each code, whether the page of errors says that trying again soon may help. */
async function documentedRetries({ get }: LiveService): Promise<Record<string, boolean>> {
  const page = await (await get('/docs/errors')).text();
  const entries = page.matchAll(
    /<article class="entry" id="([a-z_]+)">(?:(?!<\/article>).)*?<dt>retryable<\/dt><dd><code>(true|false)</gs,
  );
  return Object.fromEntries([...entries].map(([, code = '', retryable]) => [code, retryable === 'true']));
}

/** What the stream's error event says. */
async function errorOf({ stream }: LiveService, key: string) {
  const { code, retryable } = JSON.parse((await stream(key))[1]?.data ?? '{}');
  return [code, retryable];
}

test('each of the eight errors of a stream says whether to try again, as the page of errors does', async (t) => {
  const own = await startLive(t);
  const actual: Record<string, boolean> = {};
  for (const code of CODES) {
    own.source.failures.push(new LiveError(code, 'A sentence.'));
    const [sent, retryable] = await errorOf(own, 'b');
    assert.equal(sent, code);
    actual[code] = retryable;
  }
  own.source.listings.delete('c');
  assert.deepEqual(await errorOf(own, 'c'), ['not_found_upstream', false]);
  const offline = await startLive(t, (source) => ({ ...source, live: false }));
  assert.deepEqual(await errorOf(offline, 'a'), ['live_unsupported', false]);
  const documented = await documentedRetries(own);
  assert.equal(Object.keys(documented).length, 8);
  assert.deepEqual({ ...actual, not_found_upstream: false }, documented);
});

test('a source that never answers is a timeout after eight seconds', async () => {
  const hanging = Promise.withResolvers<void>();
  service.source.beforeFetch = (signal) => {
    hanging.resolve();
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(new LiveError('timeout', 'late'))),
    );
  };
  const streaming = service.stream('a');
  await hanging.promise;
  service.clock.advance(8_000);
  const events = await streaming;
  service.source.beforeFetch = async () => {};
  assert.deepEqual(names(events), ['cached', 'error', 'done']);
  assert.equal(JSON.parse(events[1]?.data ?? '').code, 'timeout');
});

test('even a source that ignores its signal cannot hold a stream longer than that', async () => {
  const hanging = Promise.withResolvers<void>();
  service.source.beforeFetch = () => {
    hanging.resolve();
    return new Promise(() => {});
  };
  const streaming = service.stream('a');
  await hanging.promise;
  service.clock.advance(8_000);
  const events = await streaming;
  service.source.beforeFetch = async () => {};
  assert.equal(JSON.parse(events[1]?.data ?? '').code, 'timeout');
});

test('a thousand streams of one listing make one request of the source', async () => {
  const gate = Promise.withResolvers<void>();
  const before = service.source.fetched.length;
  service.source.beforeFetch = () => gate.promise;
  const path = `/v1/listing/${service.id('c')}`;
  const answers = await makeInBatches(1_000, () => service.get(path, service.keys.internal));
  await until('the source is reached', () => service.source.fetched.length > before);
  gate.resolve();
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  service.source.beforeFetch = async () => {};
  assert.equal(service.source.fetched.length - before, 1);
  assertEvery(texts, (text) => /event: cached.*event: live.*event: done/s.test(text));
});

test('the fetch is aborted when the last reader has left, and not before', async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  service.source.beforeFetch = (signal) => {
    begun.resolve(signal);
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(new LiveError('timeout', 'left'))),
    );
  };
  const readers = [new AbortController(), new AbortController()];
  const path = `/v1/listing/${service.id('a')}`;
  const before = service.source.fetched.length;
  const answers = await Promise.all(
    readers.map(({ signal }) => service.get(path, service.keys.internal, { signal })),
  );
  const signal = await begun.promise;
  for (const answer of answers) answer.text().catch(() => {});
  readers[0]?.abort();
  const third = await service.get(path, service.keys.internal);
  assert.equal(signal.aborted, false);
  const reading = third.text();
  readers[1]?.abort();
  assert.equal(service.source.fetched.length - before, 1);
  service.clock.advance(8_000);
  await reading;
  assert.equal(signal.aborted, true);
  service.source.beforeFetch = async () => {};
});

test('what comes live is written with its history, once', async () => {
  service.source.put(draftOf('a', { ListPrice: 80 }), '2026-01-03T00:00:00.000Z');
  const before = (await historyOf(service, 'a')).length;
  const [cached, live] = (await service.stream('a')).map(({ data }) => JSON.parse(data));
  assert.deepEqual([cached.price, live.price, live.version], [100, 80, cached.version + 1]);
  const [again] = (await service.stream('a')).map(({ data }) => JSON.parse(data));
  assert.deepEqual([again.price, again.version], [80, live.version]);
  const history = (await historyOf(service, 'a')).slice(before);
  assert.deepEqual(
    history.map(({ event, price, previous_price }) => [event, price, previous_price]),
    [['PRICE_CHANGED', 80, 100]],
  );
});

test('a listing that the source no longer has is deleted by observation, stays readable, and comes back', async () => {
  const draft = service.source.listings.get('c');
  assert.ok(draft);
  service.source.listings.delete('c');
  const gone = await service.stream('c');
  assert.equal(JSON.parse(gone[1]?.data ?? '').code, 'not_found_upstream');
  const [cached] = (await service.stream('c')).map(({ data }) => JSON.parse(data));
  assert.equal(cached.status, 'DELETED');
  const last = (await historyOf(service, 'c')).at(-1);
  assert.deepEqual([last?.event, last?.origin], ['DELISTED', 'observed']);
  service.source.put(draft, '2026-01-04T00:00:00.000Z');
  const [, back] = (await service.stream('c')).map(({ data }) => JSON.parse(data));
  assert.equal(back.status, 'ACTIVE');
  assert.equal((await historyOf(service, 'c')).at(-1)?.event, 'RELISTED');
});

test('a listing whose source forbids showing it does not exist for readers, save Internal ones who ask', async () => {
  service.source.put(draftOf('b', { InternetEntireListingDisplayYN: false }), '2026-01-05T00:00:00.000Z');
  const shown = await service.stream('b', service.keys.pro);
  assert.deepEqual(names(shown), ['cached', 'error', 'done']);
  assert.equal(JSON.parse(shown[1]?.data ?? '').code, 'not_found_upstream');
  const path = `/v1/listing/${service.id('b')}`;
  const hidden = await service.get(path, service.keys.pro);
  assert.deepEqual([hidden.status, (await problemOf(hidden)).code], [404, 'LISTING_NOT_FOUND']);
  const internal = await service.get(`${path}?display=ignore`, service.keys.internal);
  assert.equal(internal.status, 200);
  await internal.text();
  const refused = await service.get(`${path}?display=ignore`, service.keys.pro);
  assert.deepEqual([refused.status, (await problemOf(refused)).code], [403, 'TIER_RESTRICTED']);
});

test('a caller who may not have a stream is refused in plain HTTP', async () => {
  const path = `/v1/listing/${service.id('a')}`;
  const cases: [string | undefined, string, RequestInit, number, string][] = [
    [undefined, path, {}, 401, 'MISSING_API_KEY'],
    [service.keys.free, path, {}, 403, 'TIER_RESTRICTED'],
    [service.keys.pro, '/v1/listing/lst_nothing', {}, 404, 'LISTING_NOT_FOUND'],
    [service.keys.pro, `/v1/listing/${'x'.repeat(500)}`, {}, 404, 'LISTING_NOT_FOUND'],
    [service.keys.pro, `${path}?what=this`, {}, 400, 'INVALID_PARAMETER'],
    [service.keys.pro, path, { headers: { accept: 'text/html' } }, 406, 'NOT_ACCEPTABLE'],
  ];
  for (const [key, where, init, status, code] of cases) {
    const answer = await service.get(where, key, init);
    assert.deepEqual([answer.status, (await problemOf(answer)).code], [status, code], `${where} ${code}`);
  }
  assert.equal((await service.get(path, service.keys.pro, { method: 'HEAD' })).status, 405);
});

test('an EventSource that comes back after done gets 204, and nothing is fetched for it', async () => {
  const events = await service.stream('a');
  const before = service.source.fetched.length;
  const again = await service.get(`/v1/listing/${service.id('a')}`, service.keys.pro, {
    headers: { 'last-event-id': events[2]?.id ?? '' },
  });
  assert.deepEqual([again.status, await again.text(), service.source.fetched.length], [204, '', before]);
  const other = await service.get(`/v1/listing/${service.id('a')}`, service.keys.pro, {
    headers: { 'last-event-id': events[1]?.id ?? '' },
  });
  assert.equal(other.status, 200);
  await other.text();
});

test('a client that cannot set Last-Event-ID sends it as a parameter; the header counts where both are sent', async () => {
  const [cached, , done] = await service.stream('a');
  const open = (parameter: string, header?: string) =>
    service.get(`/v1/listing/${service.id('a')}?lastEventId=${parameter}`, service.keys.pro, {
      headers: header === undefined ? {} : { 'last-event-id': header },
    });
  assert.equal((await open(done?.id ?? '')).status, 204);
  assert.equal((await open(cached?.id ?? '', done?.id)).status, 204);
  const other = await open(done?.id ?? '', cached?.id);
  assert.equal(other.status, 200);
  await other.text();
});

test('a record, which is no stream, refuses the id of an event instead of ignoring it', async () => {
  const path = `/v1/listing/${service.id('a')}`;
  for (const [at, accept] of [
    [`${path}/record`, 'application/json'],
    [path, 'application/json'],
  ] as const) {
    const answer = await service.get(`${at}?lastEventId=req_1.cached`, service.keys.pro, {
      headers: { accept },
    });
    const { errors } = (await answer.json()) as { errors?: { parameter: string }[] };
    assert.deepEqual([answer.status, errors?.[0]?.parameter], [400, 'lastEventId'], at);
  }
});

test('a caller’s places for streams are given back however a stream ends', async () => {
  const gate = Promise.withResolvers<void>();
  service.source.beforeFetch = () => gate.promise;
  const path = `/v1/listing/${service.id('a')}`;
  const leaving = new AbortController();
  const open = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      service.get(path, service.keys.pro, at < 5 ? { signal: leaving.signal } : {}),
    ),
  );
  const refused = await service.get(path, service.keys.pro);
  assert.deepEqual([refused.status, (await problemOf(refused)).code], [429, 'TOO_MANY_STREAMS']);
  for (const answer of open.slice(0, 5)) answer.text().catch(() => {});
  leaving.abort();
  const usage = async () =>
    (await (await service.get('/v1/usage', service.keys.pro)).json()) as { streams: { open: number } };
  await until('five streams are left', async () => (await usage()).streams.open === 5);
  gate.resolve();
  await Promise.all(open.slice(5).map((answer) => answer.text()));
  await until('no stream is left', async () => (await usage()).streams.open === 0);
  service.source.beforeFetch = async () => {};
});

test('a client that leaves before the first event gives its place back, though its stream was never begun', async (t) => {
  const own = await startLive(t);
  const path = `/v1/listing/${own.id('a')}`;
  const open = async () => {
    const usage = (await (await own.get('/v1/usage', own.keys.pro)).json()) as { streams: { open: number } };
    return usage.streams.open;
  };
  await backgroundAtRest(own);
  const { promise: locked, resolve: isLocked } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const blocking = own.database.transaction(async (tx) => {
    await tx`lock table listing in access exclusive mode`;
    isLocked();
    await released;
  });
  await locked;
  const leaving = new AbortController();
  const headers = { 'cache-control': 'no-cache' };
  const answers = Array.from({ length: 2 }, () =>
    own.get(path, own.keys.pro, { headers, signal: leaving.signal }).catch((reason: unknown) => reason),
  );
  // Statements that wait for the lock may hold every connection of the service's own pool.
  const observer = openDatabase({ url: own.databaseUrl });
  atEnd(t, () => observer.close());
  const waiting = () =>
    observer.read(
      (sql) => sql<{ count: number }[]>`
        select count(*)::int as count from pg_locks where not granted and relation = 'listing'::regclass`,
    );
  await until('the readers wait for their listing', async () => ((await waiting())[0]?.count ?? 0) >= 2);
  leaving.abort();
  await Promise.all(answers);
  release();
  await blocking;
  // Its listing is read after theirs.
  await (await own.get(path, own.keys.pro, { headers })).text();
  assert.equal(await open(), 0);
});

test('a place is given back by the signal alone, whether the client left before its stream was opened or after', () => {
  for (const hasLeft of [true, false]) {
    const client = new AbortController();
    let places = 1;
    if (hasLeft) client.abort();
    openListingStream({
      stored: {} as StoredListing,
      cached: {} as Listing,
      refresh: () => assert.fail('nobody reads the stream'),
      present: () => null,
      usage: UNRECORDED,
      requestId: 'req_1',
      signal: client.signal,
      release: () => {
        places = 0;
      },
    });
    assert.equal(places, hasLeft ? 0 : 1);
    client.abort();
    assert.equal(places, 0, 'no event was read');
  }
});
