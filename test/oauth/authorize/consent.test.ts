// Tests of decisions on the consent page: who may send one, what it can change, and where the key goes.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { createLog } from '../../../src/lib/log.ts';
import {
  authorizationRequest,
  LOOPBACK,
  locationOf,
  open,
  registerClient,
  send,
  sendJson,
  submit,
  transactionOf,
} from '../../support/oauth/authorize.ts';
import { redeem } from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';
import { keyNumber, stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const sink = new PassThrough();
const lines: string[] = [];
sink.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
const service = await startService(
  { after },
  {
    log: createLog({ stream: sink }),
    overrides: { provider },
    environment: { TRUSTED_PROXIES: '127.0.0.1' },
  },
);
const { url, clock } = service;
const key = provider.subscribe('pro');
const WEB = 'https://app.example/cb';

/** Each test is another address: wrong keys are counted by it. */
let host = 0;
const fresh = () => ({ 'x-forwarded-for': `192.0.2.${++host}` });
const json = async (answer: Response) => (await answer.json()) as Record<string, unknown>;

test('CP5: a decision that a browser sends for another site is refused', async () => {
  const transaction = transactionOf(await (await open(service, authorizationRequest())).text());
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${url}.evil.example` },
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
  ];
  for (const headers of foreign) {
    for (const decision of ['free', 'deny', 'key']) {
      const answer = await send(service, { transaction, decision }, headers);
      assert.deepEqual([answer.status, answer.headers.get('location')], [403, null], JSON.stringify(headers));
      assert.equal((await sendJson(service, { transaction, decision }, headers)).status, 403);
    }
  }
  for (const headers of [
    {},
    { 'sec-fetch-site': 'same-origin', origin: url },
    { 'sec-fetch-site': 'none' },
  ]) {
    assert.equal((await send(service, { transaction, decision: 'free' }, headers)).status, 303);
  }
});

test('CP6: hidden fields cannot change what the page showed', async () => {
  const client = await registerClient(service, WEB);
  const authRequest = authorizationRequest({ client_id: client, redirect_uri: WEB, scope: 'watchers' });
  const transaction = transactionOf(await (await open(service, authRequest)).text());
  const evil = {
    redirect_uri: LOOPBACK,
    client_id: 'evil',
    code_challenge: 'a'.repeat(43),
    state: 'evil',
    scope: '',
  };
  const done = locationOf(await send(service, { transaction, decision: 'free', ...evil }));
  assert.equal(`${done.origin}${done.pathname}`, WEB);
  assert.equal(done.searchParams.get('state'), 'st-1');
  const authorizationCode = { code: done.searchParams.get('code') ?? '', clientId: client, redirectUri: WEB };
  const { status, body } = await redeem(service, { ...authorizationCode, verifier: authRequest.verifier });
  assert.deepEqual([status, body.scope], [200, 'watchers']);
  const [payload = '', signature = ''] = transaction.split('.');
  const bent = [
    `${payload}.${signature.slice(1)}A`,
    `A${payload}.${signature}`,
    payload,
    'x',
    `.${signature}`,
  ];
  for (const changed of bent) {
    const answer = await send(service, { ...authRequest.parameters, transaction: changed, decision: 'free' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null], changed);
  }
});

test('CP6: without the page every parameter is judged as it is on the way to it', async () => {
  const { parameters } = authorizationRequest();
  const refused = { ...parameters, redirect_uri: WEB };
  const page = await send(service, { ...refused, decision: 'free' });
  assert.deepEqual([page.status, page.headers.get('location')], [400, null]);
  const unknown = await sendJson(service, { ...refused, decision: 'free' });
  assert.deepEqual([unknown.status, (await json(unknown)).error], [400, 'invalid_client']);
  const faulty: readonly [Record<string, unknown>, string][] = [
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'junk' }, 'invalid_scope'],
    [{ resource: ['https://other.example'] }, 'invalid_target'],
    [{ state: '' }, 'invalid_request'],
    [{ state: '\ud800' }, 'invalid_request'],
    [{ state: ['a', 'b'] }, 'invalid_request'],
    [{ decision: 'maybe' }, 'invalid_request'],
  ];
  for (const [changes, error] of faulty) {
    const answer = await sendJson(service, { ...parameters, decision: 'free', ...changes });
    const body = await json(answer);
    assert.deepEqual([answer.status, body.error], [400, error], JSON.stringify(changes));
    assert.equal(typeof body.error_description, 'string');
  }
  const reply = await send(service, { ...parameters, scope: 'junk', decision: 'free' });
  assert.equal(locationOf(reply).searchParams.get('error'), 'invalid_scope');
  for (const twice of ['client_id', 'state', 'decision', 'api_key']) {
    const pairs = [
      ...Object.entries({ ...parameters, decision: 'free', api_key: key }),
      [twice, 'x'] as const,
    ];
    const answer = await send(service, pairs);
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null], twice);
  }
});

test('CP7: form and JSON are read alike, and JSON is answered to whoever asks for it', async () => {
  const authRequest = authorizationRequest();
  const fields = { ...authRequest.parameters, decision: 'key', api_key: key };
  const asJson = { accept: 'application/json' };
  for (const answer of [await sendJson(service, fields), await send(service, fields, asJson)]) {
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store']);
    const body = await json(answer);
    assert.deepEqual(Object.keys(body), ['redirect_to', 'code', 'state', 'iss']);
    const query = new URL(String(body.redirect_to)).searchParams;
    for (const name of ['code', 'state', 'iss']) assert.equal(query.get(name), body[name], name);
    assert.deepEqual([body.state, body.iss], ['st-1', url]);
    const authorizationCode = {
      code: String(body.code),
      verifier: authRequest.verifier,
      clientId: 'desktop-app',
    };
    assert.equal((await redeem(service, { ...authorizationCode, redirectUri: LOOPBACK })).status, 200);
  }
  for (const accept of ['*/*', 'text/html', 'image/png']) {
    assert.equal((await sendJson(service, fields, { accept })).status, 303, accept);
  }
  const denied = await sendJson(service, { ...fields, decision: 'deny' });
  const { redirect_to: to, ...said } = await json(denied);
  assert.deepEqual([denied.status, said], [200, { error: 'access_denied', state: 'st-1', iss: url }]);
  assert.equal(new URL(String(to)).searchParams.get('error'), 'access_denied');
});

test('CP7: the decision decides, a key is taken in any case and with blanks around it', async () => {
  const tierOf = async (answer: Response, verifier: string) => {
    const code = locationOf(answer).searchParams.get('code') ?? '';
    const authorizationCode = { code, verifier, clientId: 'desktop-app', redirectUri: LOOPBACK };
    const { body } = await redeem(service, authorizationCode);
    const usage = await service.get('/v1/usage', String(body.access_token));
    return ((await usage.json()) as { tier: string }).tier;
  };
  const cases: readonly [Record<string, string>, string][] = [
    [{ decision: 'key', api_key: key }, 'pro'],
    [{ api_key: ` ${key.toLowerCase()}\n` }, 'pro'],
    [{ decision: 'free', api_key: key }, 'free'],
    [{ decision: 'free' }, 'free'],
  ];
  for (const [fields, tier] of cases) {
    const authRequest = authorizationRequest();
    const done = await send(service, { ...authRequest.parameters, ...fields }, fresh());
    assert.equal(await tierOf(done, authRequest.verifier), tier, JSON.stringify(fields));
  }
});

test('CP8: a key that is not good leads back to the page, is not repeated, and gives no code', async () => {
  const ended = provider.subscribe('pro', clock.now() + 1_000);
  clock.advance(1_000);
  const wrong: readonly [string, string, string][] = [
    [keyNumber(1), 'INVALID_API_KEY', 'no active subscription'],
    ['SERVICE-nonsense-12345', 'INVALID_API_KEY', 'no active subscription'],
    [ended, 'EXPIRED_API_KEY', 'has ended'],
    ['', 'MISSING_API_KEY', ''],
  ];
  for (const [typed, problem, words] of wrong) {
    const answer = await submit(
      service,
      authorizationRequest(),
      { decision: 'key', api_key: typed },
      fresh(),
    );
    const page = await answer.text();
    assert.deepEqual([answer.status, answer.headers.get('location')], [401, null], problem);
    const challenge = `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource"`;
    assert.equal(answer.headers.get('www-authenticate'), challenge);
    assert.ok(page.includes(words), words);
    assert.ok(typed === '' || !page.toUpperCase().includes(typed.toUpperCase()));
    // The page still serves: the right key goes through.
    const again = { transaction: transactionOf(page), decision: 'key', api_key: key };
    assert.equal((await send(service, again, fresh())).status, 303);
    const reply = await sendJson(service, { ...authorizationRequest().parameters, api_key: typed }, fresh());
    const body = await json(reply);
    assert.deepEqual([reply.status, body.error, body.problem], [401, 'access_denied', problem]);
    assert.ok((reply.headers.get('www-authenticate') ?? '').startsWith(challenge));
  }
});

