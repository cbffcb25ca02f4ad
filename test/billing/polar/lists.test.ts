// Polar's keys in bulk: all that open something, over several pages, and which ones an event concerns.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ProviderUnavailable } from '../../../src/access/tiers/provider.ts';
import { PLANS } from '../../../src/access/tiers/tiers.ts';
import { polarService, startPolarShop } from '../../support/billing/polar/polar-service.ts';
import { listPages } from '../../support/billing/provider-subject.ts';
import { assertEvery } from '../../support/check/every.ts';
import { manualClock } from '../../support/service/clock.ts';

const { signal } = new AbortController();
const clock = manualClock();
const { server, products, settings } = await startPolarShop({ after }, { now: clock.now, seed: 7 });
const { world } = server;
const { service, ask } = polarService({ after }, { settings, clock });

/** 120 keys of ours in every state, and some of others. */
const subscriptions = Array.from({ length: 118 }, (_, index) => {
  const product = products[PLANS[index % PLANS.length] ?? 'free'];
  const subscription = world.subscribe(product);
  if (index % 9 === 1) world.cancelAtPeriodEnd(subscription);
  if (index % 9 === 2) world.revoke(subscription);
  if (index % 9 === 3) world.pause(subscription);
  if (index % 9 === 4) world.missPayment(subscription, index % 2 === 0);
  if (index % 9 === 5) world.disable(world.keyOf(subscription));
  if (index % 9 === 6) world.rotate(world.keyOf(subscription));
  clock.advance(1);
  return subscription;
});
subscriptions.push(world.subscribe(server.addProduct('Unmapped')));
const expiring = world.subscribe(products.pro);
world.expire(world.keyOf(expiring), clock.now());
subscriptions.push(expiring);
const otherBenefit = world.addBenefit('license_keys', 'OTHER');
world.subscribe(server.addProduct('Elsewhere', 1, [otherBenefit]));
world.subscribe(server.addProduct('Without keys', 1, [world.addBenefit('custom')]));

const listAll = () => listPages(service);

/** Fewer requests than this: one page of 100 is one request, apart from those that a fault makes necessary. */
const calls = (from: number) => server.requests.slice(from).length;

describe('the keys of Polar', () => {
  test('that open something are all listed, as each one alone is described, in a few calls', async () => {
    const from = server.requests.length;
    const pages = await listAll();
    assert.ok(calls(from) < 20, `${calls(from)} calls`);
    const listed = new Map(pages.flat().map((each) => [each.reference, each]));
    for (const subscription of subscriptions) {
      const { id } = world.keyOf(subscription);
      const alone = await ask(() => service.find(id, signal));
      const isOpen = alone?.status.state === 'active' && subscription.status === 'active';
      if (isOpen || listed.has(id)) assert.deepEqual(listed.get(id) ?? null, alone, id);
    }
    const states = new Set([...listed.values()].map(({ status }) => status.state));
    assert.ok(states.has('active'));
    assert.ok(listed.size > 60 && listed.size < 110, String(listed.size));
    const kept = JSON.stringify(pages);
    assertEvery(world.keys, ({ key }) => !kept.includes(key), 'only hashes leave the adapter');
  });

  test('that appear between two lists are left out, not refused', async () => {
    const usual = server.alter;
    let late: string | undefined;
    server.alter = (answer, request) => {
      if (late === undefined && request.path === '/v1/license-keys/') {
        late = world.keyOf(world.subscribe(products.pro)).id;
        server.alter = usual;
      }
      return answer;
    };
    await listAll();
    // Made after the page was answered: the next list has it.
    const listed = (await listAll()).flat();
    assert.equal(listed.find(({ reference }) => reference === late)?.status.state, 'active');
    const grants = world.grants.splice(0);
    assert.deepEqual((await listAll()).flat(), []);
    world.grants.push(...grants);
  });

  test('are listed without those that make no sense', async () => {
    const usual = server.alter;
    const before = (await listAll()).flat().length;
    for (const [path, field] of [
      ['/v1/license-keys/', 'status'],
      ['/v1/benefit-grants/', 'is_granted'],
      ['/v1/subscriptions/', 'cancel_at_period_end'],
    ] as const) {
      server.alter = (answer, request) => {
        const { items } = answer.body as { items?: Record<string, unknown>[] };
        if (request.path === path && request.query.get('page') === '1') delete items?.[0]?.[field];
        return answer;
      };
      assert.equal((await listAll()).flat().length, before - 1, path);
    }
    server.alter = usual;
  });

  test('give up at a page that is refused again and again', async () => {
    const usual = server.fault;
    server.fault = ({ path }) => (path === '/v1/subscriptions/' ? { kind: 'failing', status: 502 } : null);
    await assert.rejects(listAll(), ProviderUnavailable);
    server.fault = usual;
  });

  test('are found by what an event names: key, customer or subscription', async () => {
    const customer = world.addCustomer();
    const [one, other] = [products.pro, products.free].map((product) =>
      world.subscribe(product, { customer }),
    );
    assert.ok(one && other);
    const ids = [one, other].map((each) => world.keyOf(each).id);
    const resolve = (subject: string) => ask(() => service.resolveSubject(subject, signal));
    assert.deepEqual([...(await resolve(`customer:${customer.id}`))].sort(), ids.toSorted());
    assert.deepEqual(await resolve(`subscription:${one.id}`), ids.slice(0, 1));
    world.revoke(one);
    assert.deepEqual(await resolve(`subscription:${one.id}`), ids.slice(0, 1), 'also when it has ended');
    assert.deepEqual(await resolve(`key:${ids[1]}`), ids.slice(1));
    for (const subject of [
      `subscription:${customer.id}`,
      `checkout:${one.id}`,
      'key:x',
      'customer:',
      'nonsense',
    ]) {
      assert.deepEqual(await resolve(subject), [], subject);
    }
  });

  test('are found after their end too, within a bounded number of calls', async () => {
    const ended = subscriptions.findLast((each) => each.status === 'canceled');
    assert.ok(ended);
    const key = world.keyOf(ended);
    const found = await ask(() => service.findKey(key.key, signal));
    assert.deepEqual(found, await ask(() => service.find(key.id, signal)));
    assert.deepEqual(found?.status, { state: 'expired' });
    // Far down among later ones, it is not searched for.
    const usual = server.fault;
    server.fault = () => null;
    for (let count = 0; count < 1_100; count++) world.subscribe(products.free);
    const from = server.requests.length;
    const nameless = { reference: null, status: { state: 'unknown' } };
    assert.deepEqual(await service.findKey(key.key, signal), nameless);
    assert.equal(calls(from), 1 + 1 + 9);
    const expired = world.keyOf(expiring);
    const said = await service.findKey(expired.key, signal);
    assert.deepEqual(said, { reference: null, status: { state: 'expired' } }, 'Polar says this much itself');
    assert.deepEqual((await service.find(key.id, signal))?.status, { state: 'expired' });
    server.fault = usual;
  });
});

