// Proof that nothing the web framework or Node does on its own reaches a client, and nothing is ignored.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { until } from '../support/check/until.ts';
import { routes } from '../support/service/framework-routes.ts';
import { parseRaw, problemOf, serveRoutes, testRoute } from '../support/service/http-server.ts';

for (const value of [
  '1e9',
  '0x10',
  '%20',
  '%201',
  'Infinity',
  '',
  '+1',
  '1.5',
  'NaN',
  '١',
  '-0x1',
  '1_0',
  '007',
]) {
  test(`a query value ${JSON.stringify(value)} is no integer, and the answer names the parameter`, async (t) => {
    const web = await serveRoutes(t, routes);
    const response = await web.fetch(`/v1/items?limit=${value}`);
    assert.equal(response.status, 400);
    const problem = await problemOf(response);
    assert.equal(problem.code, 'INVALID_PARAMETER');
    assert.equal(problem.errors?.[0]?.parameter, 'limit');
  });
}

test('an unknown query parameter is a 400 with a suggestion, never dropped', async (t) => {
  const web = await serveRoutes(t, routes);
  const response = await web.fetch('/v1/items?limt=1&pastDays=2');
  assert.equal(response.status, 400);
  assert.deepEqual((await problemOf(response)).errors, [
    { parameter: 'limt', detail: 'is not known to this endpoint', suggestion: 'limit' },
    { parameter: 'pastDays', detail: 'is not known to this endpoint' },
  ]);
});

test('values arrive with their types and nothing added', async (t) => {
  const web = await serveRoutes(t, routes);
  assert.deepEqual(await (await web.fetch('/v1/items?pageSize=25&radius=1.5')).json(), {
    limit: 25,
    radius: 1.5,
  });
  assert.deepEqual(await (await web.fetch('/v1/items?')).json(), {});
});

test('a body is neither coerced nor stripped', async (t) => {
  const web = await serveRoutes(t, routes);
  const post = async (text: string) => {
    const headers = { 'content-type': 'application/json' };
    const response = await web.fetch('/v1/things', { method: 'POST', body: text, headers });
    return [response.status, (await problemOf(response)).errors?.[0]?.pointer];
  };
  assert.deepEqual(await post('{"n":"1"}'), [400, '/n']);
  assert.deepEqual(await post('{"m":1}'), [400, '/m']);
  assert.deepEqual(await post('{"n":1,"n":2}'), [400, '']);
  assert.deepEqual(await post('[]'), [400, '']);
  assert.deepEqual(await post('{"n":1}'), [200, undefined]);
});

