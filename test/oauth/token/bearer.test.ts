// Tests of how access tokens are verified and refused: AT1 to AT6, BE1, BE3 to BE9, BE11 and RL6.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, beforeEach, test } from 'node:test';
import {
  type ConsentOptions,
  call,
  consent,
  parseSession,
  redeem,
  refresh,
  revoke,
  signIn,
  statusOf,
} from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const environment = { TRUSTED_PROXIES: '127.0.0.1' };
const service = await startService({ after }, { environment, overrides: { provider } });
const { clock, url } = service;

/** An address may fail 60 times a minute, and have 600 requests at the token endpoint. */
beforeEach(() => clock.advance(60_000));

const METADATA = `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource"`;
const tokenOf = (key: string, options: Partial<ConsentOptions> = {}) => signIn(service, { key, ...options });

async function get(path: string, authorization?: string) {
  const answer = await fetch(`${url}${path}`, {
    headers: authorization === undefined ? {} : { authorization },
  });
  const body = JSON.parse(await answer.text()) as Record<string, unknown>;
  return { status: answer.status, code: body.code, challenge: answer.headers.get('www-authenticate') };
}

/** What the official SDK reads from a challenge: each field by one expression, the first match. */
function field(challenge: string | null, name: string): string | null {
  return new RegExp(`${name}=(?:"([^"]+)"|([^\\s,]+))`).exec(challenge ?? '')?.[1] ?? null;
}

test('AT1: expiry, revocation, audience, tier and scope are judged in this order', async () => {
  const key = provider.subscribe('free');
  const narrow = { scope: 'watchers', resources: [`${url}/mcp`] };
  const at = async (token: string) => (await get('/v1/listing/x', `Bearer ${token}`)).code;
  const everything = await tokenOf(key, narrow);
  await revoke(service, everything.refreshToken, everything.clientId);
  clock.advance(3_600_000);
  assert.equal(await at(everything.accessToken), 'EXPIRED_TOKEN');
  const revoked = await tokenOf(key, narrow);
  await revoke(service, revoked.refreshToken, revoked.clientId);
  assert.equal(await at(revoked.accessToken), 'INVALID_TOKEN');
  assert.equal(await at((await tokenOf(key, narrow)).accessToken), 'INVALID_TOKEN');
  assert.equal(await at((await tokenOf(key, { scope: 'watchers' })).accessToken), 'TIER_RESTRICTED');
  const pro = provider.subscribe('pro');
  assert.equal(await at((await tokenOf(pro, { scope: 'watchers' })).accessToken), 'INSUFFICIENT_SCOPE');
  assert.equal(await at((await tokenOf(pro)).accessToken), 'LISTING_NOT_FOUND');
});

test('AT2: a token for another resource, or of another issuer, is refused', async (t) => {
  const mcp = await signIn(service, { resources: [`${url}/mcp`] });
  assert.equal(await statusOf(service, mcp.accessToken), 'INVALID_TOKEN');
  const other = await startService(t);
  const theirs = await signIn(other);
  assert.equal(await statusOf(other, theirs.accessToken), 200);
  assert.equal(await statusOf(service, theirs.accessToken), 'INVALID_TOKEN');
});

test('AT3: a token counts in the header alone', async () => {
  const { accessToken } = await signIn(service);
  assert.equal((await get(`/v1/usage?access_token=${accessToken}`)).code, 'MISSING_API_KEY');
});

test('AT4: the scheme may be written in any case, followed by any number of spaces', async () => {
  const { accessToken } = await signIn(service);
  for (const scheme of ['Bearer ', 'bearer  ', 'BEARER   '])
    assert.equal((await get('/v1/usage', scheme + accessToken)).status, 200, scheme);
});

test('AT4: what has no form of a token, or is too long, is refused', async () => {
  const { accessToken } = await signIn(service);
  const middle = accessToken.slice(0, 20) + (accessToken[20] === 'A' ? 'B' : 'A') + accessToken.slice(21);
  for (const bad of [
    `${accessToken}=`,
    `${accessToken} x`,
    accessToken.toUpperCase(),
    middle,
    `at_${'a'.repeat(49)}`,
  ])
    assert.equal((await get('/v1/usage', `Bearer ${bad}`)).code, 'INVALID_TOKEN', bad);
  assert.equal((await get('/v1/usage', `Bearer at_${'a'.repeat(5_000)}`)).code, 'INVALID_TOKEN');
});

