// Tests of refreshes with subscriptions of the built-in provider: RF6, RF7 and RF8.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { createLocalSubscriptions } from '../../../src/access/providers/subscription-store.ts';
import {
  call,
  consent,
  type JsonResponse,
  parseSession,
  redeem,
  refresh,
  refreshSession,
  signIn,
  statusOf,
} from '../../support/oauth/oauth.ts';
import { startSecondService } from '../../support/service/second-service.ts';
import { startService } from '../../support/service/service.ts';

const DAY = 86_400_000;
const service = await startService({ after });
const { clock, database } = service;
const subscriptions = createLocalSubscriptions(database, clock);

beforeEach(() => clock.advance(60_000));

async function subscribed() {
  const { id, key } = await subscriptions.create({ plan: 'pro' });
  return { id, session: await signIn(service, { key }) };
}

function refused({ status, body }: JsonResponse): unknown {
  return status === 200 ? 200 : `${status} ${String(body.error)}`;
}

test('RF7: a refresh brings the tier that the subscription has now, at whichever process', async (t) => {
  const beside = await startSecondService(t, service);
  const { id, session } = await subscribed();
  await subscriptions.changePlan(id, 'business');
  const second = await refreshSession(service, session);
  assert.equal((await call(service, second.accessToken)).body.tier, 'business');
  await subscriptions.changePlan(id, 'free');
  const third = await refreshSession({ ...service, url: beside.url }, second);
  assert.equal((await call(service, third.accessToken)).body.tier, 'free');
  assert.equal((await call(service, second.accessToken)).body.tier, 'business', 'not for the old token');
});

for (const end of ['end', 'revoke'] as const) {
  test(`RF8: after ${end} of the subscription the refresh is refused and the family ends, at whichever process`, async (t) => {
    const beside = await startSecondService(t, service);
    for (const url of [service.url, beside.url]) {
      const [{ id, session }, other] = [await subscribed(), await subscribed()];
      await subscriptions[end](id);
      const answers = await Promise.all(
        [session, other.session].map((one) => refresh({ ...service, url }, one)),
      );
      assert.deepEqual(answers.map(refused), ['400 invalid_grant', 200]);
      assert.equal(await statusOf(service, session.accessToken), 'INVALID_TOKEN');
    }
  });
}

test('RF8: a subscription counts until the moment of its end, and again once the end is taken back', async () => {
  const { id, session } = await subscribed();
  await subscriptions.end(id, new Date(clock.now() + DAY));
  clock.advance(DAY - 1);
  const second = await refreshSession(service, session);
  await subscriptions.end(id, null);
  clock.advance(DAY);
  const third = await refreshSession(service, second);
  await subscriptions.end(id, new Date(clock.now() + DAY));
  clock.advance(DAY);
  assert.equal(refused(await refresh(service, third)), '400 invalid_grant');
});

test('RF6: OAUTH_GRANT_MAX_DAYS counts from the consent, also for tokens that are never refreshed', async (t) => {
  const strict = await startService(t, { environment: { OAUTH_GRANT_MAX_DAYS: '1' } });
  const authorizationCode = await Promise.all([consent(strict), consent(strict)]);
  strict.clock.advance(240_000);
  const [first, second] = await Promise.all(
    authorizationCode.map(async (one) => parseSession(await redeem(strict, one), one.clientId)),
  );
  assert.ok(first && second);
  strict.clock.advance(DAY - 240_001);
  const { body } = await refresh(strict, first);
  assert.equal(body.expires_in, 0);
  strict.clock.advance(1);
  assert.equal(refused(await refresh(strict, second)), '400 invalid_grant');
});
