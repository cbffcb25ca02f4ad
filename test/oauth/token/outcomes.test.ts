// Proof of the outcomes of an exchange that are decided only when its statement runs: what changed since the token was read.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import {
  type Answer,
  consent,
  redeem,
  refresh,
  refreshed,
  revoke,
  type Session,
  sessionOf,
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
async function refreshWhile(session: Session, meanwhile: () => unknown): Promise<Answer> {
  const { refresh: ask } = provider;
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  provider.refresh = async (subscription, signal) => {
    asked.resolve();
    await released.promise;
    return ask.call(provider, subscription, signal);
  };
  const answer = refresh(service, session);
  await asked.promise;
  provider.refresh = ask;
  await meanwhile();
  released.resolve();
  return answer;
}

const signInWithKey = () => signIn(service, { key: provider.subscribe('pro') });

function described({ status, body }: Answer): unknown {
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
    other = await refreshed(beside, session);
  });
  assert.deepEqual(sessionOf(answer, session.clientId), other);
});

test('reused: a token whose successor was used meanwhile ends the grant', async () => {
  const session = await signInWithKey();
  let last: Session | undefined;
  const answer = await refreshWhile(session, async () => {
    last = await refreshed(service, await refreshed(service, session));
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
  const next = await refreshed(service, session);
  await revoke(service, next.accessToken, next.clientId);
  const { body } = await refresh(service, session);
  assert.deepEqual([body.refresh_token, body.expires_in], [next.refreshToken, 0]);
});

test('a code whose grant was revoked is refused as such, and not as a second use', async () => {
  const consented = await consent(service);
  await database.write(
    (sql) =>
      sql`update oauth_grant set revoked_at = now(), revoked_for = 'owner_request' where expires_at > ${new Date(clock.now())}`,
  );
  assert.match(
    String(described(await redeem(service, consented))),
    /^invalid_grant: The consent behind the code has been revoked/,
  );
});
