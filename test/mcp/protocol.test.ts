// Tests of the MCP endpoint below its messages: methods, challenges, origins, bodies.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, beforeEach, test } from 'node:test';
import { ALL_SCOPES, startEndpoint } from '../support/mcp/endpoint.ts';
import {
  callTool,
  challengeOf,
  ERAS,
  readChallenge,
  readResponse,
  rpcRequest,
  send,
} from '../support/mcp/messages.ts';
import { signIn } from '../support/oauth/oauth.ts';
import { startService } from '../support/service/service.ts';

const { service, provider, key, metadataUrl } = await startEndpoint({ after });
const { clock, url } = service;

/** An address may fail 60 times a minute, and a key of the Free tier has 60 requests. */
beforeEach(() => clock.advance(60_000));

/** A request without a body, as the older transports begin. */
async function bare(method: string, authorization?: string) {
  const headers = authorization === undefined ? {} : { authorization };
  return readResponse(await fetch(`${url}/mcp`, { method, headers }));
}

test('MD8: the path document names exactly the endpoint, and its one authorization server', async () => {
  const document = (await (await fetch(metadataUrl)).json()) as Record<string, unknown>;
  assert.equal(document.resource, `${url}/mcp`);
  assert.deepEqual(document.authorization_servers, [url]);
  assert.deepEqual(document.scopes_supported, ALL_SCOPES.split(' '));
});

test('BE1, BE2: whoever comes without credentials, by any method and with any message, is led to the path document and all scopes', async () => {
  const challenge = `Bearer resource_metadata="${metadataUrl}", scope="${ALL_SCOPES}"`;
  const answers = [
    ...(await Promise.all(['GET', 'DELETE', 'POST'].map((method) => bare(method)))),
    ...(await Promise.all(
      ERAS.flatMap((era) =>
        ['initialize', 'server/discover', 'tools/list', 'ping'].map((method) =>
          send(service, method, {}, { era }),
        ),
      ),
    )),
    await callTool(service, 'get_listing_live', { id: 'x' }),
    await callTool(service, 'no_such_tool'),
  ];
  for (const answer of answers) {
    assert.deepEqual([answer.status, answer.code], [401, 'MISSING_API_KEY'], answer.text);
    assert.equal(challengeOf(answer), challenge);
  }
});

test('GET and DELETE with a credential are refused as methods, since no stream or session belongs to them', async () => {
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const answer = await bare(method, `Bearer ${key}`);
    assert.equal(answer.status, 405, method);
    assert.match(answer.headers.get('allow') ?? '', /\bPOST\b/);
  }
});

test('CO1, CO2, CO3: a preflight is answered without credentials, and pages may send and read the headers of the protocol', async () => {
  const preflight = await fetch(`${url}/mcp`, {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:6274', 'access-control-request-method': 'POST' },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null);
  assert.match(preflight.headers.get('access-control-max-age') ?? '', /^\d+$/);
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /\bPOST\b/);
  const allowed = (preflight.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/, ?/);
  for (const name of ['Authorization', 'Content-Type', 'Accept', 'MCP-Protocol-Version', 'Mcp-Method'])
    assert.ok(allowed.includes(name.toLowerCase()), name);
  for (const name of ['mcp-name', 'mcp-session-id', 'last-event-id']) assert.ok(allowed.includes(name), name);
  const refused = await send(service, 'tools/list', {}, { headers: { origin: 'http://localhost:6274' } });
  const answered = await send(
    service,
    'tools/list',
    {},
    { credential: key, headers: { origin: 'http://localhost:6274' } },
  );
  for (const { headers } of [refused, answered]) {
    assert.equal(headers.get('access-control-allow-origin'), '*');
    const exposed = (headers.get('access-control-expose-headers') ?? '').toLowerCase().split(/, ?/);
    for (const name of ['www-authenticate', 'retry-after', 'mcp-session-id', 'mcp-protocol-version'])
      assert.ok(exposed.includes(name), name);
  }
});

test('a client is answered with the version that it asks for, and with 2024-11-05 for 2025-03-26, whose batches are refused', async () => {
  const agreed = async (protocolVersion: string) => {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion, clientInfo, capabilities: {} };
    const options = { era: 'initialize', credential: key } as const;
    const headers = { 'mcp-protocol-version': protocolVersion };
    const answers = [
      await send(service, 'initialize', params, { ...options, headers }),
      await send(service, 'initialize', params, options),
    ];
    const [version, same] = answers.map(({ result }) => result?.protocolVersion);
    assert.equal(version, same);
    return version;
  };
  for (const version of ['2025-11-25', '2025-06-18', '2024-11-05', '2024-10-07'])
    assert.equal(await agreed(version), version);
  assert.equal(await agreed('2025-03-26'), '2024-11-05');
  // Its header comes with clients that agreed to it before, and with those that send no `initialize`.
  const headers = { 'mcp-protocol-version': '2025-03-26' };
  const called = await callTool(service, 'get_usage', {}, { era: 'initialize', credential: key, headers });
  assert.deepEqual([called.status, called.result?.structuredContent?.tier], [200, 'business']);
});

