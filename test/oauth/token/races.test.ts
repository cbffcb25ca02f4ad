// Tests of two processes on one database: each code and refresh token is exchanged once. R10, R11, RF3, RF11.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertEvery } from '../../support/check/every.ts';
import { until } from '../../support/check/until.ts';
import { temporaryFolder, testDatabase } from '../../support/database/database.ts';
import type { ChildOptions } from '../../support/oauth/child.ts';
import {
  consent,
  parseSession,
  redeem,
  refresh,
  type ServiceAddress,
  signIn,
  statusOf,
} from '../../support/oauth/oauth.ts';
import { startProgram } from '../../support/process/children.ts';

const { url: databaseUrl } = await testDatabase({ after });
const publicUrl = 'http://127.0.0.1:8080';

async function startChild() {
  const folder = await temporaryFolder({ after }, 'oauth');
  const options: ChildOptions = { databaseUrl, folder, publicUrl };
  const child = startProgram({ after }, 'oauth/child.ts', [JSON.stringify(options)]);
  const { port } = JSON.parse((await child.line()) ?? '{}') as { port: number };
  return { url: `http://127.0.0.1:${port}`, child };
}

const children = [await startChild(), await startChild()] as const;
const [one, two] = children;
const at = (index: number): ServiceAddress => children[index % 2] ?? one;

async function assertEnded(...tokens: readonly unknown[]): Promise<void> {
  for (const place of children) {
    for (const token of tokens)
      await until(
        'the token is refused',
        async () => (await statusOf(place, String(token))) === 'INVALID_TOKEN',
      );
  }
}

test('R11, TK8: of 50 redemptions of one code in two processes one succeeds, and its family ends in both', async () => {
  for (let round = 0; round < 3; round++) {
    const authorizationCode = await consent(one);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => redeem(at(index), authorizationCode)),
    );
    const [winner, ...others] = answers.toSorted((left, right) => left.status - right.status);
    assert.ok(winner);
    const session = parseSession(winner, authorizationCode.clientId);
    assertEvery(others, ({ status, body }) => status === 400 && body.error === 'invalid_grant');
    await assertEnded(session.accessToken);
    assert.equal((await refresh(two, session)).body.error, 'invalid_grant');
  }
});

test('R10, RF3: of 100 refreshes of one token in two processes all get the one successor', async () => {
  const session = await signIn(one);
  const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => refresh(at(index), session)));
  const sessions = answers.map((answer) => parseSession(answer, session.clientId));
  assert.equal(new Set(sessions.map(({ refreshToken }) => refreshToken)).size, 1);
  assert.equal(new Set(sessions.map(({ accessToken }) => accessToken)).size, 1);
  for (const place of children) assert.equal(await statusOf(place, sessions[0]?.accessToken ?? ''), 200);
});

test('R10: a token shown again after its successor was redeemed ends the family in both processes', async () => {
  const first = await signIn(one);
  const second = parseSession(await refresh(two, first), first.clientId);
  const third = parseSession(await refresh(one, second), first.clientId);
  for (const place of children) {
    for (const { accessToken } of [first, second, third])
      assert.equal(await statusOf(place, accessToken), 200);
  }
  assert.equal((await refresh(two, first)).body.error, 'invalid_grant');
  await assertEnded(first.accessToken, second.accessToken, third.accessToken);
  for (const place of children) assert.equal((await refresh(place, third)).body.error, 'invalid_grant');
});

test('RF11: a process killed between the commit of a refresh and its answer loses nobody a session', async () => {
  const { url, child } = await startChild();
  const session = await signIn({ url });
  child.kill('SIGUSR2');
  assert.equal(await child.line(), 'doomed');
  await assert.rejects(refresh({ url }, session), 'the answer never came');
  await child.ended;
  const retried = parseSession(await refresh(one, session), session.clientId);
  assert.equal(await statusOf(two, retried.accessToken), 200);
  assert.equal(
    parseSession(await refresh(two, session), session.clientId).refreshToken,
    retried.refreshToken,
  );
  const next = parseSession(await refresh(two, retried), session.clientId);
  assert.equal(await statusOf(one, next.accessToken), 200);
});
