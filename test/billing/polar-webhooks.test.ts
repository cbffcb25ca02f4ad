// Proof that what happens at Polar reaches a key through its webhooks: the whole service, a Polar of the tests, and no clock that moves.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MANY_CALLS } from '../support/billing/paying-service.ts';
import { startPolarShop } from '../support/billing/polar-service.ts';
import { newWebhookSecret, sendWebhook, webhookOf } from '../support/billing/polar-webhooks.ts';
import { createRandom } from '../support/check/random.ts';
import { until } from '../support/check/until.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const clock = manualClock(Date.now());
const { server, products, settings } = await startPolarShop({ after }, { faults: false, now: clock.now });
const { world } = server;
const secrets = { standard: newWebhookSecret(), whole: 'polar_whs_made-long-ago' } as const;
const service = await startService(
  { after },
  {
    clock,
    environment: {
      ...{ SUBSCRIPTIONS: 'polar', POLAR_ACCESS_TOKEN: settings.accessToken, POLAR_API_URL: settings.apiUrl },
      ...{ POLAR_ORGANIZATION_ID: settings.organizationId },
      POLAR_WEBHOOK_SECRET: Object.values(secrets).join(),
      POLAR_PLANS: Object.entries(settings.plans)
        .map(([product, plan]) => `${product}=${plan}`)
        .join(),
    },
    overrides: { callLimits: MANY_CALLS },
  },
);

/** The tier that a key has, or the code of its refusal. */
async function tierOf(key: string): Promise<string> {
  const answer = await service.get('/v1/usage', key);
  const body = (await answer.json()) as { code?: string; tier?: string };
  return body.code ?? body.tier ?? '';
}

const random = createRandom(5);

/** Sends what has happened: some of it twice, in any order, by either secret. */
async function sendAll(): Promise<void> {
  const events = server.happenings.splice(0).map((happening) => {
    const signing = random.pick(['standard', 'whole'] as const);
    return webhookOf(server, happening, { secret: secrets[signing], signing });
  });
  const sent = [...events, ...events.filter(() => random.chance(0.5))].sort(() => random.next() - 0.5);
  for (const webhook of sent) {
    const { status } = await sendWebhook(`${service.url}/billing/webhooks/polar`, webhook);
    assert.equal(status, 200);
  }
}

test('a change of plan, a missed payment, a pause and the end reach a key by webhook, in any order of the events', async () => {
  const subscription = world.subscribe(products.pro);
  const { key } = world.keyOf(subscription);
  assert.equal(await tierOf(key), 'pro');
  const steps: readonly (readonly [happen: () => void, expected: string])[] = [
    [() => world.changePlan(subscription, products.business), 'business'],
    [() => world.missPayment(subscription, false), 'INVALID_API_KEY'],
    [() => world.pay(subscription), 'business'],
    [() => world.pause(subscription), 'INVALID_API_KEY'],
    [() => world.resume(subscription), 'business'],
    [() => world.cancelAtPeriodEnd(subscription), 'business'],
    [() => world.revoke(subscription), 'EXPIRED_API_KEY'],
  ];
  for (const [number, [happen, expected]] of steps.entries()) {
    happen();
    await sendAll();
    await until(`step ${number} is noticed`, async () => (await tierOf(key)) === expected);
  }
});
