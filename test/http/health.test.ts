// Proof that health and metrics are true, to those who may know.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import type { HealthCheck } from '../../src/http/server/health.ts';
import type { ServerOptions } from '../../src/http/server/server.ts';
import { Problem } from '../../src/lib/problem.ts';
import { until } from '../support/check/until.ts';
import { parseRaw, serveRoutes, testRoute } from '../support/service/http-server.ts';

const fine = (name: string, required = true): HealthCheck => ({
  name,
  required,
  check: async () => undefined,
});
const broken = (name: string, required: boolean): HealthCheck => ({
  name,
  required,
  check: () => Promise.reject(new Error('connect to secret-host failed')),
});
const withChecks = (...checks: HealthCheck[]) => ({
  health: { checks, metricsAccess: { allow: [], token: null } },
});

test('/livez answers whatever fails', async (t) => {
  const web = await serveRoutes(t, [], withChecks(broken('database', true)));
  const response = await web.fetch('/livez');
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { status: 'ok' });
  assert.equal(response.headers.get('cache-control'), 'no-store');
});

test('/readyz is 503 when something required fails, and 200 when only something optional does', async (t) => {
  const ready = await serveRoutes(t, [], withChecks(fine('database'), broken('upstream', false)));
  assert.equal((await ready.fetch('/readyz')).status, 200);
  const unready = await serveRoutes(t, [], withChecks(broken('database', true)));
  const response = await unready.fetch('/readyz');
  assert.equal(response.status, 503);
  const checks = [{ name: 'database', required: true, ok: false, detail: 'failed' }];
  assert.deepEqual(await response.json(), { status: 'unready', checks });
});

test('/readyz?verbose tells of every check, and of an unexpected error nothing', async (t) => {
  const loading: HealthCheck = {
    name: 'first load',
    required: true,
    check: () => Promise.reject(new Problem('OVERLOADED', '40 % loaded')),
  };
  const remark: HealthCheck = { name: 'migrations', required: true, check: async () => 'at 7' };
  const web = await serveRoutes(t, [], withChecks(remark, broken('upstream', false), loading));
  for (const path of ['/readyz?verbose', '/readyz?verbose=true']) {
    assert.deepEqual(await (await web.fetch(path)).json(), {
      status: 'unready',
      checks: [
        { name: 'migrations', required: true, ok: true, detail: 'at 7' },
        { name: 'upstream', required: false, ok: false, detail: 'failed' },
        { name: 'first load', required: true, ok: false, detail: '40 % loaded' },
      ],
    });
  }
  assert.equal((await web.fetch('/readyz?verbose=yes')).status, 400);
});

test('a check that hangs counts as failed after 2 s', async (t) => {
  const hanging: HealthCheck = {
    name: 'database',
    required: true,
    check: () => new Promise(() => undefined),
  };
  const web = await serveRoutes(t, [], withChecks(hanging));
  const answer = web.fetch('/readyz?verbose');
  await until('the check is timed', () => web.clock.waiting === 1);
  web.clock.advance(2_000);
  const response = await answer;
  assert.equal(response.status, 503);
  assert.match(await response.text(), /timed out/);
});

test('checks run at most once a second, however many probes come', async (t) => {
  let checks = 0;
  const counting: HealthCheck = {
    name: 'database',
    required: true,
    check: async () => {
      checks += 1;
      return undefined;
    },
  };
  const web = await serveRoutes(t, [], withChecks(counting));
  await Promise.all(Array.from({ length: 10 }, () => web.fetch('/readyz')));
  assert.equal(checks, 1);
  web.clock.advance(1_000);
  await web.fetch('/readyz');
  assert.equal(checks, 2);
});

/** A service that is there for this machine alone. */
const LOCAL = { publicUrl: 'http://127.0.0.1:8080' } satisfies Partial<ServerOptions<string>>;
const readable = (allow: readonly string[], token: string | null = null) =>
  ({ health: { checks: [], metricsAccess: { allow, token } } }) satisfies Partial<ServerOptions<string>>;

test('/metrics shows durations by route, method and status, to processes on the same machine', async (t) => {
  const web = await serveRoutes(
    t,
    [testRoute({ path: '/v1/items/:id', params: Type.Object({ id: Type.String() }) })],
    LOCAL,
  );
  await web.fetch('/v1/items/1');
  await web.fetch('/v1/items/2');
  await web.fetch('/nowhere/secret-path');
  const response = await web.fetch('/metrics');
  const text = await response.text();
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
  assert.match(text, /duration_seconds_count\{method="GET",route="\/v1\/items\/:id",status="200"\} 2/);
  assert.match(text, /freehold_http_active 1/);
  assert.ok(!text.includes('secret-path'));
});

test('/metrics is not there for what a proxy forwards, whatever the header claims and whoever is allowed', async (t) => {
  for (const allow of [[], ['127.0.0.0/8']]) {
    const web = await serveRoutes(t, [], { ...LOCAL, ...readable(allow), trustedProxies: ['127.0.0.1'] });
    for (const headers of [{ 'x-forwarded-for': '127.0.0.1' }, { forwarded: 'for=127.0.0.1' }]) {
      assert.equal((await web.fetch('/metrics', { headers })).status, 404);
    }
  }
});

test('/metrics of a public service is there for this machine only where that is allowed by name', async (t) => {
  for (const publicUrl of ['https://api.example', 'https://203.0.113.9'])
    assert.equal((await (await serveRoutes(t, [], { publicUrl })).fetch('/metrics')).status, 404);
  for (const publicUrl of ['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:1'])
    assert.equal((await (await serveRoutes(t, [], { publicUrl })).fetch('/metrics')).status, 200);
  const named = await serveRoutes(t, [], readable(['127.0.0.1', '::1']));
  assert.equal((await named.fetch('/metrics')).status, 200);
});

test('/metrics is there from anywhere for the token, and for nothing like it, and the log never tells it', async (t) => {
  const token = 'a-token-of-the-operator';
  const web = await serveRoutes(t, [], readable([], token));
  const ask = async (authorization: string) =>
    (await web.fetch('/metrics', { headers: { authorization, 'x-forwarded-for': '203.0.113.9' } })).status;
  assert.equal(await ask(`Bearer ${token}`), 200);
  for (const wrong of [`Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`, 'Bearer', token])
    assert.equal(await ask(wrong), 404);
  assert.ok(!web.log().includes(token.slice(1)));
  const without = await serveRoutes(t, []);
  const answer = await without.fetch('/metrics', { headers: { authorization: 'Bearer null' } });
  assert.equal(answer.status, 404);
});

test('requests that never reach a route are counted by code', async (t) => {
  const web = await serveRoutes(t, []);
  assert.equal(parseRaw(await web.raw('nonsense\r\n\r\n')).status, 400);
  assert.equal(await web.measure('freehold_http_refused_total{code="INVALID_REQUEST"}'), 1);
});

test('probes that succeed are logged at debug only, and those that fail like any request', async (t) => {
  const web = await serveRoutes(t, [testRoute({ path: '/v1/items' })], withChecks(broken('database', true)));
  for (const path of ['/livez', '/readyz', '/v1/items']) await (await web.fetch(path)).text();
  await until('the last is logged', () => web.log().includes('"route":"/v1/items"'));
  const routes = [...web.log().matchAll(/"route":"([^"]+)"/g)].map(([, route]) => route);
  assert.deepEqual(routes, ['/readyz', '/v1/items']);
});
