// Tests of the outcomes that are decided only when the statement runs: changes since the token was read.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import {
  consent,
  type JsonResponse,
  parseSession,
  redeem,
  refresh,
  refreshSession,
  revoke,
  type Session,
  signIn,
} from '../../support/oauth/oauth.ts';
import { startSecondService } from '../../support/service/second-service.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const service = await startService({ after }, { overrides: { provider } });
const { clock, database } = service;

beforeEach(() => clock.advance(60_000));

/** Refreshes a token; `meanwhile` happens while its provider is asked, between the reading of the token and its replacement. */
async function refreshWhile(session: Session, meanwhile: () => unknown): Promise<JsonResponse> {
  const { refresh: ask } = provider;
  const providerCalled = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  provider.refresh = async (subscription, signal) => {
    providerCalled.resolve();
    await released.promise;
    return ask.call(provider, subscription, signal);
  };
  const answer = refresh(service, session);
  await providerCalled.promise;
  provider.refresh = ask;
  await meanwhile();
  released.resolve();
  return answer;
}

const signInWithKey = () => signIn(service, { key: provider.subscribe('pro') });

function described({ status, body }: JsonResponse): unknown {
  return status === 200 ? 200 : `${String(body.error)}: ${String(body.error_description)}`;
}

test('rotated: a token that nobody touched meanwhile is replaced', async () => {
  const session = await signInWithKey();
  assert.equal(described(await refreshWhile(session, () => {})), 200);
});

test('repeated: a token that another process replaced meanwhile leads to the same pair', async (t) => {
  const beside = await startSecondService(t, service, { provider });
  const session = await signInWithKey();
  let other: Session | undefined;
  const answer = await refreshWhile(session, async () => {
    other = await refreshSession(beside, session);
  });
  assert.deepEqual(parseSession(answer, session.clientId), other);
});

test('reused: a token whose successor was used meanwhile ends the grant', async () => {
  const session = await signInWithKey();
  let last: Session | undefined;
  const answer = await refreshWhile(session, async () => {
    last = await refreshSession(service, await refreshSession(service, session));
  });
  assert.match(String(described(answer)), /^invalid_grant: .*already used/);
  assert.ok(last);
  assert.match(String(described(await refresh(service, last))), /^invalid_grant: .*revoked/);
});

test('ended: a token whose grant was revoked meanwhile is refused as revoked', async () => {
  const session = await signInWithKey();
  const answer = await refreshWhile(session, () => revoke(service, session.refreshToken, session.clientId));
  assert.match(String(described(answer)), /^invalid_grant: .*has been revoked/);
});

test('expired: a token whose time ended meanwhile is refused as expired', async () => {
  const session = await signInWithKey();
  // Not by a jump of thirty days, at which the sweeper would delete the token.
  const end = new Date(clock.now() + 1_000);
  await database.write(
    (sql) => sql`update oauth_refresh_token set expires_at = ${end} where rotated_at is null`,
  );
  const answer = await refreshWhile(session, () => clock.advance(1_000));
  assert.match(String(described(answer)), /^invalid_grant: .*has expired/);
});

test('unknown: a token that was deleted meanwhile is refused as unknown', async () => {
  const session = await signInWithKey();
  const answer = await refreshWhile(session, () =>
    database.write((sql) => sql`delete from oauth_refresh_token where rotated_at is null and not keyless`),
  );
  assert.match(String(described(answer)), /^invalid_grant: .*unknown/);
});

test('a retry whose access token was revoked says that it has no time left', async () => {
  const session = await signInWithKey();
  const next = await refreshSession(service, session);
  await revoke(service, next.accessToken, next.clientId);
  const { body } = await refresh(service, session);
  assert.deepEqual([body.refresh_token, body.expires_in], [next.refreshToken, 0]);
});

test('a code whose grant was revoked is refused as such, and not as a second use', async () => {
  const authorizationCode = await consent(service);
  await database.write(
    (sql) =>
      sql`update oauth_grant set revoked_at = now(), revoked_for = 'owner_request' where expires_at > ${new Date(clock.now())}`,
  );
  assert.match(
    String(described(await redeem(service, authorizationCode))),
    /^invalid_grant: The consent behind the code has been revoked/,
  );
});
