// Tests of the validation of authorization requests, and of how each error is reported.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  authorizationRequest,
  LOOPBACK,
  locationOf,
  open,
  registerClient,
  send,
  submit,
  transactionOf,
} from '../../support/oauth/authorize.ts';
import { redeem } from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after });
const { url, clock, keys } = service;
const WEB = 'https://app.example/cb';
const DAY = 86_400_000;

/** The page's status, after checking that it sends nobody anywhere. */
async function refused(answer: Response): Promise<[number, string]> {
  const page = await answer.text();
  assert.equal(answer.headers.get('location'), null);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
  const [, main = ''] = page.split(/<\/?main[^>]*>/);
  assert.notEqual(main, '');
  assert.doesNotMatch(main, /href="/);
  return [answer.status, page];
}

/** The error that the client is told of, after checking what every redirect has. */
function redirectError(answer: Response, state: string | null = 'st-1'): string | null {
  const query = locationOf(answer).searchParams;
  assert.deepEqual(query.getAll('iss'), [url]);
  assert.deepEqual(query.getAll('state'), state === null ? [] : [state]);
  assert.equal(query.get('code'), null);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  return query.get('error');
}

test('AZ1: without a good client and redirect nobody is redirected', async () => {
  const client = await registerClient(service, WEB);
  const cases: readonly [string, Readonly<Record<string, string | undefined>>][] = [
    ['no client_id', { client_id: undefined }],
    ['an empty client_id', { client_id: '' }],
    ['a control character in it', { client_id: 'a\u0007b' }],
    ['a long one', { client_id: 'a'.repeat(201) }],
    ['one beyond ASCII', { client_id: 'é' }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['a redirect that is none', { redirect_uri: 'callback' }],
    ['a script', { redirect_uri: 'javascript:alert(1)//127.0.0.1' }],
    ['an unknown client with a site', { redirect_uri: WEB }],
    ['a registered client with another path', { client_id: client, redirect_uri: `${WEB}/x` }],
    ['a registered client with a fragment', { client_id: client, redirect_uri: `${WEB}#x` }],
  ];
  for (const [name, changes] of cases) {
    const [status, page] = await refused(await open(service, authorizationRequest(changes)));
    assert.equal(status, 400, name);
    assert.ok(!page.includes('app.example/cb'), name);
  }
});

test('AZ2: of http on this computer the port is free, and nothing else', async () => {
  const client = await registerClient(service, 'http://localhost/callback', 'http://127.0.0.1/', WEB);
  const cases: readonly [string, number][] = [
    ['http://localhost:51234/callback', 200],
    ['http://localhost/callback', 200],
    ['http://127.0.0.1:33418/', 200],
    [WEB, 200],
    ['http://127.0.0.1:51234/callback', 400],
    ['http://[::1]/callback', 400],
    ['http://127.0.0.1:33418', 400],
    ['http://localhost:51234/callback/', 400],
    ['http://localhost:51234/callback?x=1', 400],
    ['https://localhost/callback', 400],
    ['https://app.example:443/cb', 400],
    ['https://APP.example/cb', 400],
  ];
  for (const [redirectUri, status] of cases) {
    const answer = await open(
      service,
      authorizationRequest({ client_id: client, redirect_uri: redirectUri }),
    );
    assert.equal(answer.status, status, redirectUri);
  }
});

test('AZ3: whoever is not registered is redirected to this computer only, by the host as it is written', async () => {
  const cases: readonly [string, number][] = [
    ['http://localhost/x', 200],
    ['https://localhost:8443/x', 200],
    ['http://127.0.0.1:1/x?y=1', 200],
    ['http://[::1]:9/', 200],
    ['http://localhost.app.example/', 400],
    ['http://localhost@app.example/', 400],
    ['http://127.0.0.2/', 400],
    ['http://2130706433/', 400],
    ['http://LOCALHOST/', 400],
    ['http:\\\\localhost/', 400],
    ['cursor://localhost/', 400],
  ];
  for (const [redirectUri, status] of cases) {
    assert.equal(
      (await open(service, authorizationRequest({ redirect_uri: redirectUri }))).status,
      status,
      redirectUri,
    );
  }
  for (const id of [
    'http://localhost/client.json',
    'https://localhost/client.json',
    'HTTPS://app.example/x',
    'https://',
  ]) {
    const [status] = await refused(await open(service, authorizationRequest({ client_id: id })));
    assert.equal(status, 400, id);
  }
});

test('AZ4: a registered client has its own redirects only', async () => {
  const client = await registerClient(service, WEB);
  const [status] = await refused(await open(service, authorizationRequest({ client_id: client })));
  assert.equal(status, 400);
});

test('AZ6: only codes are given', async () => {
  assert.equal(
    redirectError(await open(service, authorizationRequest({ response_type: 'token' }))),
    'unsupported_response_type',
  );
  assert.equal(
    redirectError(await open(service, authorizationRequest({ response_type: 'code token' }))),
    'unsupported_response_type',
  );
  assert.equal(
    redirectError(await open(service, authorizationRequest({ response_type: undefined }))),
    'invalid_request',
  );
  assert.equal(
    redirectError(await open(service, authorizationRequest({ response_mode: 'fragment' }))),
    'invalid_request',
  );
  assert.equal((await open(service, authorizationRequest({ response_mode: 'query' }))).status, 200);
});

test('AZ7: every code needs a challenge by S256', async () => {
  const wrong = [
    { code_challenge: undefined },
    { code_challenge: 'a'.repeat(42) },
    { code_challenge: 'a'.repeat(44) },
    { code_challenge: `${'a'.repeat(42)}=` },
    { code_challenge_method: undefined },
    { code_challenge_method: 'plain' },
    { code_challenge_method: 's256' },
  ];
  for (const changes of wrong) {
    assert.equal(
      redirectError(await open(service, authorizationRequest(changes))),
      'invalid_request',
      JSON.stringify(changes),
    );
  }
});

test('AZ8: state is needed, and comes back as it was sent', async () => {
  for (const state of [undefined, '', 'a'.repeat(2_049)]) {
    assert.equal(
      redirectError(await open(service, authorizationRequest({ state })), null),
      'invalid_request',
    );
  }
  const odd = [
    'a b+c',
    '%2B&=#?/',
    'é\u{1f600}\u202e',
    '{"a":["b"]}',
    '\t\r\n',
    'a'.repeat(2_048),
    '\'"<>\\',
  ];
  for (const state of odd) {
    assert.equal(
      redirectError(await open(service, authorizationRequest({ state, scope: 'junk' })), state),
      'invalid_scope',
    );
    const done = await submit(service, authorizationRequest({ state }), { decision: 'free' });
    assert.equal(locationOf(done).searchParams.get('state'), state);
  }
});

test('AZ9: a parameter twice is an error, unknown ones are ignored, empty ones are none', async () => {
  for (const name of ['client_id', 'redirect_uri']) {
    const [status] = await refused(await open(service, authorizationRequest(), `&${name}=x`));
    assert.equal(status, 400, name);
  }
  const others = ['response_type', 'code_challenge', 'code_challenge_method', 'scope', 'prompt', 'junk'];
  for (const name of others) {
    const answer = await open(
      service,
      authorizationRequest({ [name]: authorizationRequest().parameters[name] ?? 'a' }),
      `&${name}=x`,
    );
    assert.equal(redirectError(answer), 'invalid_request', name);
  }
  assert.equal(
    redirectError(await open(service, authorizationRequest(), '&state=other'), null),
    'invalid_request',
  );
  const empty = '&scope=&prompt=&resource=&request=&response_mode=&junk=1&constructor=2&__proto__=3';
  assert.equal((await open(service, authorizationRequest(), empty)).status, 200);
  for (const broken of ['&x=%ff', '&x=%', `&${'a&'.repeat(200)}`]) {
    const [status] = await refused(await open(service, authorizationRequest(), broken));
    assert.equal(status, 400, broken);
  }
});

test('AZ10: resources are those of this service', async () => {
  for (const resource of [url, `${url}/`, `${url}/mcp`, `${url}/mcp/`]) {
    assert.equal((await open(service, authorizationRequest({ resource }))).status, 200, resource);
  }
  const both = `&resource=${encodeURIComponent(`${url}/mcp`)}`;
  assert.equal((await open(service, authorizationRequest({ resource: url }), both)).status, 200);
  for (const resource of ['https://other.example', `${url}/v1`, `${url}#x`, '/mcp']) {
    assert.equal(
      redirectError(await open(service, authorizationRequest({ resource }))),
      'invalid_target',
      resource,
    );
  }
});

test('AZ11: of the scopes those are granted that exist', async () => {
  const authRequest = authorizationRequest({ scope: 'listings:read junk openid' });
  const code =
    locationOf(await submit(service, authRequest, { decision: 'free' })).searchParams.get('code') ?? '';
  const authorizationCode = {
    code,
    verifier: authRequest.verifier,
    clientId: 'desktop-app',
    redirectUri: LOOPBACK,
  };
  assert.equal((await redeem(service, authorizationCode)).body.scope, 'listings:read');
  assert.equal(redirectError(await open(service, authorizationRequest({ scope: 'junk' }))), 'invalid_scope');
  assert.equal((await open(service, authorizationRequest({ scope: 'openid offline_access' }))).status, 200);
});

test('AZ12: somebody is always asked, and request objects are not read', async () => {
  assert.equal(
    redirectError(await open(service, authorizationRequest({ prompt: 'none' }))),
    'interaction_required',
  );
  assert.equal((await open(service, authorizationRequest({ prompt: 'login consent' }))).status, 200);
  assert.equal(
    redirectError(await open(service, authorizationRequest({ request: 'e30' }))),
    'request_not_supported',
  );
  assert.equal(
    redirectError(await open(service, authorizationRequest({ request_uri: WEB }))),
    'request_uri_not_supported',
  );
});

test('AZ13: redirects keep their own query and add code, state and iss once each, without a fragment', async () => {
  const cases: readonly [string, string][] = [
    [`${LOOPBACK}?a=1&b`, `${LOOPBACK}?a=1&b&code=`],
    [`${LOOPBACK}?`, `${LOOPBACK}?code=`],
    ['http://localhost', 'http://localhost?code='],
  ];
  for (const [redirectUri, begins] of cases) {
    const done = await submit(service, authorizationRequest({ redirect_uri: redirectUri }), {
      decision: 'free',
    });
    const location = done.headers.get('location') ?? '';
    assert.ok(location.startsWith(begins), location);
    assert.equal(new URL(location).hash, '');
    const query = new URL(location).searchParams;
    for (const name of ['code', 'state', 'iss']) assert.equal(query.getAll(name).length, 1, name);
    assert.equal(query.get('iss'), url);
  }
  for (const name of ['code', 'state', 'iss', 'error']) {
    const [status] = await refused(
      await open(service, authorizationRequest({ redirect_uri: `${LOOPBACK}?${name}=1` })),
    );
    assert.equal(status, 400, name);
  }
});

test('AZ14: redirects are by 303, so that no form is sent on', async () => {
  const done = await submit(service, authorizationRequest(), { decision: 'key', api_key: keys.pro });
  assert.deepEqual([done.status, done.headers.get('cache-control')], [303, 'no-store']);
  assert.equal(await done.text(), '');
});

test('AZ16: looking at the page changes nothing: of two pages the first still works, and after it the second', async () => {
  const authRequest = authorizationRequest();
  const [first, second] = await Promise.all([open(service, authRequest), open(service, authRequest)]);
  const transactions = [transactionOf(await first.text()), transactionOf(await second.text())];
  const codes = new Set<string | null>();
  for (const transaction of transactions) {
    codes.add(locationOf(await send(service, { transaction, decision: 'free' })).searchParams.get('code'));
  }
  assert.equal(codes.size, 2);
  const grants = await service.database.read((sql) => sql`select count(*)::int as n from oauth_grant`);
  await open(service, authRequest);
  assert.deepEqual(
    await service.database.read((sql) => sql`select count(*)::int as n from oauth_grant`),
    grants,
  );
});

test('AZ17: nothing at all is a page, HEAD is GET without a body, other methods are told which there are', async () => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await fetch(`${url}/oauth/authorize`, { method });
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null]);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
  }
  const put = await fetch(`${url}/oauth/authorize`, { method: 'PUT' });
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, HEAD, POST, OPTIONS']);
});