test('CP8: while nobody can tell whether a key is good, the page says so and gives no code', async () => {
  provider.mode = 'fail';
  const page = await submit(service, authorizationRequest(), { decision: 'key', api_key: key }, fresh());
  const reply = await sendJson(service, { ...authorizationRequest().parameters, api_key: key }, fresh());
  provider.mode = 'answer';
  assert.deepEqual([page.status, page.headers.get('location')], [503, null]);
  assert.match(page.headers.get('retry-after') ?? '', /^[1-9]/);
  assert.match(await page.text(), /cannot be checked/);
  assert.deepEqual([reply.status, (await json(reply)).error], [503, 'temporarily_unavailable']);
  assert.match(reply.headers.get('retry-after') ?? '', /^[1-9]/);
});

test('CP9: who cancels is taken back with that word', async () => {
  const done = locationOf(await submit(service, authorizationRequest(), { decision: 'deny' }));
  const { searchParams: query } = done;
  assert.deepEqual(
    [query.get('error'), query.get('state'), query.get('iss')],
    ['access_denied', 'st-1', url],
  );
  assert.equal(query.get('code'), null);
});

test('CP10: the key stands in no address, answer or log line', async () => {
  const done = await submit(service, authorizationRequest(), { decision: 'key', api_key: key });
  assert.ok(!`${done.headers.get('location')}`.includes(key.slice(8)));
  const got = await (await open(service, authorizationRequest(), `&api_key=${key}`)).text();
  assert.ok(!got.includes(key.slice(8)));
  assert.match(got, /<input type="password"[^>]*autocomplete="off"/);
  assert.ok(!lines.join('').includes(key.slice(8)));
});