test('AT4: two Authorization headers are malformed', async () => {
  const { accessToken } = await signIn(service);
  const twice = ['Authorization', `Bearer ${accessToken}`, 'Authorization', `Bearer ${accessToken}`];
  const status = await new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}/v1/usage`,
      { headers: ['Host', new URL(url).host, ...twice] },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      },
    );
    outgoing.on('error', reject).end();
  });
  assert.equal(status, 400);
});

test('AT5: nothing but an access token is one', async () => {
  const key = provider.subscribe('pro');
  const authorizationCode = await consent(service, { key });
  const { refreshToken, clientId } = parseSession(
    await redeem(service, authorizationCode),
    authorizationCode.clientId,
  );
  for (const other of [
    refreshToken,
    authorizationCode.code,
    clientId,
    key.slice(8),
    key.slice(1),
    authorizationCode.verifier,
  ])
    assert.equal((await get('/v1/usage', `Bearer ${other}`)).code, 'INVALID_TOKEN', other.slice(0, 3));
});

test('AT6: keys go to the provider and tokens to the table, and neither is tried as the other', async () => {
  const { accessToken } = await tokenOf(provider.subscribe('pro'));
  const before = provider.calls;
  await get('/v1/usage', `Bearer ${accessToken}`);
  await get('/v1/usage', 'Bearer garbage');
  assert.equal(provider.calls, before);
  assert.equal((await get('/v1/usage', `Bearer SERVICE-${accessToken}`)).code, 'INVALID_API_KEY');
  assert.equal(provider.calls, before, 'malformed');
  assert.equal((await get('/v1/usage', `Bearer ${provider.subscribe('pro')}`)).status, 200);
  assert.equal(provider.calls, before + 1);
});

test('BE1: without credentials a challenge leads to the metadata, and names no error', async () => {
  const { status, code, challenge } = await get('/v1/usage');
  assert.deepEqual([status, code], [401, 'MISSING_API_KEY']);
  assert.equal(challenge, `${METADATA}, scope="listings:read"`);
});

test('BE3: a token that is expired, garbage or for another resource is an invalid_token', async () => {
  const expired = await signIn(service);
  clock.advance(3_600_000);
  const mcp = await signIn(service, { resources: [`${url}/mcp`] });
  for (const token of [expired.accessToken, 'garbage', mcp.accessToken]) {
    const { status, challenge } = await get('/v1/usage', `Bearer ${token}`);
    assert.equal(status, 401);
    assert.ok(
      challenge?.startsWith(`${METADATA}, scope="listings:read", error="invalid_token"`),
      challenge ?? '',
    );
  }
});

test('BE4: a bad key has its own code, and the challenge of a bad token', async () => {
  const ended = provider.subscribe('pro');
  provider.change(ended, { state: 'expired' });
  for (const [key, expected] of [
    ['SERVICE-00000000-0000-4000-8000-00000000DEAD', 'INVALID_API_KEY'],
    [ended, 'EXPIRED_API_KEY'],
  ] as const) {
    const { status, code, challenge } = await get('/v1/usage', `Bearer ${key}`);
    assert.deepEqual([status, code], [401, expected]);
    assert.equal(field(challenge, 'error'), 'invalid_token');
  }
});

test('BE5, BE6: a missing scope is told with the scope, a missing tier without any', async () => {
  const narrow = await tokenOf(provider.subscribe('pro'), { scope: 'listings:read' });
  const scope = await get('/v1/listing/x', `Bearer ${narrow.accessToken}`);
  assert.deepEqual([scope.status, scope.code], [403, 'INSUFFICIENT_SCOPE']);
  assert.equal(field(scope.challenge, 'error'), 'insufficient_scope');
  assert.equal(field(scope.challenge, 'scope'), 'listings:live');
  assert.ok(scope.challenge?.startsWith(METADATA));
  const free = await signIn(service);
  const tier = await get('/v1/listing/x', `Bearer ${free.accessToken}`);
  assert.deepEqual([tier.status, tier.code, tier.challenge], [403, 'TIER_RESTRICTED', null]);
});

test('BE7: there is one challenge, of quoted ASCII values, which the official client reads rightly', async () => {
  const narrow = await tokenOf(provider.subscribe('pro'), { scope: 'listings:read' });
  for (const [path, token, error] of [
    ['/v1/usage', 'garbage', 'invalid_token'],
    ['/v1/usage', provider.subscribe('pro').replace('0', '1'), 'invalid_token'],
    ['/v1/listing/x', narrow.accessToken, 'insufficient_scope'],
  ] as const) {
    const { challenge } = await get(path, `Bearer ${token}`);
    assert.match(challenge ?? '', /^Bearer(?: \w+="[\x20-\x21\x23-\x5B\x5D-\x7E]+",?)+$/);
    assert.equal(challenge?.match(/Bearer|Basic/g)?.length, 1);
    assert.equal(field(challenge, 'error'), error);
    assert.equal(field(challenge, 'resource_metadata'), `${url}/.well-known/oauth-protected-resource`);
    assert.ok(!/\b(?:scope|error)=/.test(field(challenge, 'error_description') ?? ''));
  }
});

test('BE8: another scheme is no token, an empty header no credential', async () => {
  const expected = [
    ['Basic eDp5', 'INVALID_TOKEN'],
    ['DPoP abc', 'INVALID_TOKEN'],
    ['', 'MISSING_API_KEY'],
    ['Bearer', 'MISSING_API_KEY'],
  ] as const;
  for (const [header, code] of expected) {
    const answer = await get('/v1/usage', header);
    assert.deepEqual([answer.status, answer.code], [401, code], header);
    assert.equal(answer.challenge, `${METADATA}, scope="listings:read"`);
  }
});

test('BE9: where credentials are optional a bad one is still refused, and a good answer challenges nobody', async () => {
  const { status, code } = await get('/v1/areas', 'Bearer garbage');
  assert.deepEqual([status, code], [401, 'INVALID_TOKEN']);
  const open = await get('/v1/areas');
  assert.deepEqual([open.status, open.challenge], [200, null]);
});

test('BE11: a limit that is reached challenges nobody', async () => {
  const { accessToken } = await signIn(service);
  for (let count = 0; count < 60; count++) assert.equal((await call(service, accessToken)).status, 200);
  const limited = await get('/v1/usage', `Bearer ${accessToken}`);
  assert.deepEqual([limited.status, limited.challenge], [429, null]);
});

test('junk tokens are counted against their address, and then not looked up', async () => {
  const { accessToken } = await signIn(service);
  const answers = new Map<unknown, number>();
  for (let count = 0; count < 80; count++) {
    const { code } = await get('/v1/usage', `Bearer x${count}`);
    answers.set(code, (answers.get(code) ?? 0) + 1);
  }
  assert.deepEqual(Object.fromEntries(answers), { INVALID_TOKEN: 60, RATE_LIMITED: 20 });
  assert.equal(
    (await get('/v1/usage', `Bearer ${accessToken}`)).code,
    'RATE_LIMITED',
    'not yet known to be good',
  );
  clock.advance(60_000);
  assert.equal(await statusOf(service, accessToken), 200);
  for (let count = 0; count < 80; count++) await get('/v1/usage', `Bearer x${count}`);
  assert.equal(await statusOf(service, accessToken), 200, 'known to be good');
});

test('RL6: a key and its tokens share one quota; Free grants share that of the address that consented', async () => {
  const left = async (token: string) => {
    const { body } = await call(service, token);
    return (body.minute as { remaining: number }).remaining;
  };
  const key = provider.subscribe('pro');
  const [one, two] = [await tokenOf(key), await tokenOf(key)];
  const others = [one.accessToken, two.accessToken, key, one.accessToken];
  const seen: number[] = [];
  for (const credential of others) seen.push(await left(credential));
  assert.deepEqual(seen, [299, 298, 297, 296]);
  clock.advance(60_000);
  const free = await Promise.all(Array.from({ length: 20 }, () => signIn(service)));
  const rest = new Set<number>();
  for (const { accessToken } of free) rest.add(await left(accessToken));
  assert.deepEqual(
    [...rest],
    Array.from({ length: 20 }, (_, at) => 59 - at),
  );
  const renewed = parseSession(await refresh(service, free[0] ?? one), one.clientId);
  assert.equal(await left(renewed.accessToken), 39);
});

test('RL6: tokens without a key are counted among the addresses, and crowd out no subscription', async (t) => {
  const small = await startService(t, { overrides: { capacity: 1 } });
  const free = await signIn(small);
  assert.equal(await statusOf(small, free.accessToken), 200);
  assert.equal(await statusOf(small, small.keys.pro), 200);
  assert.equal(await statusOf(small, small.keys.business), 'OVERLOADED');
});