/** Statuses for each origin, or host, of a request that is in order otherwise; undici would not send another Host. */
async function statuses(
  base: string,
  credential: string,
  changes: readonly Readonly<Record<string, string>>[],
) {
  const { hostname, port } = new URL(base);
  const { body, headers } = rpcRequest('tools/list', {}, { credential });
  return Promise.all(
    changes.map(
      (change) =>
        new Promise<number | undefined>((resolve, reject) => {
          const options = {
            hostname,
            port,
            path: '/mcp',
            method: 'POST',
            headers: { ...headers, ...change },
          };
          const outgoing = request(options, (answer) => {
            answer.resume();
            resolve(answer.statusCode);
          });
          outgoing.on('error', reject).end(body);
        }),
    ),
  );
}

const LOOPBACK_ORIGINS = ['http://localhost:6274', 'http://127.0.0.1', 'https://[::1]:3000', url];
const FOREIGN_ORIGINS = ['http://evil.example', 'http://127.0.0.1.evil.example', 'http://localhost.evil:80'];
const NO_ORIGINS = ['null', '', 'file://', 'not an origin'];
const origins = (list: readonly string[]) => list.map((origin) => ({ origin }));

test('CO5, R29: on a loopback address only loopback pages may call, and only by a loopback name', async () => {
  const { port } = new URL(url);
  assert.deepEqual(new Set(await statuses(url, key, origins(LOOPBACK_ORIGINS))), new Set([200]));
  const refused = [...FOREIGN_ORIGINS, 'https://claude.ai', ...NO_ORIGINS];
  assert.deepEqual(new Set(await statuses(url, key, origins(refused))), new Set([403]));
  const hosts = [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'localhost'];
  assert.deepEqual(
    new Set(
      await statuses(
        url,
        key,
        hosts.map((host) => ({ host })),
      ),
    ),
    new Set([200]),
  );
  const foreign = [
    `evil.example:${port}`,
    `localhost.evil.example:${port}`,
    '169.254.169.254',
    '0x7f.1.evil',
  ];
  assert.deepEqual(
    new Set(
      await statuses(
        url,
        key,
        foreign.map((host) => ({ host })),
      ),
    ),
    new Set([403]),
  );
});

test('CO5: an Origin that may not call is refused before its credentials are looked at, and by every method', async () => {
  const headers = { origin: 'http://evil.example' };
  const calls = provider.calls;
  for (const method of ['GET', 'DELETE', 'POST']) {
    const answer = await fetch(`${url}/mcp`, { method, headers });
    assert.equal(answer.status, 403, method);
    assert.equal(challengeOf(answer), null);
  }
  const unknown = 'SERVICE-00000000-0000-4000-8000-00000000BEEF';
  assert.equal((await send(service, 'tools/list', {}, { headers, credential: unknown })).status, 403);
  assert.equal(provider.calls, calls);
});

