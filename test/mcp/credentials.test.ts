// Tests of who is let in to the MCP endpoint, and how others are refused.

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
import {
  type ConsentOptions,
  consent,
  parseSession,
  redeem,
  revoke,
  signIn,
  statusOf,
} from '../support/oauth/oauth.ts';
import { startService } from '../support/service/service.ts';

const { service, provider, key, metadataUrl } = await startEndpoint({ after });
const { clock, url } = service;

/** An address may fail 60 times a minute, and a key of the Free tier has 60 requests. */
beforeEach(() => clock.advance(60_000));

const tokenOf = async (options: Partial<ConsentOptions> = {}) =>
  (await signIn(service, { key, ...options })).accessToken;

test('BE3, BE10: a token that is expired, garbage, revoked or of another issuer is an invalid_token of HTTP, never a result', async (t) => {
  const expired = await tokenOf();
  clock.advance(3_600_000);
  const revoked = await signIn(service, { key });
  await revoke(service, revoked.refreshToken, revoked.clientId);
  const other = await startService(t);
  const foreign = await signIn(other);
  for (const credential of [expired, 'garbage', revoked.accessToken, foreign.accessToken]) {
    const answer = await callTool(service, 'search_sales', {}, { credential });
    assert.equal(answer.status, 401, answer.text);
    assert.equal(answer.result, undefined);
    const { error, scope, resourceMetadataUrl } = readChallenge(answer);
    assert.deepEqual([error, scope, resourceMetadataUrl?.href], ['invalid_token', ALL_SCOPES, metadataUrl]);
    assert.equal(
      (await fetch(`${url}/mcp`, { headers: { authorization: `Bearer ${credential}` } })).status,
      401,
    );
  }
});

test('BE4: a bad key has its own code, and the challenge of a bad token', async () => {
  const ended = provider.subscribe('pro');
  provider.change(ended, { state: 'expired' });
  for (const [credential, code] of [
    ['SERVICE-00000000-0000-4000-8000-00000000DEAD', 'INVALID_API_KEY'],
    [ended, 'EXPIRED_API_KEY'],
  ] as const) {
    const answer = await send(service, 'tools/list', {}, { credential });
    assert.deepEqual([answer.status, answer.code], [401, code]);
    assert.equal(readChallenge(answer).error, 'invalid_token');
  }
});

const NARROW = [
  ['search_sales', 'watchers', 'listings:read'],
  ['get_usage', 'watchers', 'listings:read'],
  ['get_listing_live', 'listings:read watchers', 'listings:live'],
  ['list_watchers', 'listings:read listings:live', 'watchers'],
  ['create_watcher', 'listings:read', 'watchers'],
] as const;
for (const [tool, granted, needed] of NARROW) {
  test(`BE5, BE10: ${tool} with a token for ${granted} is refused by HTTP, which names ${needed}`, async () => {
    const credential = await tokenOf({ scope: granted });
    const answer = await callTool(service, tool, {}, { credential });
    assert.deepEqual([answer.status, answer.code], [403, 'INSUFFICIENT_SCOPE'], answer.text);
    const { error, scope, resourceMetadataUrl } = readChallenge(answer);
    assert.deepEqual([error, scope, resourceMetadataUrl?.href], ['insufficient_scope', needed, metadataUrl]);
  });
}

test('BE5: reading a resource needs the scope of what it is', async () => {
  const credential = await tokenOf({ scope: 'listings:live' });
  for (const [uri, needed] of [
    ['listing://x', 'listings:read'],
    ['property://x', 'listings:read'],
    ['area://x', 'listings:read'],
    ['watcher://x', 'watchers'],
  ] as const) {
    const answer = await send(service, 'resources/read', { uri }, { credential });
    assert.equal(answer.status, 403, uri);
    assert.equal(readChallenge(answer).scope, needed);
  }
});

test('BE6: a tier that is too low is a result that says so, not a challenge that a client would follow through consent', async () => {
  const { accessToken: credential } = await signIn(service);
  const answer = await callTool(service, 'get_listing_live', { id: 'x' }, { credential });
  assert.deepEqual([answer.status, challengeOf(answer)], [200, null]);
  assert.deepEqual([answer.result?.isError, answer.code], [true, 'TIER_RESTRICTED']);
  assert.match(answer.result?.content?.[0]?.text ?? '', /Pro/);
});

