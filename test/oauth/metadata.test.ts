// Tests of the metadata documents and of CORS.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { ConfigError, readConfig } from '../../src/config.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { parseRaw, readToEnd } from '../support/service/http-server.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const { url } = service;
const SERVER = '/.well-known/oauth-authorization-server';
const RESOURCE = '/.well-known/oauth-protected-resource';
const SCOPES = ['listings:read', 'listings:live', 'watchers'];

async function getJson(path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}${path}`, { redirect: 'manual' });
  assert.equal(answer.status, 200, path);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  return (await answer.json()) as Record<string, unknown>;
}

test('MD1: the issuer is the address of the service, without a slash at its end', async () => {
  assert.equal((await getJson(SERVER)).issuer, url);
});

test('MD2: every endpoint and what it takes is named', async () => {
  const document = await getJson(SERVER);
  for (const name of ['authorization', 'token', 'registration', 'revocation']) {
    const address = String(document[`${name}_endpoint`]);
    assert.ok(address.startsWith(`${url}/oauth/`), address);
    assert.notEqual((await fetch(address, { method: 'OPTIONS' })).status, 404, address);
  }
  assert.deepEqual(document.response_types_supported, ['code']);
  assert.deepEqual(document.response_modes_supported, ['query']);
  assert.deepEqual(document.grant_types_supported, ['authorization_code', 'refresh_token']);
  assert.deepEqual(document.code_challenge_methods_supported, ['S256']);
});

test('MD3: clients have no secrets, at the token endpoint and at revocation', async () => {
  const document = await getJson(SERVER);
  assert.deepEqual(document.token_endpoint_auth_methods_supported, ['none']);
  assert.deepEqual(document.revocation_endpoint_auth_methods_supported, ['none']);
});

test('MD4: answers name their issuer', async () => {
  assert.equal((await getJson(SERVER)).authorization_response_iss_parameter_supported, true);
});

test('MD5: clients may describe themselves in a document', async () => {
  assert.equal((await getJson(SERVER)).client_id_metadata_document_supported, true);
});

test('MD6: the scopes are those that exist, without one for refreshing', async () => {
  assert.deepEqual((await getJson(SERVER)).scopes_supported, SCOPES);
});

test('MD7 and MD8: each resource names itself exactly, and where its tokens come from', async () => {
  const common = {
    authorization_servers: [url],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Freehold',
  };
  assert.deepEqual(await getJson(RESOURCE), { resource: url, ...common });
  assert.deepEqual(await getJson(`${RESOURCE}/mcp`), { resource: `${url}/mcp`, ...common });
});

test('MD9: where clients look further there is nothing, in a form that they can read', async () => {
  for (const path of [
    `${SERVER}/mcp`,
    '/.well-known/openid-configuration',
    '/.well-known/openid-configuration/mcp',
  ]) {
    const answer = await fetch(`${url}${path}`, {
      redirect: 'manual',
      headers: { origin: 'https://app.example' },
    });
    assert.equal(answer.status, 404, path);
    assert.match(answer.headers.get('content-type') ?? '', /json/);
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.equal(typeof (await answer.json()), 'object');
    const preflight = await fetch(`${url}${path}`, { method: 'OPTIONS' });
    assert.equal(preflight.status, 204, path);
  }
});

test('MD10: a resource that is none has no document', async () => {
  for (const path of [`${RESOURCE}/nope`, `${RESOURCE}/`, `${RESOURCE}/mcp/x`, `${RESOURCE}/v1`]) {
    assert.equal((await fetch(`${url}${path}`)).status, 404, path);
  }
});

test('MD11: the documents are open, may be kept for an hour, and have the same HEAD', async () => {
  for (const path of [SERVER, RESOURCE, `${RESOURCE}/mcp`]) {
    const sent = { headers: { accept: 'text/html', 'mcp-protocol-version': '2026-07-28' } };
    const answer = await fetch(`${url}${path}?x=1&x=2`, sent);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=3600');
    const head = await fetch(`${url}${path}`, { method: 'HEAD' });
    assert.equal(head.status, 200);
    for (const name of ['content-type', 'content-length', 'cache-control']) {
      assert.equal(head.headers.get(name), answer.headers.get(name), name);
    }
  }
});

test('MD12: a request cannot make the documents tell of another address', async () => {
  const lines = ['Host: evil.example', 'X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https'];
  for (const path of [SERVER, RESOURCE, `${RESOURCE}/mcp`]) {
    const { status, body } = await exchangeHead(url, `GET ${path} HTTP/1.1`, lines);
    assert.equal(status, 200);
    assert.ok(!body.includes('evil'));
    assert.deepEqual(JSON.parse(body), await getJson(path));
  }
});

test('MD13: the service does not start under an address without TLS, unless it is this computer', async (t) => {
  const folder = await temporaryFolder(t, 'oauth-metadata');
  const start = (publicUrl: string) => readConfig({ PUBLIC_URL: publicUrl }, folder).publicUrl;
  for (const bad of [
    'http://api.example',
    'http://192.0.2.1:8080',
    'http://localhost.example',
    'ftp://api.example',
  ]) {
    assert.throws(() => start(bad), ConfigError, bad);
  }
  for (const good of ['https://api.example', 'http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:1']) {
    assert.equal(start(good), good);
  }
});

const OPEN = [
  SERVER,
  RESOURCE,
  `${RESOURCE}/mcp`,
  '/oauth/register',
  '/oauth/token',
  '/oauth/revoke',
  '/v1/areas',
  '/v1/usage',
];

test('CO1: pages of any origin may read the answers, errors too, and never with cookies', async () => {
  const headers = { origin: 'https://app.example' };
  for (const path of OPEN) {
    for (const method of ['GET', 'POST', 'PUT']) {
      const answer = await fetch(`${url}${path}`, { method, headers });
      await answer.text();
      assert.equal(
        answer.headers.get('access-control-allow-origin'),
        '*',
        `${method} ${path} ${answer.status}`,
      );
      assert.equal(answer.headers.get('access-control-allow-credentials'), null);
    }
  }
});

test('CO2: a preflight needs nothing, and allows what clients send', async () => {
  const needed = [
    'Authorization',
    'Content-Type',
    'Accept',
    'MCP-Protocol-Version',
    'Mcp-Method',
    'Mcp-Name',
    'Mcp-Session-Id',
    'Last-Event-ID',
  ];
  for (const path of OPEN) {
    const headers = {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const answer = await fetch(`${url}${path}`, { method: 'OPTIONS', headers });
    assert.equal(answer.status, 204, path);
    const allowed = listed(answer.headers.get('access-control-allow-headers'));
    for (const name of needed) assert.ok(allowed.includes(name.toLowerCase()), `${path} ${name}`);
    assert.match(answer.headers.get('access-control-max-age') ?? '', /^\d+$/);
  }
});

test('CO3: pages may read what leads them on', async () => {
  for (const path of OPEN) {
    const answer = await fetch(`${url}${path}`, { headers: { origin: 'https://app.example' } });
    await answer.text();
    const exposed = listed(answer.headers.get('access-control-expose-headers'));
    for (const name of ['www-authenticate', 'retry-after', 'mcp-session-id', 'mcp-protocol-version']) {
      assert.ok(exposed.includes(name), `${path} ${name}`);
    }
  }
});

test('CO4: where people decide, no page of another origin may ask or read', async () => {
  for (const method of ['GET', 'POST', 'OPTIONS', 'PUT']) {
    const answer = await fetch(`${url}/oauth/authorize`, {
      method,
      headers: { origin: 'https://app.example' },
    });
    await answer.text();
    for (const [name] of answer.headers) assert.ok(!name.startsWith('access-control-'), `${method} ${name}`);
  }
});

test('RL3: what clients find out counts against nobody', async () => {
  service.clock.advance(60_000);
  for (let round = 0; round < 50; round += 1) {
    await getJson(RESOURCE);
    await fetch(`${url}/v1/areas`, { method: 'OPTIONS' });
  }
  const search = await service.get('/v1/search/sales');
  assert.equal(search.status, 200);
  assert.match(search.headers.get('ratelimit') ?? '', /"minute";r=9/);
});

function listed(header: string | null): string[] {
  return (header ?? '').toLowerCase().split(/,\s*/);
}

/** A request with a head of its own making: `fetch` sets Host itself. */
async function exchangeHead(to: string, first: string, lines: readonly string[]) {
  const socket = connect(Number(new URL(to).port), '127.0.0.1');
  socket.write([first, ...lines, 'Connection: close', '', ''].join('\r\n'));
  return parseRaw(await readToEnd(socket));
}
