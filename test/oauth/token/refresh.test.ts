// Tests of refresh token rotation, its grace period, and the detection of reuse: RF1 to RF12, and R10.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import {
  call,
  type JsonResponse,
  parseSession,
  refresh,
  refreshSession,
  revoke,
  type Session,
  signIn,
  statusOf,
} from '../../support/oauth/oauth.ts';
import { startSecondService } from '../../support/service/second-service.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const DAY = 86_400_000;
const provider = stubProvider();
const service = await startService({ after }, { overrides: { provider } });
const { clock } = service;

beforeEach(() => {
  provider.mode = 'answer';
  // An address has 600 requests a minute.
  clock.advance(60_000);
});

const signInWith = (key?: string) => signIn(service, key === undefined ? {} : { key });

function refused({ status, body }: JsonResponse): unknown {
  return status === 200 ? 200 : `${status} ${String(body.error)}`;
}

async function assertFamilyEnded(...sessions: readonly Session[]): Promise<void> {
  for (const session of sessions) {
    assert.equal(await statusOf(service, session.accessToken), 'INVALID_TOKEN');
    assert.equal(refused(await refresh(service, session)), '400 invalid_grant');
  }
}

test('RF1: every refresh brings new tokens, and the old access token lives on for its hour', async () => {
  const first = await signInWith();
  const second = await refreshSession(service, first);
  const third = await refreshSession(service, second);
  assert.equal(new Set([first, second, third].map((session) => session.refreshToken)).size, 3);
  assert.equal(new Set([first, second, third].map((session) => session.accessToken)).size, 3);
  for (const { accessToken } of [first, second, third])
    assert.equal(await statusOf(service, accessToken), 200);
});

test('RF2: a rotated token shown after the grace ends the whole family', async () => {
  const first = await signInWith();
  const second = await refreshSession(service, first);
  clock.advance(30_000);
  assert.equal(refused(await refresh(service, first)), '400 invalid_grant');
  await assertFamilyEnded(first, second);
});

test('RF3: a retry within the grace gets the same pair, however many come at once', async () => {
  const first = await signInWith(provider.subscribe('pro'));
  const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(service, first)));
  const sessions = answers.map((answer) => parseSession(answer, first.clientId));
  assert.equal(new Set(sessions.map((session) => session.refreshToken)).size, 1);
  assert.equal(new Set(sessions.map((session) => session.accessToken)).size, 1);
  clock.advance(29_999);
  const late = await refresh(service, first);
  assert.equal(late.body.refresh_token, sessions[0]?.refreshToken);
  assert.equal(late.body.expires_in, 3_570);
  const [count] = await service.database.read(
    (sql) => sql<{ count: number }[]>`
    select count(*)::int from oauth_refresh_token where grant_id = (select max(id) from oauth_grant)`,
  );
  assert.equal(count?.count, 2);
});

test('RF3: a retry asks no provider, and gets what the first one asked for', async () => {
  const first = await signInWith(provider.subscribe('pro'));
  const narrow = await refresh(service, first, { scope: 'watchers' });
  provider.mode = 'fail';
  const again = await refresh(service, first);
  assert.equal(again.body.access_token, narrow.body.access_token);
  assert.equal(again.body.scope, 'watchers');
});

test('RF3: a retry also finds the pair at the process that issued the token, while its provider cannot tell', async (t) => {
  const beside = await startSecondService(t, service, { provider });
  const first = await signInWith(provider.subscribe('pro'));
  const second = await refreshSession(beside, first);
  provider.mode = 'fail';
  assert.equal((await refreshSession(service, first)).refreshToken, second.refreshToken);
  provider.mode = 'answer';
  assert.equal((await refreshSession(service, first)).refreshToken, second.refreshToken);
});

test('RF8: a token that its own process still knows is dead when another one has ended its family', async (t) => {
  const beside = await startSecondService(t, service, { provider });
  const session = await signInWith();
  await revoke(beside, session.refreshToken, session.clientId);
  assert.equal(refused(await refresh(service, session)), '400 invalid_grant');
});

test('RF4: once its successor was redeemed, a token is reused at once; calls with the new access token do not count', async () => {
  const first = await signInWith();
  const second = await refreshSession(service, first);
  assert.equal(await statusOf(service, second.accessToken), 200);
  assert.equal((await refreshSession(service, first)).refreshToken, second.refreshToken);
  const third = await refreshSession(service, second);
  assert.equal(refused(await refresh(service, first)), '400 invalid_grant');
  await assertFamilyEnded(first, second, third);
});

test('RF5: shown by another client a token is refused, and its owner notices nothing', async () => {
  const first = await signInWith();
  const stolen = { ...first, clientId: 'another-app' };
  assert.equal(refused(await refresh(service, stolen)), '400 invalid_grant');
  const second = await refreshSession(service, first);
  assert.equal(refused(await refresh(service, stolen)), '400 invalid_grant');
  assert.equal(await statusOf(service, second.accessToken), 200);
  assert.equal(refused(await refresh(service, second)), 200);
});

test('RF6: a refresh token lives for thirty days, each anew, and an access token for an hour', async () => {
  let session = await signInWith();
  const idle = await signInWith();
  clock.advance(3_599_999);
  assert.equal(await statusOf(service, session.accessToken), 200);
  clock.advance(1);
  assert.equal(await statusOf(service, session.accessToken), 'EXPIRED_TOKEN');
  for (let round = 0; round < 4; round++) {
    clock.advance(29 * DAY);
    session = await refreshSession(service, session);
  }
  assert.equal(refused(await refresh(service, idle)), '400 invalid_grant');
  clock.advance(30 * DAY - 1);
  session = await refreshSession(service, session);
  clock.advance(30 * DAY);
  assert.equal(refused(await refresh(service, session)), '400 invalid_grant');
});

