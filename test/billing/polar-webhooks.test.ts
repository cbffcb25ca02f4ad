// Proof that what happens at Polar reaches a key through its webhooks: the whole service, a Polar of the tests, and no clock that moves.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startPayingService } from '../support/billing/paying-service.ts';
import { newWebhookSecret, sendWebhook, webhookOf } from '../support/billing/polar/polar-webhooks.ts';
import { createRandom } from '../support/check/random.ts';
import { until } from '../support/check/until.ts';

const secrets = { standard: newWebhookSecret(), whole: 'polar_whs_made-long-ago' } as const;
const { service, shop, ask } = await startPayingService({ after }, 'polar', {
  POLAR_WEBHOOK_SECRET: Object.values(secrets).join(),
});
const { server, products } = shop;
const { world } = server;

/** The tier that a key has, or the code of its refusal. */
const tierOf = async (key: string): Promise<string> => (await ask(key))[1];

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
