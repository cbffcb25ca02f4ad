// Proves that whatever a payment service's API does, a call ends as an answer or as "nobody can tell".

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from '../../test/support/check/until.ts';
import { manualClock } from '../../test/support/service/clock.ts';
import { ProviderUnavailable } from '../access/tiers/provider.ts';
import { createPaymentApi, PaymentApiFailure, type PaymentCall } from './payment-api.ts';

const SECRET = 'polar_oat_canary';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function setUp(t: TestContext, answer: Answer) {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push(
      `${request.method} ${request.url} ${request.headers['content-type'] ?? '-'} ${body}`.trim(),
    );
    answer(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const clock = manualClock();
  const outcomes: string[] = [];
  const reserved: string[] = [];
  const api = createPaymentApi({
    clock,
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: { authorization: `Bearer ${SECRET}` },
    budget: { reserve: async (urgency) => void reserved.push(urgency) },
    onCall: (outcome) => outcomes.push(outcome),
  });
  t.after(async () => {
    await api.close();
    server.closeAllConnections();
    server.close();
  });
  const call = (more: Partial<PaymentCall> = {}) =>
    api.call({
      method: 'GET',
      path: '/v1/things',
      signal: new AbortController().signal,
      urgency: 'known',
      ...more,
    });
  return { clock, outcomes, reserved, received, call };
}

async function failureOf(call: Promise<unknown>): Promise<PaymentApiFailure> {
  const error = await call.then(
    () => assert.fail('it was answered'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ProviderUnavailable, String(error));
  assert.ok(error.cause instanceof PaymentApiFailure, String(error.cause));
  return error.cause;
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

test('a call carries its query, body and credentials, takes a place, and gives status and JSON', async (t) => {
  const { call, received, reserved, outcomes } = await setUp(t, (request, response, body) =>
    json(response, body === '' ? 200 : 404, { token: request.headers.authorization }),
  );
  const found = await call({ query: { id: ['a', 'b c'], after: undefined } });
  assert.deepEqual(found, { status: 200, body: { token: `Bearer ${SECRET}` } });
  assert.equal((await call({ method: 'POST', body: { key: 'k' } })).status, 404);
  await call({ method: 'POST', body: new URLSearchParams({ a: '1&2' }), urgency: 'unknown' });
  assert.deepEqual(received, [
    'GET /v1/things?id=a&id=b+c -',
    'POST /v1/things application/json {"key":"k"}',
    'POST /v1/things application/x-www-form-urlencoded a=1%262',
  ]);
  assert.deepEqual(
    [reserved, outcomes],
    [
      ['known', 'known', 'unknown'],
      ['answered', 'answered', 'answered'],
    ],
  );
});

test('statuses that say nothing about what was asked for, and what is no JSON, are failures', async (t) => {
  let status = 500;
  let text = '{}';
  const { call, outcomes } = await setUp(t, (_, response) => response.writeHead(status).end(text));
  for (status of [301, 302, 304, 401, 403, 405, 406, 408, 500, 502, 503, 504]) await failureOf(call());
  assert.deepEqual([...new Set(outcomes)], ['failed', 'denied']);
  status = 200;
  for (text of ['<html>', '{"a":', '\u{feff}[', 'nul']) {
    assert.equal((await failureOf(call())).outcome, 'failed', text);
  }
  text = JSON.stringify('a'.repeat(5e6));
  assert.equal((await failureOf(call())).outcome, 'failed');
  text = '';
  assert.deepEqual(await call(), { status: 200, body: null });
});

test('after a 429 nothing is sent until the service wants calls again, but never for more than ten minutes', async (t) => {
  const waits = ['3', '', 'soon', 'Mon, 05 Jan 2026 12:01:00 GMT', '99999999', '-5'];
  let limited = true;
  const { call, clock, received } = await setUp(t, (_, response) =>
    limited ? response.writeHead(429, { 'retry-after': waits[0] }).end() : json(response, 200, {}),
  );
  const expected = [3_000, 1_000, 1_000, 55_000, 600_000, 1_000];
  for (const wait of expected) {
    limited = true;
    assert.equal((await failureOf(call())).outcome, 'limited');
    limited = false;
    const sent = received.length;
    clock.advance(wait - 1);
    assert.equal((await failureOf(call())).outcome, 'limited');
    assert.equal(received.length, sent, `${waits[0]} was kept`);
    clock.advance(1);
    assert.equal((await call()).status, 200, `${waits[0]} was over`);
    waits.shift();
  }
});

test('a service that never answers, or never ends its answer, is given up after four seconds', async (t) => {
  const { call, clock, received, outcomes } = await setUp(t, (request, response) => {
    if (request.url?.endsWith('drip')) response.writeHead(200).write('{');
  });
  for (const [at, path] of ['/v1/silent', '/v1/drip'].entries()) {
    const failed = failureOf(call({ path }));
    await until('the call has arrived', () => received.length > at);
    clock.advance(4_000);
    assert.equal((await failed).outcome, 'late');
  }
  assert.deepEqual(outcomes, ['late', 'late']);
});

test('who leaves ends the call, and a service that is not there is a failure', async (t) => {
  const { call, outcomes } = await setUp(t, (request) => request.socket.destroy());
  assert.equal((await failureOf(call())).outcome, 'failed');
  const leaving = new AbortController();
  leaving.abort();
  assert.equal((await failureOf(call({ signal: leaving.signal }))).outcome, 'left');
  assert.deepEqual(outcomes, ['failed', 'left']);
});

test('a failure repeats no credentials, query or body', async (t) => {
  const { call } = await setUp(t, (_, response) => response.writeHead(500).end(SECRET));
  const key = 'SERVICE-CANARY';
  const { stack, message } = await failureOf(
    call({ method: 'POST', query: { key }, body: { key }, headers: { 'x-key': key } }),
  );
  assert.match(message, /^127\.0\.0\.1:\d+ answered 500 to POST \/v1\/things$/);
  assert.doesNotMatch(`${stack}`, /CANARY|canary/);
});