test('a body that touches prototypes, nests deeply, or is not UTF-8 or JSON is refused', async (t) => {
  const web = await serveRoutes(t, routes);
  const bodies = [
    '{"any":{"__proto__":{"polluted":1}}}',
    '{"any":{"constructor":{"prototype":{"polluted":1}}}}',
    '{"\\u005f_proto__":1}',
    `{"any":${'['.repeat(40)}${']'.repeat(40)}}`,
    `{"any":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    '{"any":"\\u0000"}',
    '{n:1}',
    '',
    '\u00a0',
  ];
  for (const text of bodies) {
    const headers = { 'content-type': 'application/json' };
    const response = await web.fetch('/v1/things', { method: 'POST', body: text, headers });
    assert.equal(response.status, 400, String(text).slice(0, 50));
    assert.equal((await problemOf(response)).code, 'INVALID_BODY');
  }
  assert.equal('polluted' in {}, false);
});

test('a wrong method is 405 with Allow, on every kind of address', async (t) => {
  const web = await serveRoutes(t, routes);
  const wrong = [
    ['/v1/items', 'POST', 'GET, HEAD, OPTIONS'],
    ['/v1/items/1', 'PATCH', 'GET, HEAD, DELETE, OPTIONS'],
    ['/v1/things', 'GET', 'POST, OPTIONS'],
    ['/v1/things', 'PUT', 'POST, OPTIONS'],
    ['/v1/items', 'PROPFIND', 'GET, HEAD, OPTIONS'],
  ] as const;
  for (const [path, method, allow] of wrong) {
    const response = await web.fetch(path, { method });
    assert.equal(response.status, 405, `${method} ${path}`);
    assert.equal(response.headers.get('allow'), allow);
    assert.equal((await problemOf(response)).code, 'METHOD_NOT_ALLOWED');
  }
  assert.deepEqual(web.steps, []);
});

test('a target that does not even begin with a slash is no error of ours', async (t) => {
  const { raw, log } = await serveRoutes(t, routes);
  await raw('PRI */2.0\r\nHost: x\r\nConnection: close\r\n\r\n');
  assert.match(log(), /"status":404,.*"code":"NOT_FOUND"/);
  assert.doesNotMatch(log(), /"status":5/);
});

test('a wrong method with a large body of any type is 405 all the same', async (t) => {
  const web = await serveRoutes(t, routes);
  const headers = { 'content-type': 'text/strange' };
  assert.equal(
    (await web.fetch('/v1/items', { method: 'POST', body: 'x'.repeat(2e6), headers })).status,
    405,
  );
  assert.equal((await web.fetch('/nowhere', { method: 'POST', body: '{', headers })).status, 404);
});

test('HEAD answers like GET without a body, and is 405 where the route says so', async (t) => {
  const web = await serveRoutes(t, routes);
  const [get, head] = [await web.fetch('/v1/items'), await web.fetch('/v1/items', { method: 'HEAD' })];
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
  assert.equal(await head.text(), '');
  const stream = await web.fetch('/v1/live', { method: 'HEAD' });
  assert.equal(stream.status, 405);
  assert.equal(stream.headers.get('allow'), 'GET, OPTIONS');
  const wrong = await web.fetch('/v1/items?x=1', { method: 'HEAD' });
  assert.equal(wrong.status, 400);
  assert.equal(await wrong.text(), '');
});

test('two Authorization headers are INVALID_REQUEST, whoever they name', async (t) => {
  const web = await serveRoutes(t, routes);
  const head = 'GET /v1/items HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nauthorization: Bearer a\r\n';
  const answer = parseRaw(await web.raw(`${head}Connection: close\r\n\r\n`));
  assert.equal(answer.status, 400);
  assert.equal(JSON.parse(answer.body).code, 'INVALID_REQUEST');
  assert.deepEqual(web.steps, []);
});

test('an address in absolute form and one with escapes reach the same route', async (t) => {
  const web = await serveRoutes(t, routes);
  for (const target of ['http://x/v1/items?limit=2', '/v1/%69tems?li%6Dit=%32']) {
    const answer = parseRaw(await web.raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
    assert.equal(answer.status, 200, target);
    assert.equal(answer.body, '{"limit":2}');
  }
});

test('Accept decides by weight, and a weight of 0 excludes', async (t) => {
  const web = await serveRoutes(t, routes);
  const choose = async (accept: string) => {
    const response = await web.fetch('/v1/map', { headers: { accept } });
    return response.status === 200 ? await response.text() : response.status;
  };
  assert.equal(await choose('*/*'), 'application/json');
  assert.equal(await choose('text/csv'), 'text/csv');
  assert.equal(await choose('text/*;q=0.9, application/json;q=0.1'), 'text/csv');
  assert.equal(await choose('application/json;q=0, */*;q=0.1'), 'text/csv');
  assert.equal(await choose('application/json;q=0'), 406);
  assert.equal(await choose('application/json;q=nonsense'), 406);
  assert.equal((await web.fetch('/v1/map')).headers.get('vary')?.toLowerCase(), 'accept, authorization');
});

test('one connection carries many requests, also after an error', async (t) => {
  const web = await serveRoutes(t, routes);
  const one = 'GET /v1/items HTTP/1.1\r\nHost: x\r\n\r\n';
  const bad = 'GET /v1/items?x=1 HTTP/1.1\r\nHost: x\r\n\r\n';
  const last = 'GET /v1/items HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const text = await web.raw(one + bad + one + last);
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), [
    'HTTP/1.1 200',
    'HTTP/1.1 400',
    'HTTP/1.1 200',
    'HTTP/1.1 200',
  ]);
});

test('hostile texts of 8 KB in any place are answered without a 5xx', async (t) => {
  const text = Type.Object({
    q: Type.Optional(Type.String({ pattern: '^(a+)+$', maxLength: 20 })),
    d: Type.Optional(Type.String({ format: 'date-time' })),
  });
  const web = await serveRoutes(t, [...routes, testRoute({ path: '/v1/text', query: text })]);
  const hostile = [
    'a'.repeat(7000),
    '!'.repeat(7000),
    '%00'.repeat(2000),
    '%F0%9F%98%80'.repeat(500),
    `${'0'.repeat(7000)}!`,
    ','.repeat(7000),
    '&'.repeat(7000),
    '&a'.repeat(3000),
    '%'.repeat(99),
  ];
  for (const value of hostile) {
    for (const path of [
      `/v1/text?q=${value}`,
      `/v1/text?d=${value}`,
      `/v1/text?${value}`,
      `/v1/items?limit=${value}`,
      `/v1/items/${value}`,
    ]) {
      const { status } = await web.fetch(path);
      assert.ok(status < 500, `${status} for ${path.slice(0, 40)}`);
    }
    for (const name of ['accept', 'authorization', 'if-none-match', 'x-forwarded-for', 'content-type']) {
      const { status } = await web.fetch('/v1/items', { headers: { [name]: value } });
      assert.ok(status < 500, `${status} for ${name}`);
    }
  }
});

test('a malformed request does not overtake the answers to requests before it on its connection', async (t) => {
  const gate = Promise.withResolvers<void>();
  const slow = testRoute({
    path: '/v1/slow',
    handle: async () => {
      await gate.promise;
      return { json: { slow: true } };
    },
  });
  const web = await serveRoutes(t, [...routes, slow]);
  const first = 'GET /v1/slow HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/items HTTP/1.1\r\nHost: x\r\n\r\n';
  const answered = web.raw(`${first}nonsense\r\n\r\n`);
  await until('both requests are admitted', () => web.steps.length === 6);
  gate.resolve();
  const text = await answered;
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
  assert.match(text, /"slow":true[\s\S]*\{\}[\s\S]*"INVALID_REQUEST"/);
});

test('a malformed body is refused at once, behind the answers to requests before it', async (t) => {
  const web = await serveRoutes(t, routes);
  const post = 'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const text = await web.raw(
    `GET /v1/items HTTP/1.1\r\nHost: x\r\n\r\n${post}Transfer-Encoding: chunked\r\n\r\nnot a length\r\n`,
  );
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 400']);
  assert.equal(await web.measure('freehold_http_active'), 0);
});
