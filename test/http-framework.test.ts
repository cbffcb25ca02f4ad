// Owns the proof that nothing the web framework or Node does on its own reaches a client, and nothing is ignored.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { parseRaw, problemOf, serveRoutes, testRoute } from './support/web.ts';

const query = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e6, aliases: ['pageSize'] })),
  radius: Type.Optional(Type.Number()),
});
const params = Type.Object({ id: Type.String({ maxLength: 40, missing: 'AREA_NOT_FOUND' }) });
const body = Type.Object(
  { n: Type.Optional(Type.Integer()), any: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
);
const routes = [
  testRoute({ path: '/v1/items', query, handle: (call) => ({ json: call.query }) }),
  testRoute({ path: '/v1/items/:id', params, handle: (call) => ({ json: call.params }) }),
  testRoute({ path: '/v1/items/:id', method: 'DELETE', params, handle: () => ({ status: 204 }) }),
  testRoute({ path: '/v1/things', method: 'POST', body, handle: (call) => ({ json: call.body }) }),
  testRoute({ path: '/v1/live', head: false, accepts: ['text/event-stream'] }),
  testRoute({
    path: '/v1/map',
    accepts: ['application/json', 'text/csv'],
    handle: (c) => ({ text: c.mediaType }),
  }),
  testRoute({
    path: '/docs',
    accepts: ['text/html'],
    handle: () => ({ text: 'x', headers: { 'Content-Security-Policy': 'own' } }),
  }),
];

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
    { parameter: 'limt', detail: 'is not a parameter of this endpoint', suggestion: 'limit' },
    { parameter: 'pastDays', detail: 'is not a parameter of this endpoint' },
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

const refused = [
  [
    'an undecodable path',
    'GET /v1/items/%E0%A4%A HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    400,
    'INVALID_REQUEST',
  ],
  ['a lone percent sign', 'GET /% HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400, 'INVALID_REQUEST'],
  [
    'an undecodable query',
    'GET /v1/items?limit=%FF HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    400,
    'INVALID_PARAMETER',
  ],
  [
    'a fragment',
    'GET /v1/items#limit=2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    400,
    'INVALID_REQUEST',
  ],
  ['no Host', 'GET /v1/items HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'INVALID_REQUEST'],
  [
    'two Hosts',
    'GET /v1/items HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n',
    400,
    'INVALID_REQUEST',
  ],
  [
    'a long address',
    `GET /v1/items?x=${'a'.repeat(9000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    414,
    'URI_TOO_LONG',
  ],
  [
    'a very long address',
    `GET /v1/items?x=${'a'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    414,
    'URI_TOO_LONG',
  ],
  [
    'large headers',
    `GET /v1/items HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(17_000)}\r\n\r\n`,
    431,
    'HEADERS_TOO_LARGE',
  ],
  [
    'a part of the path that names nothing',
    `GET /v1/items/${'a'.repeat(101)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    404,
    'AREA_NOT_FOUND',
  ],
  [
    'an encoded NUL in the path',
    'GET /v1/items/a%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    404,
    'AREA_NOT_FOUND',
  ],
  ['garbage', 'nonsense\r\n\r\n', 400, 'INVALID_REQUEST'],
  [
    'Content-Length beside Transfer-Encoding',
    'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
    'INVALID_REQUEST',
  ],
  [
    'two Content-Lengths',
    'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
    400,
    'INVALID_REQUEST',
  ],
  [
    'a bare carriage return in a header',
    'GET /v1/items HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n',
    400,
    'INVALID_REQUEST',
  ],
  [
    'an unknown expectation',
    'GET /v1/items HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
    400,
    'INVALID_REQUEST',
  ],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  ['a body on GET', 'GET /v1/items HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi', 400, 'INVALID_BODY'],
  [
    'a body on DELETE',
    'DELETE /v1/items/1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
    400,
    'INVALID_BODY',
  ],
  [
    'a compressed body',
    'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'a form where JSON is read',
    'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\nn=1',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'a body without a type',
    'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'a type that is none',
    'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: ;;\r\nContent-Length: 2\r\n\r\n{}',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'another charset',
    'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json; charset=utf-16\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'a body announced as too large',
    'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n',
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  [
    'a body that grows too large',
    `POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n${' '.repeat(0x200000)}\r\n`,
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  [
    'a chunk extension without end',
    `POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(40_000)}\r\n`,
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  ['an unknown address', 'GET /v2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, 'NOT_FOUND'],
  ['a slash too many', 'GET /v1/things/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, 'NOT_FOUND'],
  ['another case', 'GET /V1/Items HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, 'NOT_FOUND'],
  [
    'a media type not on offer',
    'GET /v1/items HTTP/1.1\r\nHost: x\r\nAccept: text/csv\r\nConnection: close\r\n\r\n',
    406,
    'NOT_ACCEPTABLE',
  ],
] as const;

for (const [what, bytes, status, code] of refused) {
  test(`${what} is answered with a problem document: ${status} ${code}`, async (t) => {
    const web = await serveRoutes(t, routes);
    const answer = parseRaw(await web.raw(bytes));
    assert.equal(answer.status, status);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
    const problem = JSON.parse(answer.body);
    assert.equal(problem.code, code);
    assert.equal(problem.status, status);
    assert.equal(problem.requestId, answer.headers.get('x-request-id'));
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  });
}

test('a request that does not arrive in time is answered with 408 and cut', async (t) => {
  const limits = { headersTimeoutMs: 50, requestTimeoutMs: 50, checkIntervalMs: 10 };
  const web = await serveRoutes(t, routes, { limits });
  for (const start of [
    'GET /v1/items HTTP/1.1\r\nHost: x\r\nX-',
    'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
  ]) {
    const answer = parseRaw(await web.raw(start));
    assert.equal(answer.status, 408);
    assert.equal(JSON.parse(answer.body).code, 'REQUEST_TIMEOUT');
  }
});

test('a client that leaves in the middle of its body is no error of ours, and leaves nothing behind', async (t) => {
  const web = await serveRoutes(t, routes);
  const socket = await web.open();
  const head =
    'POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n';
  socket.write(`${head}{`);
  while ((await web.measure('freehold_http_active')) !== 1) await new Promise(setImmediate);
  socket.resetAndDestroy();
  while ((await web.measure('freehold_http_active')) !== 0) await new Promise(setImmediate);
  assert.match(web.log(), /INVALID_REQUEST/);
  assert.ok(!web.log().includes('"level":"error"'));
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

test('a preflight is answered for the data paths, without credentials and uncounted', async (t) => {
  const web = await serveRoutes(t, routes);
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
  const response = await web.fetch('/v1/items/1', { method: 'OPTIONS', headers });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  assert.equal(response.headers.get('access-control-allow-methods'), 'GET, HEAD, DELETE, OPTIONS');
  assert.match(response.headers.get('access-control-allow-headers') ?? '', /Authorization/);
  assert.equal(response.headers.get('access-control-allow-credentials'), null);
  assert.deepEqual(web.steps, []);
});

test('pages answer OPTIONS with Allow and without CORS', async (t) => {
  const web = await serveRoutes(t, routes);
  const response = await web.fetch('/docs', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example' },
  });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
  assert.equal(response.headers.get('access-control-allow-origin'), null);
  assert.equal(response.headers.get('access-control-allow-methods'), null);
  assert.equal((await web.fetch('/nowhere', { method: 'OPTIONS' })).status, 404);
  const all = parseRaw(await web.raw('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'));
  assert.equal(all.status, 204);
});

test('other origins may read the limit headers and the request id, of errors too', async (t) => {
  const web = await serveRoutes(t, routes);
  for (const path of ['/v1/items', '/v1/items?x=1', '/v1/nowhere']) {
    const response = await web.fetch(path);
    assert.equal(response.headers.get('access-control-allow-origin'), '*', path);
    const exposed = response.headers.get('access-control-expose-headers') ?? '';
    for (const name of [
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'ETag',
      'WWW-Authenticate',
      'Link',
    ])
      assert.ok(exposed.split(', ').includes(name), name);
  }
});

test('every answer protects browsers, a page may replace the policy, and HTTPS is insisted on where it is public', async (t) => {
  const web = await serveRoutes(t, routes);
  const data = await web.fetch('/v1/items');
  assert.equal(data.headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
  assert.equal(data.headers.get('strict-transport-security'), 'max-age=31536000');
  assert.equal(
    (await web.fetch('/docs', { headers: { accept: 'text/html' } })).headers.get('content-security-policy'),
    'own',
  );
  const plain = await serveRoutes(t, routes, { publicUrl: 'http://192.168.0.2:8080' });
  assert.equal((await plain.fetch('/v1/items')).headers.get('strict-transport-security'), null);
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