test('CO5: on a public address any https or loopback page may call, and no page without an origin', async (t) => {
  const publicService = await startService(t, { environment: { PUBLIC_URL: 'https://api.example' } });
  const { keys } = publicService;
  const allowed = [...LOOPBACK_ORIGINS, 'https://claude.ai', 'https://api.example', 'https://a.b:8443'];
  assert.deepEqual(new Set(await statuses(publicService.url, keys.pro, origins(allowed))), new Set([200]));
  const refused = [...FOREIGN_ORIGINS, 'http://api.example', ...NO_ORIGINS];
  assert.deepEqual(new Set(await statuses(publicService.url, keys.pro, origins(refused))), new Set([403]));
  assert.deepEqual(await statuses(publicService.url, keys.pro, [{ host: 'anything.example' }]), [200]);
  const unauthenticated = await send(publicService, 'tools/list');
  assert.equal(
    readChallenge(unauthenticated).resourceMetadataUrl?.href,
    'https://api.example/.well-known/oauth-protected-resource/mcp',
  );
});

test('a body may have 64 kB, and no more', async () => {
  const { body, headers } = rpcRequest('tools/list', {}, { credential: key });
  const padded = (bytes: number) => body.padEnd(bytes, ' ');
  const post = async (text: string) =>
    readResponse(await fetch(`${url}/mcp`, { method: 'POST', body: text, headers }));
  assert.equal((await post(padded(65_536))).status, 200);
  const refused = await post(padded(65_537));
  assert.deepEqual([refused.status, refused.code], [413, 'PAYLOAD_TOO_LARGE']);
});

const MALFORMED: readonly (readonly [what: string, status: number, body: string])[] = [
  ['an array of messages', 400, `[${rpcRequest('tools/list').body}]`],
  ['an empty array', 400, '[]'],
  ['an array of a hundred', 400, `[${Array(100).fill(rpcRequest('tools/list').body).join()}]`],
  ['no JSON', 400, '{"jsonrpc":'],
  ['nothing', 400, ''],
  ['a text', 400, '"tools/list"'],
  ['null', 400, 'null'],
  ['another version of JSON-RPC', 400, '{"jsonrpc":"1.0","id":1,"method":"tools/list"}'],
  ['a member twice', 400, '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"ping"}'],
  ['__proto__', 400, '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{"a":1}}}'],
  [
    'deep nesting',
    400,
    `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`,
  ],
  ['bytes that are no UTF-8', 400, '\u00ff'],
];
for (const [what, status, body] of MALFORMED) {
  test(`${what} as body is refused with an error of JSON-RPC, and ${status}`, async () => {
    const { headers } = rpcRequest('tools/list', {}, { credential: key });
    const bytes = Buffer.from(body, 'latin1');
    const answer = await readResponse(await fetch(`${url}/mcp`, { method: 'POST', body: bytes, headers }));
    assert.equal(answer.status, status, answer.text);
    assert.equal(typeof answer.error?.code, 'number', answer.text);
    assert.equal(answer.messages[0]?.jsonrpc, '2.0');
  });
}

test('another content type, or none, is refused', async () => {
  const { body, headers } = rpcRequest('tools/list', {}, { credential: key });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json-rpc']) {
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': type },
    });
    assert.equal(answer.status, 415, type);
    await answer.body?.cancel();
  }
});

test('limits, the request id and the protection of browsers are on every answer', async () => {
  const { accessToken } = await signIn(service, { key, scope: 'listings:read' });
  const answers = [
    await send(service, 'tools/list', {}, { credential: key }),
    await send(service, 'no/such', {}, { credential: key }),
    await callTool(service, 'no_such', {}, { credential: key }),
    await send(service, 'tools/list', {}, { credential: accessToken, era: 'initialize' }),
  ];
  for (const { headers } of answers) {
    assert.match(headers.get('ratelimit') ?? '', /"minute";r=\d+;t=\d+/);
    assert.match(headers.get('x-request-id') ?? '', /./);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  }
});
