// Proves that the RESO client names every failure rightly, renews its token once, and never sends it elsewhere.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { createOutbound } from '../../src/lib/outbound.ts';
import { type ResoOptions, resoSource } from '../../src/sources/reso/transport/client.ts';
import { LiveError, type LiveFailure, type Source } from '../../src/sources/source.ts';
import { assertEvery } from '../support/check/every.ts';
import type { Closing } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { FAULTS, type Fault, startUpstream, status, type Upstream } from '../support/sources/upstream.ts';

const LISTING = {
  ListingKey: '1',
  ListPrice: 100,
  StandardStatus: 'Active',
  ModificationTimestamp: '2026-01-01T00:00:00Z',
};
const never = new AbortController().signal;

function sourceFor(
  t: Closing,
  upstream: Pick<Upstream, 'url' | 'tokenUrl'>,
  more: Partial<ResoOptions> = {},
): Source {
  const clock = more.clock ?? systemClock;
  const source = resoSource({
    id: 'test',
    name: 'Test',
    url: upstream.url,
    credentials: { kind: 'client', tokenUrl: upstream.tokenUrl, clientId: 'me', clientSecret: 'hush' },
    outbound: createOutbound({ clock }),
    clock,
    ...more,
  });
  t.after(() => source.close());
  return source;
}

async function started(t: Closing, more: Partial<ResoOptions> = {}) {
  const upstream = await startUpstream(t);
  upstream.records.set('1', LISTING);
  return { upstream, source: sourceFor(t, upstream, more) };
}