test('CP13: the way from page to code needs neither cookies nor scripts', async () => {
  const reply = await open(service, authorizationRequest());
  assert.equal(reply.headers.get('set-cookie'), null);
  const page = await reply.text();
  assert.doesNotMatch(page, /<script|onclick|javascript:/i);
  const done = await send(service, { transaction: transactionOf(page), decision: 'free' });
  assert.deepEqual([done.status, done.headers.get('set-cookie')], [303, null]);
});

test('a page that stood open for ten minutes asks again, and what it showed can still be decided', async () => {
  const transaction = transactionOf(await (await open(service, authorizationRequest())).text());
  clock.advance(600_000);
  for (const decision of [{ decision: 'key', api_key: key }, { decision: 'free' }]) {
    const answer = await send(service, { transaction, ...decision }, fresh());
    assert.equal(answer.headers.get('location'), null);
    assert.ok(answer.status >= 400 && answer.status < 500);
    const again = { transaction: transactionOf(await answer.text()), ...decision };
    assert.equal((await send(service, again, fresh())).status, 303);
  }
  assert.equal((await sendJson(service, { transaction, decision: 'free' })).status, 400);
  assert.equal((await send(service, { transaction, decision: 'deny' })).status, 303);
});

test('LG2: registrations and decisions leave a trail', async () => {
  const client = await registerClient(service, WEB);
  const authRequest = authorizationRequest({ client_id: client, redirect_uri: WEB });
  await submit(service, authRequest, { decision: 'free' });
  await submit(service, authRequest, { decision: 'deny' });
  const events = lines
    .join('')
    .split('\n')
    .filter((line) => line.includes(client) && line.includes('"audit"'))
    .map((line) => JSON.parse(line) as { audit: string; grant?: number });
  assert.deepEqual(
    events.map(({ audit, grant }) => [audit, typeof grant]),
    [
      ['registered', 'undefined'],
      ['consent_granted', 'number'],
      ['consent_denied', 'undefined'],
    ],
  );
});

test('LG3: no query of the endpoint is logged, whatever the method', async () => {
  lines.length = 0;
  const query = new URLSearchParams(authorizationRequest({ state: 'secret-state' }).parameters);
  for (const method of ['GET', 'POST', 'PUT', 'HEAD']) {
    await (await fetch(`${url}/oauth/authorize?${query}`, { method, redirect: 'manual' })).text();
  }
  const reply = lines
    .join('')
    .split('\n')
    .filter((line) => line.includes('/oauth/authorize'));
  assert.equal(reply.length, 4);
  for (const line of reply) assert.ok(!line.includes('?') && !line.includes('secret-state'), line);
});
