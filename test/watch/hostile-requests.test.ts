// Proof that no request about watchers or events is a 5xx, is stored with a credential, or holds the process up.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { signIn } from '../support/oauth/oauth.ts';
import { startService } from '../support/service/service.ts';
import { sendWatcher, subscriber, type WatcherRequest } from '../support/watch/watchers.ts';

const service = await startService({ after });
const { subscribe } = subscriber(service);
const { key } = await subscribe('business');
const ids = await writer(service)(draft('one', { listPrice: 100_000 }));
const target = { type: 'listing', listingId: ids.get('one') ?? '' } as const;

const send = (method: string, path: string, request: WatcherRequest = {}) =>
  sendWatcher(service, method, path, { key, ...request });

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));

const MALFORMED: readonly (readonly [body: unknown, status: number, detail: RegExp])[] = [
  [undefined, 400, /must be a JSON object/],
  ['null', 400, /must be a JSON object/],
  [`{"target":${'['.repeat(15_000)}`, 400, /not valid JSON/],
  [{ target, metadata: nested(40) }, 400, /nested deeper/],
  [`{"target":${JSON.stringify(target)},"name":"a\\u0000b"}`, 400, /NUL/],
  [`{"target":${JSON.stringify(target)},"__proto__":{}}`, 400, /__proto__/],
  [`{"target":${JSON.stringify(target)},"metadata":{"constructor":"x"}}`, 400, /constructor/],
  [{ target, name: 'a\ud800b' }, 400, /half of a surrogate pair/],
  [{ target, metadata: { '\udc00': 'v' } }, 400, /half of a surrogate pair/],
  [{ target, name: 'x'.repeat(33_000) }, 413, /too large/],
  [{ target, cadence: { toString: 1 } }, 400, /cadence/],
  [{ target, cadence: ['hourly'] }, 400, /cadence/],
  [{ target: { type: { toString: 1 } } }, 400, /target\/type/],
  [{ target, events: ['toString'] }, 400, /events\/0/],
  [{ target, metadata: keys(17) }, 400, /at most 16/],
  [{ target, metadata: keys(200) }, 400, /metadata/],
  [{ target, metadata: { ['k'.repeat(41)]: 'v' } }, 400, /1 to 40 characters/],
  [{ target, metadata: { '': 'v' } }, 400, /1 to 40 characters/],
  [{ target, expiresAt: '9999-12-31T23:59:59Z' }, 400, /expiresAt/],
  [{ target, expiresAt: `2100-01-01T00:00:00.${'1'.repeat(30_000)}Z` }, 400, /expiresAt/],
  [{ target: { type: 'search', listingType: 'sale', query: keys(2_000) } }, 400, /at most 200/],
  [{ target: { type: 'search', listingType: 'sale', query: { toString: 1 } } }, 400, /toString/],
];

test('a body that no client means is refused in words, whatever is wrong with it', async () => {
  for (const [body, status, detail] of MALFORMED) {
    const answer = await send('POST', '', { body });
    const sent = JSON.stringify(body)?.slice(0, 80);
    assert.equal(answer.status, status, `${sent}: ${answer.text.slice(0, 300)}`);
    assert.match(answer.detail, detail, sent);
  }
});

test('a watcher is not created with a key or a token in it, nor remembered under one', async () => {
  const { accessToken } = await signIn(service, { key });
  const { id } = (await send('POST', '', { body: { target } })).watcher;
  for (const secret of [key, key.toLowerCase(), accessToken]) {
    for (const body of [
      { target, name: `mine ${secret}` },
      { target, metadata: { secret } },
      { target, metadata: { [secret.slice(0, 40)]: secret } },
      { target: { type: 'search', listingType: 'sale', query: { q: secret } } },
    ]) {
      const answer = await send('POST', '', { body });
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.detail, /API key or token/);
      assert.ok(!answer.text.includes(secret));
    }
    assert.equal((await send('PATCH', `/${id}`, { body: { name: secret } })).status, 400);
    const headers = { 'idempotency-key': secret };
    const answer = await send('POST', '', { body: { target }, headers });
    assert.deepEqual([answer.status, answer.code], [400, 'INVALID_PARAMETER']);
  }
  const said = { target, name: 'Service-apartments, at_work', metadata: { key: 'under the mat' } };
  assert.equal((await send('POST', '', { body: said })).status, 201, 'ordinary words');
});

const cursor = (text: string): string => Buffer.from(text, 'latin1').toString('base64url');

test('a cursor that the service did not make, or that is ahead of its log, is refused on every way to read events', async () => {
  const { id } = (await send('POST', '', { body: { target } })).watcher;
  const paths = ['/v1/events', '/v1/events/stream', `/v1/watchers/${id}/events`, `/v1/watchers/${id}/stream`];
  const forged = ['-1', '1e3', '9007199254740993', `${2 ** 53}`, "5 wat_x' listing.closed 0", '5 wat_x  0'];
  const ahead = [cursor('999999999999999'), cursor(`999999999999999 ${id} listing.closed 0`)];
  const texts = [...forged, ...forged.map(cursor), ...ahead, '0', 'NOW', '%00', 'a'.repeat(300), ''];
  for (const path of paths) {
    for (const text of texts) {
      const after = text === '%00' ? text : encodeURIComponent(text);
      const answer = await service.get(`${path}?after=${after}`, key);
      assert.equal(answer.status, 400, `${path} ${text}: ${await answer.text()}`);
    }
  }
  for (const path of paths.filter((each) => each.endsWith('stream'))) {
    for (const text of ahead) {
      const answer = await service.get(path, key, { 'last-event-id': text });
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), /Last-Event-ID is ahead of the newest event/);
    }
  }
});

test('the cursor of another owner reads nothing of that owner', async () => {
  const other = (await subscribe('pro')).key;
  await send('POST', '', { body: { target } });
  const { page } = (await service.json('/v1/watchers?limit=1', key)) as { page: { nextCursor: string } };
  assert.equal((await service.get(`/v1/watchers?limit=1&cursor=${page.nextCursor}`, other)).status, 400);
});

test('a list has 100 watchers at most, so that the largest do not hold the process up', async () => {
  const internal = (await subscribe('internal')).key;
  const { page } = (await service.json('/v1/watchers?limit=500', internal)) as { page: { limit: number } };
  assert.equal(page.limit, 100);
});

interface Operation {
  readonly tags?: readonly string[];
}

test('a token without the scope watchers reaches no operation of watchers, however high its tier', async () => {
  const internal = (await subscribe('internal')).key;
  const { accessToken } = await signIn(service, { key: internal, scope: 'listings:read' });
  const { paths } = (await service.json('/openapi.json')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { tags }]) =>
      tags?.includes('Watchers')
        ? [{ method: method.toUpperCase(), path: path.replace('{id}', 'wat_a') }]
        : [],
    ),
  );
  assert.ok(operations.length >= 12, String(operations.length));
  for (const { method, path } of operations) {
    const accept = path.endsWith('/stream') ? 'text/event-stream' : 'application/json';
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${accessToken}`, accept },
    });
    const { code } = (await answer.json()) as { code: string };
    assert.deepEqual([answer.status, code], [403, 'INSUFFICIENT_SCOPE'], `${method} ${path}`);
  }
});