async function failureOf(work: Promise<unknown>): Promise<LiveError> {
  const error = await work.then(
    () => assert.fail('It should have failed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof LiveError, String(error));
  return error;
}

const ENTITY_FAULTS: Readonly<Record<string, readonly [Fault, LiveFailure]>> = {
  'a reset connection': [FAULTS.reset, 'fetch_failed'],
  'an answer cut short': [FAULTS.truncated, 'fetch_failed'],
  'chunks cut short': [FAULTS.truncatedChunks, 'fetch_failed'],
  'a redirect': [status(302, { location: '/elsewhere' }), 'fetch_failed'],
  'a 500': [status(500), 'fetch_failed'],
  'a 418': [status(418), 'fetch_failed'],
  'a page of HTML': [FAULTS.html, 'parse_failed'],
  'a text instead of a record': [FAULTS.notAnObject, 'parse_failed'],
  'a 200 with an error inside': [FAULTS.errorInside, 'parse_failed'],
  'another listing': [FAULTS.anotherListing, 'parse_failed'],
  'a record without a key': [FAULTS.noKey, 'parse_failed'],
  'more than five megabytes': [FAULTS.huge, 'parse_failed'],
  'something that is not gzip': [FAULTS.badGzip, 'parse_failed'],
  'a 429': [status(429), 'upstream_rate_limited'],
  'a 403': [status(403), 'upstream_unauthorized'],
  'a 401, twice': [status(401), 'upstream_unauthorized'],
  'a 503': [status(503), 'upstream_unavailable'],
  'a 410': [status(410), 'not_found_upstream'],
};

for (const [what, [fault, code]] of Object.entries(ENTITY_FAULTS)) {
  test(`one listing: ${what} is ${code}`, async (t) => {
    const { upstream, source } = await started(t);
    upstream.faults.entity = fault;
    assert.equal((await failureOf(source.fetchOne('1', never))).code, code);
  });
}

const LIST_FAULTS: Readonly<Record<string, readonly [Fault, LiveFailure]>> = {
  'an empty list': [FAULTS.nothingFound, 'not_found_upstream'],
  'a 404': [status(404), 'not_found_upstream'],
  'no list': [FAULTS.noList, 'parse_failed'],
  'a 400': [status(400), 'fetch_failed'],
};

for (const [what, [fault, code]] of Object.entries(LIST_FAULTS)) {
  test(`one listing from a list: ${what} is ${code}`, async (t) => {
    const { upstream, source } = await started(t);
    upstream.faults.entity = status(404);
    upstream.faults.list = fault;
    assert.equal((await failureOf(source.fetchOne('1', never))).code, code);
  });
}

const TOKEN_FAULTS: Readonly<Record<string, readonly [Fault, LiveFailure]>> = {
  'a 400': [status(400), 'upstream_unauthorized'],
  'a 401': [status(401), 'upstream_unauthorized'],
  'a 404': [status(404), 'fetch_failed'],
  'a 429': [status(429), 'upstream_rate_limited'],
  'a 503': [status(503), 'upstream_unavailable'],
  'a page of HTML': [FAULTS.html, 'parse_failed'],
  'no token': [FAULTS.noKey, 'parse_failed'],
};

for (const [what, [fault, code]] of Object.entries(TOKEN_FAULTS)) {
  test(`the token: ${what} is ${code}`, async (t) => {
    const { upstream, source } = await started(t);
    upstream.faults.token = fault;
    assert.equal((await failureOf(source.fetchOne('1', never))).code, code);
  });
}

for (const fault of ['hang', 'drip'] as const) {
  test(`one listing: a server that answers with ${fault} is a timeout once the caller's patience ends`, async (t) => {
    const { upstream, source } = await started(t);
    upstream.faults.entity = FAULTS[fault];
    const patience = new AbortController();
    const failure = failureOf(source.fetchOne('1', patience.signal));
    await upstream.untilRequested(1);
    patience.abort(new Error('enough'));
    assert.equal((await failure).code, 'timeout');
  });
}

test('a connection that is not made within two seconds is a timeout', async (t) => {
  const clock = manualClock();
  const looking = Promise.withResolvers<void>();
  const outbound = createOutbound({ clock, lookup: () => looking.resolve() });
  const upstream = { url: 'http://upstream.test/odata', tokenUrl: 'http://upstream.test/token' };
  const source = sourceFor(t, upstream, { clock, outbound });
  const failure = failureOf(source.fetchOne('1', never));
  await looking.promise;
  clock.advance(2_000);
  assert.equal((await failure).code, 'timeout');
});

test('a port where nobody listens is fetch_failed', async (t) => {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const source = sourceFor(t, {
    url: `http://127.0.0.1:${port}`,
    tokenUrl: `http://127.0.0.1:${port}/token`,
  });
  assert.equal((await failureOf(source.fetchOne('1', never))).code, 'fetch_failed');
});

test('a source without live mode says so and asks nobody', async (t) => {
  const { upstream, source } = await started(t, { live: false });
  assert.equal((await failureOf(source.fetchOne('1', never))).code, 'live_unsupported');
  assert.deepEqual(upstream.requests, []);
});

test('a token that was revoked is renewed once and the listing still comes', async (t) => {
  const { upstream, source } = await started(t);
  await source.fetchOne('1', never);
  upstream.revoke();
  assert.equal((await source.fetchOne('1', never)).listPrice, 100);
  assert.equal(upstream.requests.filter((path) => path === '/token').length, 2);
});

test('a refused listing is asked for twice and no more', async (t) => {
  const { upstream, source } = await started(t);
  upstream.faults.entity = status(401);
  await failureOf(source.fetchOne('1', never));
  assert.equal(upstream.listingRequests.length, 2);
});

test('a bearer token that is refused is not tried again', async (t) => {
  const { upstream, source } = await started(t, { credentials: { kind: 'bearer', token: 'fixed' } });
  assert.equal((await failureOf(source.fetchOne('1', never))).code, 'upstream_unauthorized');
  assert.equal(upstream.requests.length, 1);
});

test('many who need a token at once make one request for it', async (t) => {
  const { upstream, source } = await started(t);
  await Promise.all(Array.from({ length: 20 }, () => source.fetchOne('1', never)));
  assert.equal(upstream.requests.filter((path) => path === '/token').length, 1);
});

test('a token is renewed a minute before its end', async (t) => {
  const clock = manualClock();
  const { upstream, source } = await started(t, { clock });
  await source.fetchOne('1', never);
  clock.advance(3_539_999);
  await source.fetchOne('1', never);
  assert.equal(upstream.tokens, 1);
  clock.advance(1);
  await source.fetchOne('1', never);
  assert.equal(upstream.tokens, 2);
});

test('a server that knows no entities is asked for lists from then on', async (t) => {
  const { upstream, source } = await started(t);
  upstream.faults.entity = status(501);
  await source.fetchOne('1', never);
  await source.fetchOne('1', never);
  assert.deepEqual(
    upstream.listingRequests.map((path) => path.includes('$filter=ListingKey eq')),
    [false, true, true],
  );
});

test('keys with quotes, slashes and spaces reach the server as they are', async (t) => {
  const { upstream, source } = await started(t);
  for (const key of ["O'Hara/7 b", '%27) or (1 eq 1', 'ключ']) {
    upstream.records.set(key, { ...LISTING, ListingKey: key });
    assert.equal((await source.fetchOne(key, never)).listingKey, key);
  }
});

test('only fields and expansions that the server has are asked for', async (t) => {
  const { upstream, source } = await started(t);
  await source.fetchOne('1', never);
  const [path = ''] = upstream.listingRequests;
  assert.match(path, /\$expand=Media$/);
  assert.match(
    path,
    /\$select=ListPrice,ListingKey,ModificationTimestamp,PhotosCount,PropertyType,PublicRemarks,StandardStatus&/,
  );
});

test('numbers of 64 bits that are keys keep their digits, in pages and in single answers', async (t) => {
  const { upstream, source } = await started(t);
  const keys = ['1152921504606846977', '1152921504606846978', '1152921504606846979', '12'];
  const records = keys.map((key) => `{"ListingKey":${key},"ListPrice":100,"StandardStatus":"Active"}`);
  upstream.faults.list = (_, response) => void response.end(`{"value":[${records.join(',')}]}`);
  const read: string[] = [];
  for await (const page of source.pages({ phase: 'changes', since: '2026-01-01T00:00:00Z' }, never))
    read.push(...page.drafts.map(({ listingKey }) => listingKey));
  assert.deepEqual(read, keys);
  upstream.faults.entity = (_, response) => void response.end(records[1]);
  assert.equal((await source.fetchOne(keys[1] ?? '', never)).listingKey, keys[1]);
});

test('a server without $metadata is asked for everything', async (t) => {
  const { upstream, source } = await started(t);
  upstream.faults.metadata = status(501);
  await source.fetchOne('1', never);
  assert.deepEqual(upstream.listingRequests, ["/odata/Property('1')?$expand=Media"]);
});

test('$metadata is read once a day', async (t) => {
  const clock = manualClock();
  const { upstream, source } = await started(t, { clock });
  const reads = () => upstream.requests.filter((path) => path === '/odata/$metadata').length;
  const read = async () => {
    for await (const _ of source.pages({ phase: 'changes', since: '2026-01-01T00:00:00Z' }, never));
  };
  await read();
  await read();
  assert.equal(reads(), 1);
  clock.advance(86_400_000);
  await read();
  assert.equal(reads(), 2);
});

test('a link to another server is not followed, and the token does not go there', async (t) => {
  const { upstream, source } = await started(t);
  let visits = 0;
  const other = createServer((_, response) => {
    visits += 1;
    response.end('{"value":[]}');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => other.close(resolve)));
  const link = `http://127.0.0.1:${(other.address() as AddressInfo).port}/odata/Property`;
  upstream.faults.list = (_, response) =>
    void response.end(JSON.stringify({ value: [LISTING], '@odata.nextLink': link }));
  const reading = (async () => {
    for await (const _ of source.pages({ phase: 'load', mark: '2026' }, never));
  })();
  assert.equal((await failureOf(reading)).code, 'parse_failed');
  assert.equal(visits, 0);
});

test('a page that links to itself ends in an error, not in a loop', async (t) => {
  const { upstream, source } = await started(t);
  upstream.faults.list = (request, response) =>
    void response.end(
      JSON.stringify({ value: [], '@odata.nextLink': `${upstream.url.replace('/odata', '')}${request.url}` }),
    );
  const reading = (async () => {
    for await (const _ of source.pages({ phase: 'load', mark: '2026' }, never));
  })();
  assert.equal((await failureOf(reading)).code, 'parse_failed');
});

test('Retry-After reaches whoever waits, in seconds and as a date', async (t) => {
  const clock = manualClock(Date.UTC(2026, 0, 5, 12));
  const { upstream, source } = await started(t, { clock });
  upstream.faults.entity = status(429, { 'retry-after': '120' });
  assert.equal((await failureOf(source.fetchOne('1', never))).retryAfter, 120_000);
  clock.advance(120_000);
  upstream.faults.entity = status(503, { 'retry-after': 'Mon, 05 Jan 2026 12:02:30 GMT' });
  assert.equal((await failureOf(source.fetchOne('1', never))).retryAfter, 30_000);
});

test('nothing is requested before the time that a Retry-After names, for one listing neither', async (t) => {
  const clock = manualClock(Date.UTC(2026, 0, 5, 12));
  const { upstream, source } = await started(t, { clock });
  upstream.faults.entity = status(429, { 'retry-after': '15' });
  await failureOf(source.fetchOne('1', never));
  const sent = upstream.requests.length;
  for (const left of [15_000, 10_000, 5_000]) {
    const failure = await failureOf(source.fetchOne('1', never));
    assert.deepEqual([failure.code, failure.retryAfter], ['upstream_rate_limited', left]);
    clock.advance(5_000);
  }
  assert.equal(upstream.requests.length, sent);
  delete upstream.faults.entity;
  assert.equal((await source.fetchOne('1', never)).listingKey, '1');
});

test('secrets never stand in an address', async (t) => {
  const { upstream, source } = await started(t);
  await source.fetchOne('1', never);
  assertEvery(upstream.requests, (path) => !path.includes('hush') && !/t\d/.test(path.split('?')[1] ?? ''));
});

test('a load that began at an address which its server has left starts over at the new one', async (t) => {
  const { upstream, source } = await started(t);
  const link = `http://127.0.0.1:${Number(new URL(upstream.url).port) === 1024 ? 1025 : 1024}/odata/Property?$skiptoken=2`;
  const pages = [];
  for await (const page of source.pages({ phase: 'load', mark: null, link }, never)) pages.push(page);
  assert.deepEqual(
    pages.map(({ drafts, restarted }) => [drafts.length, restarted]),
    [[1, true]],
  );
});
