// What license keys of Polar open: plans, ends, refusals and their reasons, rotation, and who else's keys they are not.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { keyHash } from '../../../src/access/providers/subscription-store.ts';
import type { SubscriptionStatus } from '../../../src/access/tiers/provider.ts';
import type { ProviderSubscription } from '../../../src/billing/payment-service.ts';
import type { PolarKey } from '../../support/billing/polar/polar-objects.ts';
import { polarService, startPolarShop } from '../../support/billing/polar/polar-service.ts';
import { manualClock } from '../../support/service/clock.ts';
import { keyNumber } from '../../support/service/stub-provider.ts';

const { signal } = new AbortController();
const clock = manualClock();
const { server, products, settings } = await startPolarShop({ after }, { now: clock.now });
const { world } = server;
const { service, ask } = polarService({ after }, { settings, clock });

const findKey = (key: string) => ask(() => service.findKey(key, signal));
const find = (reference: string) => ask(() => service.find(reference, signal));

/** What is said of a key, which must be the same whether it is asked for by the key or by its reference. */
async function subscriptionOf(key: PolarKey): Promise<ProviderSubscription> {
  const found = await find(key.id);
  assert.ok(found);
  assert.deepEqual(await findKey(key.key), found);
  assert.deepEqual([found.reference, found.keyHash], [key.id, keyHash(key.key)]);
  return found;
}

const statusOn = async (key: PolarKey): Promise<SubscriptionStatus> => (await subscriptionOf(key)).status;

function active(key: PolarKey, tier: string, endsAt: number | null = null) {
  return { state: 'active', subscription: key.id, customer: key.customer.id, tier, endsAt };
}