describe('the plans of Polar', () => {
  test('are the products with a plan, the cheapest first', async () => {
    server.addProduct('Not for sale');
    const offers = await ask(() => service.listPlans(signal));
    assert.deepEqual(
      offers.map(({ plan, priceId, amount }) => [plan, priceId, amount]),
      PLANS.map((plan) => [plan, products[plan].id, products[plan].amount]),
    );
    const { name, currency, interval, intervalCount } = offers[0] ?? assert.fail('no offer');
    assert.deepEqual([name, currency, interval, intervalCount], ['Plan free', 'usd', 'month', 1]);
  });

  test('are bought on a page of Polar, which issues the key', async () => {
    const [returnUrl, cancelUrl] = [
      'https://api.example/billing/return',
      'https://api.example/billing/canceled',
    ];
    const wanted = { priceId: products.pro.id, returnUrl, cancelUrl };
    const made = await ask(() => service.createCheckout(wanted, signal));
    const { url, expiresAt, key, keyId } = made ?? assert.fail('no checkout');
    assert.deepEqual([key, keyId, expiresAt > clock.now()], [null, null, true]);
    const checkout = world.checkouts.at(-1) ?? assert.fail('no checkout');
    assert.equal(checkout.successUrl, `${returnUrl}?session=${checkout.id}`);
    const state = () => ask(() => service.findCheckout(checkout.id, signal));
    assert.equal(await state(), 'open');
    checkout.status = 'confirmed';
    assert.equal(await state(), 'open', 'the customer has pressed the button, and is not charged yet');
    await fetch(`${url}/pay`, { method: 'POST', redirect: 'manual' });
    assert.equal(await state(), 'complete');
    const bought = world.keyOf(checkout.subscription ?? assert.fail('no subscription'));
    assert.equal((await ask(() => service.findKey(bought.key, signal)))?.status.state, 'active');
    for (const status of ['expired', 'failed'] as const) {
      checkout.status = status;
      assert.equal(await state(), 'expired');
    }
    for (const session of ['nonsense', products.pro.id]) {
      assert.equal(await ask(() => service.findCheckout(session, signal)), 'unknown');
    }
    for (const priceId of [server.addProduct('Not for sale').id, 'nonsense']) {
      const unoffered = await ask(() => service.createCheckout({ ...wanted, priceId }, signal));
      assert.equal(unoffered, null);
    }
    world.products.splice(world.products.indexOf(products.pro), 1);
    assert.equal(
      await ask(() => service.createCheckout(wanted, signal)),
      null,
      'no product of Polar any more',
    );
  });
});
