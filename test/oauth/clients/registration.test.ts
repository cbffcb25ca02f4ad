// Tests of client registration: what is stored, what is refused, and how the number is bounded.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  authorizationRequest,
  open,
  register,
  registerClient,
  submit,
} from '../../support/oauth/authorize.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after }, { environment: { TRUSTED_PROXIES: '127.0.0.1' } });
const { clock } = service;
const WEB = 'https://app.example/cb';
const DAY = 86_400_000;

/** Each test is another client's: registrations of one address are limited. */
let host = 0;
const fresh = () => ({ 'x-forwarded-for': `192.0.2.${++host}` });
const send = (metadata: unknown) => register(service, metadata, fresh());

test('RG1: what is registered is echoed, with an id and its dates', async () => {
  const { status, headers, body } = await send({ client_name: 'My app', redirect_uris: [WEB] });
  assert.deepEqual([status, headers.get('cache-control')], [201, 'no-store']);
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
  const { client_id: id, ...rest } = body;
  assert.equal(typeof id, 'string');
  const now = Math.floor(clock.now() / 1000);
  assert.deepEqual(rest, {
    client_id_issued_at: now,
    client_id_expires_at: now + 30 * 86_400,
    client_name: 'My app',
    redirect_uris: [WEB],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
});

test('RG2: nothing is null or empty, and there is no secret', async () => {
  const metadata = { redirect_uris: [WEB], client_uri: '', logo_uri: null, client_name: '', scope: '' };
  const { status, body } = await send(metadata);
  assert.equal(status, 201);
  for (const [name, value] of Object.entries(body)) assert.ok(value !== null && value !== '', name);
  assert.ok(!Object.keys(body).some((name) => name.startsWith('client_secret')));
});

test('RG3: every client is a public one, whatever it asked for', async () => {
  for (const method of ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none', 7]) {
    const { status, body } = await send({ redirect_uris: [WEB], token_endpoint_auth_method: method });
    assert.deepEqual([status, body.token_endpoint_auth_method], [201, 'none']);
  }
});

test('RG4: what is unknown is ignored', async () => {
  const both = ['authorization_code', 'refresh_token'];
  const cases: readonly [unknown, readonly string[]][] = [
    [undefined, both],
    [[], both],
    ['authorization_code', both],
    [['authorization_code'], ['authorization_code']],
    [['urn:ietf:params:oauth:grant-type:jwt-bearer', ...both], both],
    [['client_credentials'], both],
  ];
  for (const [authRequest, kept] of cases) {
    const { status, body } = await send({
      redirect_uris: [WEB],
      grant_types: authRequest,
      software_id: 'x',
      junk: [{}],
    });
    assert.deepEqual([status, body.grant_types], [201, kept]);
  }
  const mcpRemote = {
    redirect_uris: ['http://localhost:3334/oauth/callback'],
    client_uri: 'https://github.com/geelen/mcp-remote',
    software_id: 'a',
    application_type: 'native',
    response_types: ['code'],
    scope: 'listings:read',
    contacts: [],
    jwks: { keys: [] },
  };
  const { status, body } = await send(mcpRemote);
  assert.deepEqual([status, body.client_uri], [201, mcpRemote.client_uri]);
});

test('RG5: without redirects, with too many or too long ones there is no client', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `https://app.example/${at}`);
  const long = (length: number) => `${WEB}?${'a'.repeat(length - WEB.length - 1)}`;
  const cases: readonly [unknown, number, string | undefined][] = [
    [undefined, 400, 'invalid_redirect_uri'],
    [[], 400, 'invalid_redirect_uri'],
    [many(10), 201, undefined],
    [many(11), 400, 'invalid_redirect_uri'],
    [[long(2_048)], 201, undefined],
    [[long(2_049)], 400, 'invalid_redirect_uri'],
    [WEB, 400, 'invalid_client_metadata'],
    [[7], 400, 'invalid_client_metadata'],
    [[WEB, null], 400, 'invalid_client_metadata'],
    [{ 0: WEB }, 400, 'invalid_client_metadata'],
    [null, 400, 'invalid_client_metadata'],
  ];
  for (const [redirectUris, status, error] of cases) {
    const answer = await send({ redirect_uris: redirectUris });
    assert.deepEqual(
      [answer.status, answer.body.error],
      [status, error],
      JSON.stringify(redirectUris)?.slice(0, 60),
    );
  }
});

