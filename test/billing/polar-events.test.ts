// Proof that events of Polar lead to the keys that they are about: each as Polar writes and signs it, from its bytes to the key.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readPolarEvent } from '../../src/billing/event-subjects.ts';
import { faultOfPolar } from '../../src/billing/signatures.ts';
import type { PolarSubscription } from '../support/billing/polar/polar-objects.ts';
import { polarService, startPolarShop } from '../support/billing/polar/polar-service.ts';
import { newWebhookSecret, webhookOf } from '../support/billing/polar/polar-webhooks.ts';
import { manualClock } from '../support/service/clock.ts';

const { signal } = new AbortController();
const clock = manualClock();
const { server, products, settings } = await startPolarShop({ after }, { now: clock.now, seed: 21 });
const { world } = server;
const { service, ask } = polarService({ after }, { settings, clock });

/** The keys that all events since the last call lead to, by type of event. */
async function keysTold(secret: string, signing: 'standard' | 'whole'): Promise<Map<string, Set<string>>> {
  const told = new Map<string, Set<string>>();
  for (const happening of server.happenings.splice(0)) {
    const { headers, body } = webhookOf(server, happening, { secret, signing });
    const request = { headers, body: Buffer.from(body), secrets: [secret], now: clock.now() };
    assert.equal(faultOfPolar(request), null, happening.type);
    const event = readPolarEvent(headers['webhook-id'], JSON.parse(body), world.organization);
    assert.ok(event !== null && !event.isForeign, happening.type);
    const keys = told.get(event.type) ?? new Set();
    for (const subject of event.subjects) {
      for (const key of await ask(() => service.resolveSubject(subject, signal))) keys.add(key);
    }
    told.set(event.type, keys);
  }
  return told;
}

test('whatever happens to a subscription, each event about it leads to its key, however it was signed', async () => {
  const steps: Readonly<Record<string, (subscription: PolarSubscription) => void>> = {
    created: () => {},
    updated: (subscription) => world.changePlan(subscription, products.business),
    canceled: (subscription) => world.cancelAtPeriodEnd(subscription),
    uncanceled: (subscription) => world.uncancel(subscription),
    cycled: (subscription) => world.cycle(subscription),
    past_due: (subscription) => world.missPayment(subscription, false),
    active: (subscription) => world.pay(subscription),
    paused: (subscription) => world.pause(subscription),
    resumed: (subscription) => world.resume(subscription),
    revoked: (subscription) => world.revoke(subscription),
  };
  for (const [secret, signing] of [
    [newWebhookSecret(), 'standard'],
    [newWebhookSecret(), 'whole'],
    ['polar_whs_made-long-ago', 'whole'],
  ] as const) {
    const subscription = world.subscribe(products.pro);
    for (const [name, happen] of Object.entries(steps)) {
      happen(subscription);
      const { id } = world.keyOf(subscription);
      const told = await keysTold(secret, signing);
      assert.ok(told.has(`subscription.${name}`), [...told.keys()].join());
      for (const [type, keys] of told) assert.deepEqual([...keys], [id], `${name}: ${type}`);
    }
  }
});

test('an event about a customer leads to all keys of theirs, and one about other benefits to none', async () => {
  const customer = world.addCustomer();
  const product = server.addProduct('With more', 100, [server.benefit, world.addBenefit('custom')]);
  server.happenings.length = 0;
  const subscriptions = [product, products.free].map((each) => world.subscribe(each, { customer }));
  const ids = subscriptions.map((each) => world.keyOf(each).id);
  const told = await keysTold(newWebhookSecret(), 'standard');
  assert.deepEqual([...(told.get('customer.state_changed') ?? [])].sort(), ids.toSorted());
  const grant = world.grants.find((each) => each.benefit.type === 'custom' && each.customer === customer);
  assert.ok(grant);
  const { headers, body } = webhookOf(
    server,
    { type: 'benefit_grant.created', grant },
    { secret: newWebhookSecret() },
  );
  assert.deepEqual(readPolarEvent(headers['webhook-id'], JSON.parse(body), world.organization)?.subjects, []);
});