test('BE7: there is one challenge, of quoted ASCII values', async () => {
  const narrow = await tokenOf({ scope: 'listings:read' });
  for (const answer of [
    await send(service, 'tools/list', {}, { credential: 'garbage' }),
    await callTool(service, 'list_watchers', {}, { credential: narrow }),
  ]) {
    const challenge = challengeOf(answer) ?? '';
    assert.match(challenge, /^Bearer(?: \w+="[\x20-\x21\x23-\x5B\x5D-\x7E]+",?)+$/);
    assert.equal(challenge.match(/Bearer|Basic/g)?.length, 1);
    assert.ok(!/\b(?:scope|error)=/.test(/error_description="([^"]*)"/.exec(challenge)?.[1] ?? ''));
  }
});

test('BE8: another scheme is no token, an empty header no credential', async () => {
  for (const [authorization, code] of [
    ['Basic eDp5', 'INVALID_TOKEN'],
    ['DPoP abc', 'INVALID_TOKEN'],
    ['', 'MISSING_API_KEY'],
    ['Bearer', 'MISSING_API_KEY'],
  ] as const) {
    const answer = await send(service, 'tools/list', {}, { headers: { authorization } });
    assert.deepEqual([answer.status, answer.code], [401, code], authorization);
    assert.equal(challengeOf(answer), `Bearer resource_metadata="${metadataUrl}", scope="${ALL_SCOPES}"`);
  }
});

test('BE9: whoever is let in is not challenged', async () => {
  for (const era of ERAS) {
    const answer = await send(service, 'tools/list', {}, { era, credential: key });
    assert.deepEqual([answer.status, challengeOf(answer)], [200, null]);
  }
});

test('BE11: at a limit, methods of the protocol are answered with 429 and no challenge, tools with a result that says how long to wait', async () => {
  const credential = provider.subscribe('free');
  for (let count = 0; count < 60; count++) {
    const { status, headers } = await send(service, 'tools/list', {}, { credential });
    assert.equal(status, 200);
    assert.match(headers.get('ratelimit') ?? '', new RegExp(`"minute";r=${59 - count};`));
  }
  for (const era of ERAS) {
    const listed = await send(service, 'tools/list', {}, { era, credential });
    assert.deepEqual([listed.status, listed.code, challengeOf(listed)], [429, 'RATE_LIMITED', null]);
    assert.equal(listed.headers.get('retry-after'), '60');
    const called = await callTool(service, 'search_sales', {}, { era, credential });
    assert.deepEqual(
      [called.status, called.result?.isError, called.code],
      [200, true, 'RATE_LIMITED'],
      called.text,
    );
    assert.match(called.result?.content?.[0]?.text ?? '', /\b60 seconds\b/);
    assert.equal(challengeOf(called), null);
  }
});

