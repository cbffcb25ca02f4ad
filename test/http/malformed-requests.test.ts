// Proof that what cannot be understood is refused with a problem document, and what never arrives is cut.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { until } from '../support/check/until.ts';
import { routes } from '../support/service/framework-routes.ts';
import { parseRaw, serveRoutes, type Web } from '../support/service/http-server.ts';

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

/** Sends an upload as most clients do, which read nothing before all is written; resolves to what they can read then. */
async function upload(web: Web, path: string): Promise<string> {
  const chunks = 30;
  const chunk = Buffer.alloc(32_768, 'a');
  const socket = (await web.open()).pause();
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const length = chunks * chunk.byteLength;
  const type = 'multipart/form-data; boundary=aa';
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`);
  socket.write(`Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`);
  for (let sent = 0; sent < chunks; sent++) {
    await new Promise((written) => socket.write(chunk, written));
    await setImmediate();
  }
  let answer = '';
  socket.on('data', (part: Buffer) => {
    answer += part.toString();
  });
  socket.resume();
  await closed;
  return answer;
}

test('an upload that is refused gets its answer before the connection closes', async (t) => {
  const web = await serveRoutes(t, routes);
  for (const [path, status] of [
    ['/v1/things', 415],
    ['/v1/nowhere', 404],
    ['/v1/items/1', 405],
  ] as const)
    for (let round = 0; round < 5; round++)
      assert.match(await upload(web, path), new RegExp(`^HTTP/1\\.1 ${status} [^]*\\}$`), `${path} ${round}`);
});

test('a refused body that never arrives holds its connection for three seconds', async (t) => {
  const web = await serveRoutes(t, routes);
  const socket = await web.open();
  socket.write('POST /v1/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 415 /);
  const closed = once(socket, 'close');
  web.clock.advance(3_000);
  await closed;
});

test('a content type without a body is no body, where none is needed', async (t) => {
  const web = await serveRoutes(t, routes);
  const json = { 'content-type': 'application/json', 'content-length': '0' };
  assert.equal((await web.fetch('/v1/items/1', { method: 'DELETE', headers: json })).status, 204);
  const needed = await web.fetch('/v1/things', { method: 'POST', headers: json });
  assert.equal(needed.status, 400);
  assert.match(
    ((await needed.json()) as { detail: string }).detail,
    /The body is empty; send one JSON value/,
  );
});

test('a byte-order mark before JSON is skipped', async (t) => {
  const web = await serveRoutes(t, routes);
  const answer = await web.fetch('/v1/things', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '\uFEFF{"n":1}',
  });
  assert.deepEqual([answer.status, await answer.json()], [200, { n: 1 }]);
});

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
  await until('the request is under way', async () => (await web.measure('freehold_http_active')) === 1);
  socket.resetAndDestroy();
  await until('no request is under way', async () => (await web.measure('freehold_http_active')) === 0);
  assert.match(web.log(), /INVALID_REQUEST/);
  assert.ok(!web.log().includes('"level":"error"'));
});
