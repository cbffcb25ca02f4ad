// Tests of token revocation: at once, and without telling what exists. RV1 to RV5.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import {
  postForm,
  refresh,
  refreshSession,
  revoke,
  type Session,
  signIn,
  statusOf,
} from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after });
const { clock } = service;
/** An address has 300 revocations a minute. */
beforeEach(() => clock.advance(60_000));

const status = async (session: Session) => (await refresh(service, session)).status;

test('RV1: whatever is given back, the answer is an empty 200', async () => {
  const session = await signIn(service);
  const dead = await signIn(service);
  clock.advance(3_600_000);
  const tokens = [
    session.accessToken,
    session.refreshToken,
    session.refreshToken,
    `rt_${'a'.repeat(49)}`,
    'garbage',
    'x'.repeat(5_000),
    dead.accessToken,
  ];
  for (const token of tokens) {
    for (const token_type_hint of ['access_token', 'refresh_token', 'nonsense']) {
      const { status, body, headers } = await revoke(service, token, session.clientId, { token_type_hint });
      assert.deepEqual([status, body, headers.get('content-length')], [200, {}, '0'], token);
    }
  }
});

test('RV1: without a token, or without a client, the request is malformed', async () => {
  const { refreshToken, clientId } = await signIn(service);
  for (const fields of [{ client_id: clientId }, { token: refreshToken }, {}]) {
    const answer = await postForm(service, '/oauth/revoke', fields);
    assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request']);
  }
});

test('RV2: with a refresh token the whole family ends, with an access token that one alone', async () => {
  const first = await signIn(service);
  const second = await refreshSession(service, first);
  for (const { accessToken } of [first, second]) assert.equal(await statusOf(service, accessToken), 200);
  await revoke(service, first.accessToken, first.clientId);
  assert.equal(await statusOf(service, first.accessToken), 'INVALID_TOKEN');
  assert.equal(await statusOf(service, second.accessToken), 200);
  const third = await refreshSession(service, second);
  assert.equal(await statusOf(service, third.accessToken), 200);
  await revoke(service, third.refreshToken, third.clientId);
  for (const { accessToken } of [second, third])
    assert.equal(await statusOf(service, accessToken), 'INVALID_TOKEN');
  assert.equal(await status(third), 400);
});

test('RV2: a refresh token that was replaced still ends its family', async () => {
  const first = await signIn(service);
  const second = await refreshSession(service, first);
  await revoke(service, first.refreshToken, first.clientId);
  assert.equal(await statusOf(service, second.accessToken), 'INVALID_TOKEN');
});

test('RV3: another client can give nothing back', async () => {
  const session = await signIn(service);
  for (const token of [session.accessToken, session.refreshToken])
    assert.equal((await revoke(service, token, 'another-app')).status, 200);
  assert.equal(await statusOf(service, session.accessToken), 200);
  assert.equal(await status(session), 200);
});

test('RV4: who gives back too much at once is asked to come again, by a 503', async () => {
  const session = await signIn(service);
  for (let count = 0; count < 300; count++) await revoke(service, 'garbage', 'app');
  const late = await revoke(service, session.refreshToken, session.clientId);
  assert.deepEqual([late.status, late.body.error], [503, 'temporarily_unavailable']);
  const wait = Number(late.headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= 60, `${wait}`);
  assert.equal(await statusOf(service, session.accessToken), 200);
  clock.advance(wait * 1_000);
  assert.equal((await revoke(service, session.refreshToken, session.clientId)).status, 200);
  assert.equal(await statusOf(service, session.accessToken), 'INVALID_TOKEN');
});

test('RV5: nobody is told what a token holds', async () => {
  const { accessToken } = await signIn(service);
  assert.equal((await postForm(service, '/oauth/introspect', { token: accessToken })).status, 404);
});