test('AZ15: a code lives for five minutes', async () => {
  for (const [milliseconds, status] of [
    [299_999, 200],
    [300_000, 400],
  ] as const) {
    const authRequest = authorizationRequest();
    const code =
      locationOf(await submit(service, authRequest, { decision: 'free' })).searchParams.get('code') ?? '';
    clock.advance(milliseconds);
    const authorizationCode = {
      code,
      verifier: authRequest.verifier,
      clientId: 'desktop-app',
      redirectUri: LOOPBACK,
    };
    const answer = await redeem(service, authorizationCode);
    assert.equal(answer.status, status);
    if (status === 400) assert.equal(answer.body.error, 'invalid_grant');
  }
});

test('AZ5: a registration that has expired leaves an app on this computer unregistered, and shuts out a site', async () => {
  const client = await registerClient(service, WEB, LOOPBACK);
  const site = authorizationRequest({ client_id: client, redirect_uri: WEB });
  const local = authorizationRequest({ client_id: client });
  assert.match(await (await open(service, local)).text(), /Test app/);
  clock.advance(31 * DAY);
  const [status, page] = await refused(await open(service, site));
  assert.equal(status, 400);
  assert.match(page, /expired/);
  const again = await open(service, local);
  assert.equal(again.status, 200);
  assert.doesNotMatch(await again.text(), /Test app/);
});
