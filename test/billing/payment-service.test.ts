// Proof of the whole service with Polar and with Stripe behind it: keys, changes, replaced keys, commands and pages that name them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPayingService } from '../support/billing/paying-service.ts';
import { until } from '../support/check/until.ts';
import { refresh, signIn, statusOf } from '../support/oauth/oauth.ts';

for (const name of ['polar', 'stripe'] as const) {
  test(`with ${name} a bought key works, and follows its plan and its end`, async (t) => {
    const { service, shop, ask, pass } = await startPayingService(t, name);
    const key = await shop.buy('pro');
    assert.deepEqual(await ask(key), [200, 'pro']);
    shop.changePlan(key, 'business');
    await pass(600_000);
    assert.deepEqual(await ask(key), [200, 'business']);
    shop.cancel(key);
    await pass(600_000);
    assert.deepEqual(await ask(key), [401, 'EXPIRED_API_KEY']);
    const stored = await service.database.read(
      (sql) => sql<{ state: string }[]>`select state from provider_subscription`,
    );
    assert.deepEqual(
      stored.map(({ state }) => state),
      ['expired'],
    );
  });

  test(`with ${name} local sample keys open nothing, and callers without a key are shown the plans`, async (t) => {
    const { service } = await startPayingService(t, name);
    assert.equal((await service.get('/v1/usage', service.keys.internal)).status, 401);
    const call = () => service.get('/v1/search/sales?location=Portland');
    for (let calls = 0; calls < 10; calls++) await call();
    const refused = await call();
    assert.equal(refused.status, 429);
    const { detail } = (await refused.json()) as { detail: string };
    assert.ok(detail.includes(`${service.url}/billing`), detail);
  });
}

test('a key that Polar replaced ends, with the apps that were let in with it', async (t) => {
  const { service, shop, ask, pass } = await startPayingService(t, 'polar');
  const key = await shop.buy('pro');
  const session = await signIn(service, { key });
  assert.equal(await statusOf(service, session.accessToken), 200);
  const next = shop.rotate(key);
  assert.deepEqual(await ask(next), [200, 'pro']);
  await pass(600_000);
  assert.deepEqual(await ask(key), [401, 'INVALID_API_KEY']);
  await until('the app is out', async () => (await statusOf(service, session.accessToken)) !== 200);
  const refused = await refresh(service, session);
  assert.equal(refused.status, 400);
  assert.equal(refused.body.error, 'invalid_grant');
  const again = await signIn(service, { key: next });
  assert.equal(await statusOf(service, again.accessToken), 200);
});

test('what the payment service was asked is counted', async (t) => {
  const { service, shop, ask } = await startPayingService(t, 'stripe');
  const key = await shop.buy('pro');
  await ask(key);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const text = metrics.slice(metrics.indexOf('# HELP freehold_payment'));
  assert.match(text, /freehold_payment_calls_total\{outcome="answered",urgency="known"\} [1-9]/);
  assert.match(text, /freehold_subscription_statuses_total\{source="service"\} 1/);
  assert.match(text, /freehold_subscriptions_active \d/);
  assert.doesNotMatch(metrics, /sk_test/);
});
