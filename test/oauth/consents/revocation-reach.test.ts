// Tests that a revocation reaches every process: at once by LISTEN, within five seconds without it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { until } from '../../support/check/until.ts';
import { refresh, refreshSession, revoke, signIn, statusOf } from '../../support/oauth/oauth.ts';
import { startSecondService } from '../../support/service/second-service.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after });
const { clock } = service;

async function startListening(t: Parameters<typeof startSecondService>[0]) {
  const beside = await startSecondService(t, service);
  await beside.listening();
  return beside;
}

test('a revocation reaches the other service while time stands still', async (t) => {
  const beside = await startListening(t);
  const single = await signIn(service);
  const family = await signIn(service);
  // Twice: from the second time on it believes what it has seen, and does not look.
  for (const { accessToken } of [single, family, single, family])
    assert.equal(await statusOf(beside, accessToken), 200);
  await revoke(service, single.accessToken, single.clientId);
  await revoke(service, family.refreshToken, family.clientId);
  for (const { accessToken } of [single, family]) {
    assert.equal(await statusOf(service, accessToken), 'INVALID_TOKEN', 'at once where it was revoked');
    await until('it is heard', async () => (await statusOf(beside, accessToken)) === 'INVALID_TOKEN');
  }
  assert.equal(await statusOf(beside, (await refreshSession(service, single)).accessToken), 200);
});

test('where LISTEN hangs unnoticed, what was revoked is refused five seconds later at the latest', async (t) => {
  const beside = await startListening(t);
  const single = await signIn(service);
  const first = await signIn(service);
  const second = await refreshSession(service, first);
  const third = await refreshSession(service, second);
  const spared = await signIn(service);
  const all = [single, first, second, third, spared].map(({ accessToken }) => accessToken);
  for (const token of [...all, ...all]) assert.equal(await statusOf(beside, token), 200);
  beside.silence();
  await revoke(service, single.accessToken, single.clientId);
  assert.equal((await refresh(service, first)).status, 400, 'reuse ends the family');
  for (const token of all) assert.equal(await statusOf(beside, token), 200, 'believed for now');
  clock.advance(5_000);
  for (const token of all.slice(0, -1)) assert.equal(await statusOf(beside, token), 'INVALID_TOKEN');
  assert.equal(await statusOf(beside, spared.accessToken), 200);
});

test('where LISTEN hangs, requests that keep coming make the service look for itself', async (t) => {
  const beside = await startListening(t);
  const { accessToken, refreshToken, clientId } = await signIn(service);
  assert.equal(await statusOf(beside, accessToken), 200);
  beside.silence();
  await revoke(service, refreshToken, clientId);
  clock.advance(2_000);
  await until('it has looked', async () => (await statusOf(beside, accessToken)) === 'INVALID_TOKEN');
});
