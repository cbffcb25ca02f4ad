// Tests of known attacks on authorization servers: header injection, decisions by GET, duplicate fields, forged hosts, stolen codes.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import {
  authorizationRequest,
  LOOPBACK,
  locationOf,
  open,
  send,
  sendJson,
  submit,
} from '../../support/oauth/authorize.ts';
import { codeFields, newVerifier, postForm, redeem, register } from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after });
const { url, keys } = service;
const WEB = 'https://app.example/cb';
/** The names and values of an answer's headers as they came, since fetch joins and mends them. */
function rawHeaders(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.rawHeaders));
    });
    outgoing.on('error', reject).end();
  });
}

test('no text of a request becomes a header of its own, and state comes back as it was', async () => {
  const states = [
    'a\r\nSet-Cookie: stolen=1',
    'a\nLocation: https://evil.example',
    '\u2028x',
    'é\u{1f600}',
    'a\u0085b',
    '&code=stolen&iss=https://evil.example',
    '#code=stolen',
    '%0d%0aX: y',
    '"><script>',
    '+ +',
  ];
  for (const state of states) {
    const query = new URLSearchParams(authorizationRequest({ state, prompt: 'none' }).parameters);
    const headers = await rawHeaders(`/oauth/authorize?${query}`);
    const names = headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
    assert.ok(!names.includes('set-cookie') && !names.includes('x'), state);
    assert.deepEqual(names.filter((name) => name === 'location').length, 1);
    const { searchParams, hash } = new URL(
      headers[headers.findIndex((name) => /^location$/i.test(name)) + 1] ?? '',
    );
    assert.deepEqual([searchParams.get('state'), searchParams.get('iss'), hash], [state, url, '']);
    assert.equal(searchParams.has('code'), false);
  }
});

test('nothing that a GET carries decides anything', async () => {
  const decided = { decision: 'free', api_key: keys.pro, transaction: 'a', _method: 'POST' };
  const answer = await open(
    service,
    { parameters: { ...authorizationRequest().parameters, ...decided } },
    '',
    {
      headers: { 'x-http-method-override': 'POST', 'x-method-override': 'POST' },
    },
  );
  assert.deepEqual([answer.status, answer.headers.get('location')], [200, null]);
  assert.ok(!(await answer.text()).includes(keys.pro));
});

test('a decision is one: what is said twice, or beside the body, is refused or not heard', async () => {
  const { parameters } = authorizationRequest();
  const pairs = Object.entries(parameters);
  for (const repeated of [
    [
      ['decision', 'deny'],
      ['decision', 'free'],
    ],
    [
      ['decision', 'free'],
      ['api_key', 'a'],
      ['api_key', keys.pro],
    ],
    [
      ['decision', 'free'],
      ['client_id', 'another'],
    ],
    [
      ['decision', 'free'],
      ['redirect_uri', 'http://localhost/other'],
    ],
  ] as const) {
    const answer = await send(service, [...pairs, ...repeated]);
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null], JSON.stringify(repeated));
  }
  const twice = await send(service, [...pairs, ['decision', 'free'], ['code_challenge', 'a'.repeat(43)]]);
  assert.equal(twice.status === 303 && locationOf(twice).searchParams.has('code'), false);
  for (const fields of [
    { client_id: ['desktop-app', 'another'] },
    { redirect_uri: [LOOPBACK, 'https://evil.example'] },
    { redirect_uri: { toString: 'https://evil.example' } },
    { state: ['a', 'b'] },
    { code_challenge: ['a'.repeat(43), 'b'.repeat(43)] },
    { decision: ['free'] },
  ]) {
    const answer = await sendJson(service, { ...parameters, decision: 'free', ...fields });
    assert.equal(answer.status, 400, JSON.stringify(fields));
  }
  const beside = new URLSearchParams({
    redirect_uri: 'http://localhost/other',
    decision: 'free',
    client_id: 'b',
  });
  const body = new URLSearchParams({ ...parameters, decision: 'deny' });
  const heard = await fetch(`${url}/oauth/authorize?${beside}`, { method: 'POST', body, redirect: 'manual' });
  assert.ok(heard.headers.get('location')?.startsWith(`${LOOPBACK}?error=access_denied&`));
});