describe('a license key of Polar', () => {
  test('has the plan of the product that its subscription is to, and survives a change of plan', async () => {
    const subscription = world.subscribe(products.free, { status: 'trialing' });
    const key = world.keyOf(subscription);
    assert.deepEqual(await statusOn(key), active(key, 'free'));
    world.changePlan(subscription, products.business);
    assert.equal(world.keyOf(subscription), key);
    assert.deepEqual(await statusOn(key), active(key, 'business'));
  });

  test('is replaced at a change of plan where each plan has a benefit of its own', async () => {
    const [basic, large] = [world.addBenefit(), world.addBenefit()];
    const [small, big] = [server.addProduct('Small', 100, [basic]), server.addProduct('Big', 200, [large])];
    const plans = { [small.id]: 'pro', [big.id.toUpperCase()]: 'business' } as const;
    const tiered = polarService({ after }, { settings: { ...settings, plans }, clock });
    const subscription = world.subscribe(small);
    const before = world.keyOf(subscription);
    world.changePlan(subscription, big);
    const now = world.keyOf(subscription);
    const statuses: unknown[] = [];
    for (const key of [before, now]) {
      statuses.push((await tiered.ask(() => tiered.service.find(key.id, signal)))?.status);
      statuses.push((await tiered.ask(() => tiered.service.findKey(key.key, signal)))?.status);
    }
    const replaced = { state: 'unknown', reason: 'replaced' };
    assert.deepEqual(statuses, [replaced, replaced, active(now, 'business'), active(now, 'business')]);
    world.changePlan(subscription, small);
    assert.equal(world.keyOf(subscription), before, 'the former benefit comes back with its key');
    assert.deepEqual(
      (await tiered.ask(() => tiered.service.find(before.id, signal)))?.status,
      active(before, 'pro'),
    );
  });

  test('keeps its reference when it is rotated, and the former text opens nothing', async () => {
    const key = world.keyOf(world.subscribe(products.pro));
    const former = key.key;
    const before = await subscriptionOf(key);
    world.rotate(key);
    assert.equal(await findKey(former), null);
    const now = await subscriptionOf(key);
    assert.deepEqual(now, { ...before, keyHash: keyHash(key.key) });
    assert.notDeepEqual(now.keyHash, before.keyHash);
  });

  test('is one of several when a customer has several subscriptions', async () => {
    const customer = world.addCustomer();
    const first = world.subscribe(products.pro, { customer });
    const keys = [first, world.subscribe(products.internal, { customer })].map((each) => world.keyOf(each));
    const [one, other] = keys as [PolarKey, PolarKey];
    assert.deepEqual(await statusOn(one), active(one, 'pro'));
    assert.deepEqual(await statusOn(other), active(other, 'internal'));
    world.revoke(first);
    assert.deepEqual(await statusOn(one), { state: 'expired' });
    assert.deepEqual(await statusOn(other), active(other, 'internal'));
  });

  test('is accepted in lower case', async () => {
    const key = world.keyOf(world.subscribe(products.pro));
    assert.deepEqual((await findKey(key.key.toLowerCase()))?.status, active(key, 'pro'));
    assert.deepEqual((await find(key.id.toUpperCase()))?.status, active(key, 'pro'));
  });

  test('ends when its subscription is canceled for then, unless that is taken back', async () => {
    const subscription = world.subscribe(products.pro);
    const key = world.keyOf(subscription);
    const endsAt = clock.now() + 5_000;
    world.cancelAtPeriodEnd(subscription, endsAt);
    assert.deepEqual(await statusOn(key), active(key, 'pro', endsAt));
    world.uncancel(subscription);
    assert.deepEqual(await statusOn(key), active(key, 'pro'));
    world.cancelAtPeriodEnd(subscription, endsAt);
    clock.advance(5_000);
    assert.deepEqual(await statusOn(key), { state: 'expired' }, 'although Polar has not noticed the end yet');
    world.cycle(subscription);
    assert.deepEqual(await statusOn(key), { state: 'expired' });
  });

  test('ends with the period when Polar names no other date, and at that date when it names one', async () => {
    const subscription = world.subscribe(products.pro);
    const key = world.keyOf(subscription);
    world.cancelAtPeriodEnd(subscription);
    subscription.endsAt = null;
    assert.deepEqual(await statusOn(key), active(key, 'pro', subscription.periodEnd));
    subscription.endsAt = subscription.periodEnd - 1_000;
    assert.deepEqual(await statusOn(key), active(key, 'pro', subscription.periodEnd - 1_000));
    subscription.cancelAtPeriodEnd = false;
    assert.deepEqual(await statusOn(key), active(key, 'pro', subscription.periodEnd - 1_000));
  });

  test('ends at its own date where that comes first', async () => {
    const subscription = world.subscribe(products.pro);
    const key = world.keyOf(subscription);
    world.cancelAtPeriodEnd(subscription, clock.now() + 9_000);
    world.expire(key, clock.now() + 4_000);
    assert.deepEqual(await statusOn(key), active(key, 'pro', clock.now() + 4_000));
    clock.advance(4_000);
    assert.deepEqual(await statusOn(key), { state: 'expired' });
  });

  test('stays in force for as long as Polar grants it, also when a payment was missed', async () => {
    const subscription = world.subscribe(products.pro);
    const key = world.keyOf(subscription);
    world.missPayment(subscription, true);
    assert.deepEqual(await statusOn(key), active(key, 'pro'));
    world.endGrace(subscription);
    assert.deepEqual(await statusOn(key), { state: 'unknown', reason: 'unpaid' });
    world.pay(subscription);
    assert.deepEqual(await statusOn(key), active(key, 'pro'));
    world.pause(subscription);
    assert.deepEqual(await statusOn(key), { state: 'unknown', reason: 'paused' });
    world.resume(subscription);
    world.disable(key);
    assert.deepEqual(await statusOn(key), { state: 'unknown' });
    world.missPayment(subscription, true);
    assert.deepEqual(await statusOn(key), { state: 'unknown' }, 'paying would not help');
    world.pay(subscription);
    world.takeBack(key);
    assert.deepEqual(await statusOn(key), { state: 'unknown' }, 'and no other key took its place');
    world.revoke(subscription);
    assert.deepEqual(await statusOn(key), { state: 'expired' });
  });

  test('opens nothing without a product that has a plan', async () => {
    const other = server.addProduct('Something else');
    const subscription = world.subscribe(other);
    assert.deepEqual(await statusOn(world.keyOf(subscription)), { state: 'unknown' });
    assert.deepEqual(await statusOn(world.order(products.pro)), { state: 'unknown' }, 'bought once');
    world.revoke(subscription);
    assert.deepEqual(await statusOn(world.keyOf(subscription)), { state: 'unknown' });
  });

  test('is none of ours with another prefix, or without one', async () => {
    for (const prefix of ['OTHER', 'SERVICE-X', null]) {
      const benefit = world.addBenefit('license_keys', prefix);
      const product = server.addProduct('Elsewhere', 100, [benefit]);
      const plans = { ...settings.plans, [product.id]: 'pro' } as const;
      const { service, ask } = polarService({ after }, { settings: { ...settings, plans }, clock });
      const key = world.keyOf(world.subscribe(product));
      assert.equal(await ask(() => service.find(key.id, signal)), null, key.key);
    }
  });

  test('is found among other benefits of the same product', async () => {
    const product = server.addProduct('With more', 100, [world.addBenefit('custom'), server.benefit]);
    const subscription = world.subscribe(products.pro);
    const key = world.keyOf(subscription);
    const plans = { ...settings.plans, [product.id]: 'business' } as const;
    const { service, ask } = polarService({ after }, { settings: { ...settings, plans }, clock });
    world.changePlan(subscription, product);
    assert.deepEqual((await ask(() => service.find(key.id, signal)))?.status, active(key, 'business'));
  });

  test('that Polar does not know is unknown, by the key and by any reference', async () => {
    assert.equal(await findKey(keyNumber(1)), null);
    for (const reference of ['9f0a5ddc-3c9c-4bd6-8a0c-7d8f7f3f2b11', 'sub_1', '../customers', '']) {
      assert.equal(await find(reference), null, reference);
    }
  });
});
