// Proof of the wire: Polar's own package accepts what the test's Polar answers, and verifies what it signs.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { PolarClientError, PolarNetworkError, PolarRateLimitError, PolarServerError } from '@polar-sh/sdk';
import { createPolar, errors, webhooks } from '@polar-sh/sdk/2026-10';
import { startPolarShop } from '../../support/billing/polar/polar-service.ts';
import { newWebhookSecret, sendWebhook, webhookOf } from '../../support/billing/polar/polar-webhooks.ts';
import { keyNumber } from '../../support/service/stub-provider.ts';

const { server, products } = await startPolarShop({ after }, { faults: false });
const { world } = server;
const sdk = createPolar({ accessToken: server.accessToken, baseUrl: server.url });
const organization_id = world.organization;

const accepted = () => assert.fail('It was accepted');

describe('the package of Polar', () => {
  const subscription = world.subscribe(products.pro);
  const key = world.keyOf(subscription);

  test('gets, validates and lists license keys', async () => {
    const found = await sdk.licenseKeys.get(key.id);
    assert.deepEqual([found.key, found.status, found.activations], [key.key, 'granted', []]);
    const valid = await sdk.licenseKeys.validate({ key: key.key, organization_id });
    assert.deepEqual([valid.id, valid.customer_id, valid.validations], [key.id, subscription.customer.id, 1]);
    const listed = await sdk.licenseKeys.list({ organization_id, status: ['granted', 'revoked'], limit: 1 });
    assert.deepEqual([listed.items.length, listed.pagination.total_count], [1, world.keys.length]);
  });

  test('reads refusals as errors that it knows', async () => {
    const validate = (text: string) => sdk.licenseKeys.validate({ key: text, organization_id });
    const refusal = async (text: string) => {
      const error = await validate(text).then(accepted, (thrown: unknown) => thrown);
      assert.ok(error instanceof errors.ResourceNotFound);
      return error.error?.detail;
    };
    assert.equal(await refusal(keyNumber(1)), 'Not found');
    assert.equal(await refusal(key.key.toLowerCase()), 'Not found', 'Polar compares the text as it is');
    const disabled = world.keyOf(world.subscribe(products.pro));
    world.disable(disabled);
    assert.equal(await refusal(disabled.key), 'License key is no longer active.');
    const expired = world.keyOf(world.subscribe(products.pro));
    world.expire(expired, 1);
    assert.equal(await refusal(expired.key), 'License key has expired.');
    await assert.rejects(sdk.licenseKeys.get('no-id'), errors.HTTPValidationError);
    const stranger = createPolar({ accessToken: 'another', baseUrl: server.url });
    await assert.rejects(stranger.licenseKeys.get(key.id), (error) => {
      return error instanceof PolarClientError && error.statusCode === 401;
    });
  });

  test('lists grants, subscriptions and products, over all pages', async () => {
    const customer_id = subscription.customer.id;
    const { items } = await sdk.benefitGrants.list({ customer_id });
    assert.deepEqual(
      items.map(({ subscription_id, properties }) => [subscription_id, properties]),
      [[subscription.id, { license_key_id: key.id, display_key: `****-${key.key.slice(-6)}` }]],
    );
    assert.equal((await sdk.subscriptions.get(subscription.id)).product.name, products.pro.name);
    const names: string[] = [];
    for await (const product of sdk.products.iterList({ limit: 3, is_archived: false }))
      names.push(product.name);
    assert.deepEqual(names.sort(), world.products.map(({ name }) => name).sort());
    const all: string[] = [];
    for await (const each of sdk.subscriptions.iterList({ limit: 2, sorting: ['started_at'] }))
      all.push(each.id);
    assert.deepEqual(
      all,
      world.subscriptions.map(({ id }) => id),
    );
  });

  test('makes a checkout, whose page leads back with its id once it is paid', async () => {
    const success_url = 'https://api.example/billing/return?session={CHECKOUT_ID}';
    const made = await sdk.checkouts.create({ products: [products.business.id], success_url });
    assert.deepEqual([made.status, made.total_amount], ['open', products.business.amount]);
    const paid = await fetch(`${made.url}/pay`, { method: 'POST', redirect: 'manual' });
    assert.equal(paid.headers.get('location'), `https://api.example/billing/return?session=${made.id}`);
    const { status, subscription_id } = await sdk.checkouts.get(made.id);
    assert.deepEqual([status, world.subscriptions.at(-1)?.id], ['succeeded', subscription_id]);
  });

  test('reads faults as what they are', async () => {
    const fault = async (given: ReturnType<typeof server.fault>) => {
      const usual = server.fault;
      server.fault = () => given;
      const error = await sdk.licenseKeys.get(key.id).then(accepted, (thrown: unknown) => thrown);
      server.fault = usual;
      return error;
    };
    const limited = await fault({ kind: 'limited', retryAfter: 7 });
    assert.ok(limited instanceof PolarRateLimitError && limited.retryAfter === 7);
    assert.ok((await fault({ kind: 'failing', status: 503 })) instanceof PolarServerError);
    assert.ok((await fault({ kind: 'dropped' })) instanceof PolarNetworkError);
  });

  test('verifies webhooks of every kind of event, signed with a new secret and with an old one', async () => {
    const customer = world.addCustomer();
    const cycled = world.subscribe(products.free, { customer });
    world.changePlan(cycled, products.pro);
    world.missPayment(cycled, true);
    world.pay(cycled);
    world.pause(cycled);
    world.resume(cycled);
    world.cancelAtPeriodEnd(cycled);
    world.uncancel(cycled);
    world.cycle(cycled);
    world.revoke(cycled);
    const types = new Set(server.happenings.map(({ type }) => type));
    for (const expected of ['subscription.revoked', 'benefit_grant.revoked', 'customer.state_changed']) {
      assert.ok(types.has(expected as 'customer.state_changed'), expected);
    }
    for (const [secret, signing] of [
      [newWebhookSecret(), 'standard'],
      [newWebhookSecret(), 'whole'],
      ['polar_whs_made-long-ago', 'whole'],
    ] as const) {
      for (const happening of server.happenings) {
        const { headers, body } = webhookOf(server, happening, { secret, signing });
        const event = await webhooks.validateEvent(body, headers, secret);
        assert.deepEqual([event.type, event.api_version], [happening.type, '2026-10']);
        const forged = webhooks.validateEvent(`${body} `, headers, secret);
        await assert.rejects(forged, webhooks.PolarWebhookVerificationError);
      }
    }
  });

  test('verifies a webhook as it arrives', async (t) => {
    const secret = newWebhookSecret();
    const receiver = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, `${value}`]),
      );
      const event = await webhooks.validateEvent(body, headers, secret);
      response.end(event.type);
    });
    t.after(() => receiver.close());
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    const happening = { type: 'subscription.updated', subscription } as const;
    const answer = await sendWebhook(`http://127.0.0.1:${port}`, webhookOf(server, happening, { secret }));
    assert.equal(await answer.text(), 'subscription.updated');
  });
});
