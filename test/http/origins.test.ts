// Tests of the headers for browsers: who may ask from where, what they may read, and what they must not do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routes } from '../support/service/framework-routes.ts';
import { parseRaw, serveRoutes, testRoute } from '../support/service/http-server.ts';

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

test('a preflight allows the headers of monitoring libraries by name, and any other', async (t) => {
  const web = await serveRoutes(t, routes);
  const response = await web.fetch('/v1/items/1', { method: 'OPTIONS' });
  const allowed = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(', ');
  for (const name of [
    'authorization',
    'cache-control',
    'if-modified-since',
    'last-event-id',
    'x-requested-with',
    'baggage',
    'sentry-trace',
    'traceparent',
    'tracestate',
    '*',
    ...['trace-id', 'parent-id', 'origin', 'sampling-priority', 'tags'].map((part) => `x-datadog-${part}`),
  ])
    assert.ok(allowed.includes(name), name);
});

test('the descriptions of the service can be read by pages of other origins', async (t) => {
  const web = await serveRoutes(t, [...routes, testRoute({ path: '/llms.txt' })]);
  for (const path of ['/openapi.json', '/openapi.yaml', '/llms.txt']) {
    const { headers, status } = await web.fetch(path);
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [200, '*'], path);
    const preflight = await web.fetch(path, { method: 'OPTIONS' });
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS', path);
  }
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
      'Location',
      'Content-Disposition',
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