test('the name under which somebody calls the service is in no answer', async () => {
  const lies = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',

    forwarded: 'host=evil.example',
    'x-original-url': '//evil.example',
    'x-forwarded-prefix': '/evil.example',
  };
  const authRequest = authorizationRequest();
  const denied = new URLSearchParams({ ...authRequest.parameters, prompt: 'none' });
  const paths = [
    `/oauth/authorize?${new URLSearchParams(authRequest.parameters)}`,
    `/oauth/authorize?${denied}`,
    '/oauth/authorize',
    '/oauth/grants',
    '/v1/usage',
    '/mcp',
    '/.well-known/oauth-authorization-server',
  ];
  for (const path of paths) {
    const texts = await new Promise<string>((resolve, reject) => {
      const outgoing = request(`${url}${path}`, { headers: lies }, async (answer) => {
        const body = Buffer.concat(await answer.toArray()).toString();
        resolve(`${answer.rawHeaders.join('\n')}\n${body}`);
      });
      outgoing.on('error', reject).end();
    });
    assert.ok(!texts.includes('evil.example'), path);
  }
});

test('no answer of the authorization server is kept by a cache, whatever its status', async () => {
  const authRequest = authorizationRequest();
  const answers = [
    open(service, authRequest),
    open(service, authorizationRequest({ prompt: 'none' })),
    open(service, authorizationRequest({ redirect_uri: WEB })),

    submit(service, authRequest, { decision: 'free' }),
    submit(service, authRequest, { decision: 'deny' }),
    submit(service, authRequest, { api_key: 'wrong' }),
    send(service, { transaction: 'forged' }),
    sendJson(service, { ...authRequest.parameters, decision: 'free' }),
    sendJson(service, {}),
    fetch(`${url}/oauth/grants`),
    ...['token', 'revoke', 'register', 'grants'].map((path) =>
      fetch(`${url}/oauth/${path}`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) }),
    ),
    fetch(`${url}/oauth/token`),
    fetch(`${url}/oauth/authorize`, { method: 'PUT' }),
  ];
  for (const answer of await Promise.all(answers)) {
    const message = `${answer.status} ${answer.url.slice(0, 60)}`;
    assert.match(answer.headers.get('cache-control') ?? 'none', /no-store/, message);
    assert.equal(answer.headers.get('set-cookie'), null);
  }
});

test('a resource that only looks like ours is none', async () => {
  const host = new URL(url).host;
  for (const resource of [
    `${url}//`,
    `${url}/mcp//`,
    `${url}/mcp/x`,
    `${url}/MCP`,
    `${url}/v1`,
    `${url}?a`,
    `${url}#`,
    `${url}.evil.example`,

    `http://${host}@evil.example`,
    `http://a@${host}`,
    `HTTP://${host}`,
    `https://${host}`,
    `//${host}`,
    ` ${url}`,
  ]) {
    const location = locationOf(await open(service, authorizationRequest({ resource })));
    assert.equal(location.searchParams.get('error'), 'invalid_target', resource);
  }
});

test('a stolen code is of no use to whoever asked with a challenge of their own, and stays good for its owner', async () => {
  const client = await register(service, { redirect_uris: [LOOPBACK] });
  const begin = async () => {
    const authRequest = authorizationRequest({ client_id: client });
    const location = locationOf(await submit(service, authRequest, { decision: 'free' }));
    const code = location.searchParams.get('code') ?? '';
    return { code, verifier: authRequest.verifier, clientId: client, redirectUri: LOOPBACK };
  };
  const [victim, thief] = [await begin(), await begin()];
  for (const changes of [
    { code_verifier: thief.verifier },
    { code_verifier: undefined },
    { code_verifier: '' },
    { code_verifier: thief.verifier, code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' },
    { code_verifier: newVerifier(), redirect_uri: undefined },
  ])
    assert.equal((await redeem(service, victim, changes)).status, 400);
  const both = [['code', thief.code], ...Object.entries(codeFields(victim))] as const;
  assert.equal((await postForm(service, '/oauth/token', both)).body.error, 'invalid_request');
  assert.equal((await redeem(service, victim)).status, 200);
});