test('RG6 and RG7: which redirects there may be', async () => {
  const good = ['https://app.example/cb', 'http://localhost/cb', 'http://127.0.0.1:1/', 'http://[::1]/cb'];
  for (const uri of [...good, 'com.example.app:/cb', 'vscode://x/y', 'vscode-insiders://x/y', 'claude://x']) {
    assert.equal((await send({ redirect_uris: [uri] })).status, 201, uri);
  }
  const dangerous = [
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///x',
    'blob:x',
    'about:blank',
  ];
  const others = [
    'mailto:a@b.example',
    'view-source:x',
    'ws://a.example',
    'ftp://a.example',
    'http://app.example/cb',
  ];
  const bent = [
    'https://app.example/#x',
    'https://a@app.example/',
    'https://*.app.example/',
    'https://app.example/a b',
  ];
  for (const uri of [
    ...dangerous,
    ...others,
    ...bent,
    'https://app.example\\x',
    '/cb',
    'http://127.0.0.1.app.example/',
  ]) {
    const { status, body } = await send({ redirect_uris: [WEB, uri] });
    assert.deepEqual([status, body.error], [400, 'invalid_redirect_uri'], uri);
    assert.match(String(body.error_description), /^[ !#-[\]-~]+$/);
  }
});

test('RG7: a redirect whose host browsers read as another is refused, and the reason is told', async () => {
  const hosts = ['google.com%2eevil.com', '0x7f000001', '127.1', '2130706433', 'ｇoogle.com', 'app.example.'];
  for (const host of hosts) {
    const { status, body } = await send({ redirect_uris: [WEB, `https://${host}/cb`] });
    assert.deepEqual([status, body.error], [400, 'invalid_redirect_uri'], host);
    assert.match(String(body.error_description), /host written as browsers normalise it|characters/, host);
  }
});

test('RG8: of several redirects those of unknown apps are left out', async () => {
  const cursor = [
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'http://localhost:8787/callback',
    'https://www.cursor.com/agents/mcp/oauth/callback',
  ];
  assert.deepEqual((await send({ redirect_uris: cursor })).body.redirect_uris, cursor);
  assert.deepEqual((await send({ redirect_uris: ['unheard://x', WEB] })).body.redirect_uris, [WEB]);
  assert.equal((await send({ redirect_uris: ['unheard://x'] })).body.error, 'invalid_redirect_uri');
});

test('RG10: a body that cannot be read is a fault of the metadata; one that is too large is told so', async () => {
  const unreadable: readonly [string, Readonly<Record<string, string>>][] = [
    ['{', {}],
    ['[]', {}],
    ['"x"', {}],
    ['', {}],
    ['redirect_uris=x', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['{}', { 'content-type': 'text/plain' }],
    ['{"client_name": 7, "redirect_uris": []}', {}],
    ['{"redirect_uris": [], "redirect_uris": []}', {}],
  ];
  for (const [text, headers] of unreadable) {
    const answer = await register(service, text, { ...fresh(), ...headers });
    assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_client_metadata'], text);
    assert.equal(typeof answer.body.error_description, 'string');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  }
  const large = await send({ redirect_uris: [WEB], junk: 'a'.repeat(16_384) });
  assert.deepEqual([large.status, large.body.error], [413, 'invalid_client_metadata']);
});

test('RG11: ids are random, and never look like an address', async () => {
  const ids = new Set<string>();
  for (let round = 0; round < 50; round += 1) {
    const { body } = await send({ redirect_uris: [WEB] });
    assert.match(String(body.client_id), /^client_[\w-]{24}$/);
    ids.add(String(body.client_id));
  }
  assert.equal(ids.size, 50);
});

test('RG12: names are plain text of 100 characters at most; addresses about a client are kept only of https', async () => {
  const names: readonly [unknown, string][] = [
    [undefined, 'Unnamed app'],
    [' \u200b\u202e ', 'Unnamed app'],
    ['A\u202eppa\u0000\u0007 \u200bx', 'Appa x'],
    ['e\u0301', '\u00e9'],
    ['\u{1f600}'.repeat(120), '\u{1f600}'.repeat(100)],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ];
  for (const [sent, kept] of names) {
    const metadata = JSON.stringify({ client_name: sent, redirect_uris: [WEB] }).replace('\\u0000', '');
    assert.equal((await register(service, metadata, fresh())).body.client_name, kept);
  }
  const about = { logo_uri: 'http://a.example/x', client_uri: 'https://a.example', tos_uri: 'javascript:x' };
  const { body } = await send({ redirect_uris: [WEB], ...about });
  assert.deepEqual([body.client_uri, body.logo_uri, body.tos_uri], [about.client_uri, undefined, undefined]);
});

test('RG17: a registration cannot be changed, and no token for that is given', async () => {
  const { body } = await send({ redirect_uris: [WEB] });
  assert.ok(!('registration_access_token' in body) && !('registration_client_uri' in body));
  const answer = await fetch(`${service.url}/oauth/register/${String(body.client_id)}`);
  assert.equal(answer.status, 404);
});

test('RL1, RL2: an address registers sixty clients in a minute, and others are not held up by it', async () => {
  const [mine, neighbour] = [fresh(), { 'x-forwarded-for': '2001:db8::1' }];
  for (let round = 0; round < 60; round += 1) {
    assert.equal((await register(service, { redirect_uris: [WEB] }, mine)).status, 201);
  }
  const { status, headers, body } = await register(service, { redirect_uris: [WEB] }, mine);
  // RL2: the error keeps clients from forgetting what they have.
  assert.deepEqual([status, body.error], [429, 'temporarily_unavailable']);
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal(headers.get('www-authenticate'), null);
  assert.equal((await register(service, { redirect_uris: [WEB] }, neighbour)).status, 201);
  clock.advance(60_000);
  assert.equal((await register(service, { redirect_uris: [WEB] }, mine)).status, 201);
});

test('RL4: addresses are told apart behind trusted proxies only, and IPv6 by its /64', async (t) => {
  for (let round = 0; round < 60; round += 1) {
    const headers = { 'x-forwarded-for': `2001:db8:5::${(round + 1).toString(16)}` };
    assert.equal((await register(service, { redirect_uris: [WEB] }, headers)).status, 201);
  }
  const same = { 'x-forwarded-for': '2001:db8:5:0:ffff::1' };
  assert.equal((await register(service, { redirect_uris: [WEB] }, same)).status, 429);
  const direct = await startService(t);
  for (let round = 0; round < 60; round += 1) await register(direct, { redirect_uris: [WEB] }, fresh());
  assert.equal((await register(direct, { redirect_uris: [WEB] }, fresh())).status, 429);
});

test('RG13: a flood of registrations makes room by the oldest that were never used', async (t) => {
  const small = await startService(t, {
    overrides: { maxClients: 20 },
    environment: { TRUSTED_PROXIES: '127.0.0.1' },
  });
  const first = await registerClient(small, WEB);
  const used = await registerClient(small, WEB);
  assert.equal(
    (await submit(small, authorizationRequest({ client_id: used, redirect_uri: WEB }), { decision: 'free' }))
      .status,
    303,
  );
  small.clock.advance(1_000);
  for (let round = 0; round < 40; round += 1) {
    assert.equal((await register(small, { redirect_uris: [WEB] }, fresh())).status, 201);
  }
  const [row] = await small.database.read((sql) => sql`select count(*)::int as n from oauth_client`);
  assert.equal(row?.n, 20);
  assert.equal(
    (await open(small, authorizationRequest({ client_id: first, redirect_uri: WEB }))).status,
    400,
  );
  assert.equal((await open(small, authorizationRequest({ client_id: used, redirect_uri: WEB }))).status, 200);
});

test('RG9: a registration is good for thirty days', async () => {
  const client = await registerClient(service, WEB);
  const authRequest = authorizationRequest({ client_id: client, redirect_uri: WEB });
  clock.advance(30 * DAY - 1);
  assert.equal((await open(service, authRequest)).status, 200);
  clock.advance(1);
  assert.equal((await open(service, authRequest)).status, 400);
});