test('RF6: OAUTH_GRANT_MAX_DAYS ends a grant however often it is refreshed; a grace of 0 forgives nothing', async (t) => {
  const environment = { OAUTH_GRANT_MAX_DAYS: '2', OAUTH_REFRESH_GRACE_SECONDS: '0' };
  const strict = await startService(t, { environment });
  let session = await signIn(strict);
  for (let round = 0; round < 4; round++) {
    strict.clock.advance(DAY / 2 - 450_000);
    const answer = await refresh(strict, session);
    session = parseSession(answer, session.clientId);
    assert.equal(answer.body.expires_in, round < 3 ? 3_600 : 1_800);
  }
  strict.clock.advance(1_799_999);
  assert.equal(await statusOf(strict, session.accessToken), 200);
  strict.clock.advance(1);
  assert.equal(await statusOf(strict, session.accessToken), 'EXPIRED_TOKEN');
  assert.equal(refused(await refresh(strict, session)), '400 invalid_grant');
  const other = await signIn(strict);
  const next = await refreshSession(strict, other);
  assert.equal(refused(await refresh(strict, other)), '400 invalid_grant');
  assert.equal(await statusOf(strict, next.accessToken), 'INVALID_TOKEN');
});

test('RF7: a refresh brings the tier that the subscription has now', async () => {
  const key = provider.subscribe('free');
  const first = await signInWith(key);
  assert.equal((await call(service, first.accessToken)).body.tier, 'free');
  const verdict = await provider.validate(key, { signal: AbortSignal.timeout(1_000) });
  assert.ok(verdict.state === 'active');
  provider.change(key, { ...verdict, tier: 'business' });
  assert.equal((await call(service, first.accessToken)).body.tier, 'free', 'not before the refresh');
  const second = await refreshSession(service, first);
  assert.equal((await call(service, second.accessToken)).body.tier, 'business');
  assert.equal((await call(service, first.accessToken)).body.tier, 'free', 'nor for the old token');
});

for (const state of ['expired', 'unknown'] as const) {
  test(`RF8: when the subscription is ${state}, the refresh is refused and the family ends`, async () => {
    const key = provider.subscribe('pro');
    const first = await signInWith(key);
    provider.change(key, { state });
    const second = await refreshSession(service, await signInWith(provider.subscribe('pro')));
    assert.equal(refused(await refresh(service, first)), '400 invalid_grant');
    await assertFamilyEnded(first);
    assert.equal(await statusOf(service, second.accessToken), 200, 'others go on');
  });
}

test('RF9: while the provider cannot tell, a refresh is put off and nothing is spent', async () => {
  const first = await signInWith(provider.subscribe('pro'));
  provider.mode = 'fail';
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await refresh(service, first);
    assert.equal(refused(answer), '503 temporarily_unavailable');
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal(answer.headers.get('www-authenticate'), null);
  }
  assert.equal(await statusOf(service, first.accessToken), 200);
  provider.mode = 'answer';
  clock.advance(60_000);
  const second = await refreshSession(service, first);
  assert.equal(await statusOf(service, second.accessToken), 200);
});

test('RF9: a provider that does not answer is waited for five seconds', async () => {
  const first = await signInWith(provider.subscribe('pro'));
  const { refresh: ask } = provider;
  const providerCalled = Promise.withResolvers<void>();
  provider.refresh = () => {
    providerCalled.resolve();
    return new Promise(() => {});
  };
  const waiting = refresh(service, first);
  await providerCalled.promise;
  clock.advance(5_000);
  assert.equal(refused(await waiting), '503 temporarily_unavailable');
  provider.refresh = ask;
  assert.equal(refused(await refresh(service, first)), 200);
});

test('RF10: a refresh may ask for less, once, and never for more', async () => {
  const first = await signIn(service, { scope: 'listings:read watchers' });
  for (const scope of ['listings:live', 'listings:read listings:live', 'nonsense'])
    assert.equal(refused(await refresh(service, first, { scope })), '400 invalid_scope', scope);
  for (const resource of ['https://elsewhere.example', `${service.url}/v1`])
    assert.equal(refused(await refresh(service, first, { resource })), '400 invalid_target', resource);
  const narrow = await refresh(service, first, { scope: 'watchers', resource: `${service.url}/mcp` });
  assert.equal(narrow.body.scope, 'watchers');
  const second = parseSession(narrow, first.clientId);
  assert.equal(await statusOf(service, second.accessToken), 'INVALID_TOKEN', 'it is for the other resource');
  const wide = await refresh(service, second, { scope: 'offline_access openid' });
  assert.equal(wide.body.scope, 'listings:read watchers');
  assert.equal(await statusOf(service, String(wide.body.access_token)), 200);
});

test('RF12: without a key a grant is refreshed as Free, and no provider is asked', async () => {
  const first = await signInWith();
  provider.mode = 'fail';
  const second = await refreshSession(service, first);
  assert.equal((await call(service, second.accessToken)).body.tier, 'free');
});

test('RF8: garbage, and tokens of another kind, are refused as dead tokens are', async () => {
  const first = await signInWith();
  const { refreshToken, accessToken } = first;
  const last = refreshToken.endsWith('A') ? 'B' : 'A';
  for (const token of [
    'x',
    accessToken,
    refreshToken.slice(0, -1) + last,
    `rt_${'a'.repeat(49)}`,
    'x'.repeat(5_000),
  ])
    assert.equal(
      refused(await refresh(service, { ...first, refreshToken: token })),
      '400 invalid_grant',
      token,
    );
});