/** Status of a call whose head alone is sent; its body never comes. */
function statusOfHead(credential: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const common = rpcRequest('tools/call', { name: 'get_usage' }, { credential }).headers;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}/mcp`,
      { method: 'POST', headers: { ...common, ...headers } },
      (answer) => {
        resolve(answer.statusCode ?? 0);
        outgoing.destroy();
      },
    );
    outgoing.on('error', reject).flushHeaders();
  });
}

test('at a limit, a body above 16 kB or of unknown length is refused before it comes; a shorter one may be answered by its tool', async () => {
  const credential = provider.subscribe('free');
  const padded = (bytes: number) =>
    send(service, 'tools/call', { name: 'get_usage', _meta: { pad: 'x'.repeat(bytes) } }, { credential });
  // All but the last are of the list; that a look at the limit is no charge shows in the last one.
  for (let count = 0; count < 59; count++)
    assert.equal((await send(service, 'tools/list', {}, { credential })).status, 200);
  assert.equal((await padded(20_000)).result?.structuredContent?.tier, 'free');
  assert.equal(await statusOfHead(credential, { 'content-length': '20000' }), 429);
  assert.equal(await statusOfHead(credential, { 'transfer-encoding': 'chunked' }), 429);
  const refused = await padded(20_000);
  assert.deepEqual([refused.status, refused.code], [429, 'RATE_LIMITED']);
  assert.equal(refused.headers.get('retry-after'), '60');
  const answered = await padded(10_000);
  assert.deepEqual([answered.status, answered.code], [200, 'RATE_LIMITED']);
  clock.advance(60_000);
  assert.equal((await padded(20_000)).result?.structuredContent?.tier, 'free');
});

test('AT1: expiry, revocation and scope are judged in this order, and before any work', async () => {
  const options = { key, scope: 'watchers' };
  const live = (credential: string) => callTool(service, 'get_listing_live', { id: 7 }, { credential });
  const expired = await signIn(service, options);
  await revoke(service, expired.refreshToken, expired.clientId);
  clock.advance(3_600_000);
  assert.equal((await live(expired.accessToken)).code, 'EXPIRED_TOKEN');
  const revoked = await signIn(service, options);
  await revoke(service, revoked.refreshToken, revoked.clientId);
  assert.equal((await live(revoked.accessToken)).code, 'INVALID_TOKEN');
  assert.equal((await live(await tokenOf({ scope: 'watchers' }))).code, 'INSUFFICIENT_SCOPE');
  assert.equal((await live(await tokenOf())).result?.isError, true);
});

test('AT2: the endpoint takes tokens for itself and for the API; the API takes none that are for the endpoint alone', async () => {
  const forMcp = await tokenOf({ resources: [`${url}/mcp`] });
  const forApi = await tokenOf({ resources: [url] });
  const forBoth = await tokenOf();
  for (const credential of [forMcp, forApi, forBoth])
    assert.equal((await callTool(service, 'get_usage', {}, { credential })).result?.isError, undefined);
  assert.equal(await statusOf(service, forMcp), 'INVALID_TOKEN');
  assert.equal(await statusOf(service, forApi), 200);
  assert.equal(await statusOf(service, forBoth), 200);
  assert.equal((await callTool(service, 'get_usage', {}, { credential: forMcp })).status, 200, 'still');
});

test('AT3: a token counts in the header alone', async () => {
  const token = await tokenOf();
  const { body, headers } = rpcRequest('tools/list', { access_token: token });
  for (const target of [`${url}/mcp?access_token=${token}`, `${url}/mcp`]) {
    const answer = await readResponse(await fetch(target, { method: 'POST', body, headers }));
    assert.ok([400, 401].includes(answer.status), answer.text);
    assert.ok(!answer.text.includes(token));
  }
});

test('AT4: the scheme may be written in any case; two Authorization headers are malformed', async () => {
  const token = await tokenOf();
  for (const scheme of ['bearer  ', 'BEARER '])
    assert.equal(
      (await send(service, 'tools/list', {}, { headers: { authorization: scheme + token } })).status,
      200,
    );
  const { body, headers } = rpcRequest('tools/list');
  const twice = ['Authorization', `Bearer ${token}`, 'Authorization', `Bearer ${token}`];
  const status = await new Promise((resolve, reject) => {
    const pairs = ['Host', new URL(url).host, ...Object.entries(headers).flat(), ...twice];
    const outgoing = request(`${url}/mcp`, { method: 'POST', headers: pairs }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    outgoing.on('error', reject).end(body);
  });
  assert.equal(status, 400);
});

test('AT5, AT6: refresh tokens, codes and parts of keys are no tokens, and a token is never tried as a key', async () => {
  const code = await consent(service, { key });
  const { refreshToken, clientId, accessToken } = parseSession(await redeem(service, code), code.clientId);
  const before = provider.calls;
  for (const credential of [refreshToken, code.code, clientId, key.slice(8), code.verifier])
    assert.equal((await send(service, 'tools/list', {}, { credential })).code, 'INVALID_TOKEN');
  assert.equal((await send(service, 'tools/list', {}, { credential: accessToken })).status, 200);
  assert.equal(provider.calls, before);
});

for (const era of ERAS) {
  test(`AT8: in the ${era} era no session id is given, and one that is sent changes nothing`, async () => {
    const options = { era, credential: key } as const;
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const first = await send(
      service,
      era === 'modern' ? 'server/discover' : 'initialize',
      initialize,
      options,
    );
    assert.equal(first.status, 200, first.text);
    const plain = await callTool(service, 'get_usage', {}, options);
    const free = provider.subscribe('free');
    const headers = { 'mcp-session-id': 'a-session-of-somebody-else' };
    const marked = await callTool(service, 'get_usage', {}, { ...options, headers });
    const other = await callTool(service, 'get_usage', {}, { era, credential: free, headers });
    const none = await callTool(service, 'get_usage', {}, { era, headers });
    for (const { headers: answered } of [first, plain, marked, other, none])
      assert.equal(answered.get('mcp-session-id'), null);
    assert.equal(marked.result?.structuredContent?.tier, 'business');
    assert.equal(other.result?.structuredContent?.tier, 'free');
    assert.equal(none.status, 401);
  });
}
