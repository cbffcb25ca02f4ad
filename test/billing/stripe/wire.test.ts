// Proof that the tests' Stripe server speaks Stripe's wire format: the official package is its client.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Stripe } from 'stripe';
import { startStripeServer } from '../../support/billing/stripe/stripe-server.ts';
import type { Closing } from '../../support/database/database.ts';

async function start(t: Closing, options: { faults?: boolean; seed?: number } = {}) {
  const server = await startStripeServer(t, { faults: false, ...options });
  const { hostname, port } = new URL(server.url);
  const client = new Stripe(server.secretKey, {
    host: hostname,
    port: Number(port),
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
  });
  return { server, account: server.account, client };
}

describe('the official package', () => {
  test('reads subscriptions with their items, prices and expanded products', async (t) => {
    const { account, client } = await start(t);
    const prices = [account.addPlan('pro'), account.addPlan('business', { by: 'metadata', amount: 9_900 })];
    const { id, customer } = account.subscribe({
      prices,
      metadata: { note: 'x' },
      cancelAt: account.now + 60,
    });
    const found = await client.subscriptions.retrieve(id, { expand: ['items.data.price.product'] });
    assert.equal(found.customer, customer);
    assert.equal(found.status, 'active');
    assert.equal(found.cancel_at, account.now + 60);
    const [first, second] = found.items.data;
    assert.equal(first?.price.lookup_key, 'freehold_pro');
    assert.equal(second?.price.unit_amount_decimal?.toString(), '9900');
    const product = second?.price.product;
    assert.ok(typeof product === 'object' && !product.deleted);
    assert.deepEqual(product.metadata, { freehold_plan: 'business' });
    assert.equal((first?.current_period_end ?? 0) - (first?.current_period_start ?? 0), 30 * 86_400);
  });

  test('pages through all subscriptions, also of a customer, and through more items than stand in one', async (t) => {
    const { account, client } = await start(t);
    const price = account.addPlan('free');
    const made = Array.from({ length: 23 }, () => account.subscribe({ prices: [price] }).id);
    account.cancel(made[3] ?? '');
    const collect = (params: Stripe.SubscriptionListParams) =>
      client.subscriptions.list(params).autoPagingToArray({ limit: 1_000 });
    const all = await collect({ status: 'all', limit: 5 });
    assert.deepEqual(
      all.map(({ id }) => id),
      made.toReversed(),
    );
    assert.equal((await collect({})).length, 22);
    const own = account.subscribe({ prices: Array.from({ length: 12 }, () => price), customer: 'cus_own' });
    const [found, ...more] = await collect({ status: 'all', customer: 'cus_own' });
    assert.deepEqual([found?.id, found?.items.has_more, more.length], [own.id, true, 0]);
    const items = await client.subscriptionItems
      .list({ subscription: own.id, limit: 5, expand: ['data.price.product'] })
      .autoPagingToArray({ limit: 100 });
    assert.equal(items.length, 12);
  });

  test('reads prices, products and the features that entitle their buyers', async (t) => {
    const { account, client } = await start(t);
    const id = account.addPlan('pro', { by: 'feature', interval: 'year' });
    account.addPlan('free', { by: 'feature', amount: 0 });
    const { data } = await client.prices.list({ active: true, type: 'recurring', expand: ['data.product'] });
    assert.deepEqual(
      data.map((price) => [price.unit_amount, price.recurring?.interval]),
      [
        [0, 'month'],
        [1_000, 'year'],
      ],
    );
    const product = String((await client.prices.retrieve(id)).product);
    assert.deepEqual(
      (await client.products.list({ ids: [product] })).data.map((each) => each.name),
      ['Freehold pro'],
    );
    const [given] = (await client.products.listFeatures(product)).data;
    assert.equal(given?.entitlement_feature.lookup_key, 'freehold_pro');
    const features = await client.entitlements.features.list();
    assert.deepEqual(
      features.data.map((feature) => feature.lookup_key),
      ['freehold_free', 'freehold_pro'],
    );
  });

  test('makes a session, once for each idempotency key, and sees it paid, or expired', async (t) => {
    const { account, client } = await start(t);
    const params: Stripe.Checkout.SessionCreateParams = {
      mode: 'subscription',
      line_items: [{ price: account.addPlan('pro'), quantity: 1 }],
      success_url: 'https://api.example/billing/return?session={CHECKOUT_SESSION_ID}',
      metadata: { freehold_key: 'key_1' },
      subscription_data: { metadata: { freehold_key: 'key_1' } },
    };
    const options = { idempotencyKey: 'once' };
    const [first, again] = [
      await client.checkout.sessions.create(params, options),
      await client.checkout.sessions.create(params, options),
    ];
    assert.equal(first.id, again.id);
    assert.deepEqual([first.status, first.payment_status, first.subscription], ['open', 'unpaid', null]);
    const changed = { ...params, client_reference_id: 'other' };
    await assert.rejects(client.checkout.sessions.create(changed, options), {
      type: 'StripeIdempotencyError',
    });
    account.complete(first.id);
    const paid = await client.checkout.sessions.retrieve(first.id, { expand: ['subscription'] });
    assert.deepEqual([paid.status, paid.payment_status, paid.url], ['complete', 'paid', null]);
    assert.ok(typeof paid.subscription === 'object');
    assert.deepEqual(paid.subscription?.metadata, { freehold_key: 'key_1' });
    const other = await client.checkout.sessions.create(params);
    account.expire(other.id);
    assert.equal((await client.checkout.sessions.retrieve(other.id)).status, 'expired');
  });

  test('knows every refusal for what it is', async (t) => {
    const { account, client, server } = await start(t);
    const missing = { type: 'StripeInvalidRequestError', code: 'resource_missing', statusCode: 404 };
    await assert.rejects(client.subscriptions.retrieve('sub_none'), missing);
    const expand = ['data.items.data.price.product'];
    const tooDeep = { type: 'StripeInvalidRequestError', statusCode: 400 };
    await assert.rejects(client.subscriptions.list({ expand }), tooDeep);
    const { id } = account.subscribe({ prices: [account.addPlan('pro')] });
    await assert.rejects(client.subscriptions.retrieve(id, { expand: ['nothing'] }), tooDeep);
    const { hostname, port } = new URL(server.url);
    const place = { host: hostname, port: Number(port), protocol: 'http' } as const;
    const wrong = new Stripe('sk_test_wrong', { ...place, maxNetworkRetries: 0 });
    await assert.rejects(wrong.subscriptions.retrieve(id), { type: 'StripeAuthenticationError' });
    const live = new Stripe('sk_live_other', { ...place, maxNetworkRetries: 0 });
    await assert.rejects(live.subscriptions.retrieve(id), { ...missing, message: /exists in test mode/ });
  });

  test('takes the faults that the server has by itself for what they are, and gets the answer in the end', async (t) => {
    const { account, client } = await start(t, { faults: true, seed: 1 });
    const { id } = account.subscribe({ prices: [account.addPlan('pro')] });
    const faults = new Set<string>();
    const ask = async (): Promise<Stripe.Subscription> => {
      try {
        return await client.subscriptions.retrieve(id);
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeError)) throw error;
        faults.add(error.type);
        return ask();
      }
    };
    for (let call = 0; call < 100; call++) assert.equal((await ask()).id, id);
    assert.ok(faults.size > 0);
    const known = [
      'StripeAPIError',
      'StripeConnectionError',
      'StripeRateLimitError',
      'StripeInvalidRequestError',
    ];
    assert.deepEqual(
      [...faults].filter((type) => !known.includes(type)),
      [],
    );
  });

  test('accepts the signatures of webhooks, by each of two secrets, and refuses others', async (t) => {
    const { account, client, server } = await start(t);
    const { id } = account.subscribe({ prices: [account.addPlan('pro')] });
    const [created] = account.events;
    assert.ok(created !== undefined);
    const now = Math.floor(Date.now() / 1000);
    const { body, headers } = server.sign(created, [server.webhookSecret, 'whsec_next'], now);
    const signature = headers['stripe-signature'] ?? '';
    for (const secret of [server.webhookSecret, 'whsec_next']) {
      const event = client.webhooks.constructEvent(body, signature, secret);
      assert.equal(event.type, 'customer.subscription.created');
      assert.ok(event.type === 'customer.subscription.created' && event.data.object.id === id);
    }
    const verify =
      (text: string, header: string, secret = server.webhookSecret) =>
      () =>
        client.webhooks.constructEvent(text, header, secret);
    assert.throws(verify(`${body} `, signature), Stripe.errors.StripeSignatureVerificationError);
    assert.throws(verify(body, signature, 'whsec_none'), Stripe.errors.StripeSignatureVerificationError);
    const late = server.sign(created, [server.webhookSecret], now - 301);
    const lateSignature = late.headers['stripe-signature'] ?? '';
    assert.throws(verify(late.body, lateSignature), Stripe.errors.StripeSignatureVerificationError);
  });
});

test('a client that names no version, or an old one, finds periods where they once stood', async (t) => {
  const { account, server } = await start(t);
  const { id } = account.subscribe({ prices: [account.addPlan('pro')] });
  const read = async (headers: Record<string, string>) => {
    const authorization = `Bearer ${server.secretKey}`;
    const answer = await fetch(`${server.url}/v1/subscriptions/${id}`, {
      headers: { authorization, ...headers },
    });
    const body = (await answer.json()) as { current_period_end?: number; items: { data: object[] } };
    return [body.current_period_end !== undefined, 'current_period_end' in (body.items.data[0] ?? {})];
  };
  assert.deepEqual(await read({}), [true, false]);
  assert.deepEqual(await read({ 'stripe-version': '2024-06-20' }), [true, false]);
  assert.deepEqual(await read({ 'stripe-version': '2026-10-28.endive' }), [false, true]);
});
