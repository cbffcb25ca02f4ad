// Proof of what is read from Stripe: lists of subscriptions and plans, and what is never taken for an answer.

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, describe, test } from 'node:test';
import { keyHash } from '../../../src/access/providers/subscription-store.ts';
import { ProviderUnavailable } from '../../../src/access/tiers/provider.ts';
import type { ProviderSubscription } from '../../../src/billing/payment-service.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { listPages } from '../../support/billing/provider-subject.ts';
import { type StripeInterception, startStripeServer } from '../../support/billing/stripe/stripe-server.ts';
import { beginCheckout, stripeService } from '../../support/billing/stripe/stripe-service.ts';
import { type Closing, testDatabase } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';

const { database } = await testDatabase({ after });
const { signal } = new AbortController();

async function start(t: Closing, faults = false) {
  const clock = manualClock();
  const server = await startStripeServer(t, { clock, faults, seed: 11 });
  const stripe = stripeService(t, { server, database, clock });
  return { clock, server, account: server.account, stripe, ...stripe };
}

/** Everything that a list sees. */
function listAll({
  service,
  ask,
}: Awaited<ReturnType<typeof start>>): Promise<readonly ProviderSubscription[]> {
  return ask(async () => (await listPages(service)).flat());
}

const planOf = ({ status }: ProviderSubscription) => (status.state === 'active' ? status.tier : status.state);

describe('a list of all subscriptions', () => {
  test('says of each that is ours what asking for it alone says, with the hash of its key', async (t) => {
    const stripe = await start(t, true);
    const { account, ask, service } = stripe;
    const ways = [
      { by: 'lookup key' },
      { by: 'lookup key', suffix: '_yearly' },
      { by: 'metadata' },
      { by: 'feature' },
    ] as const;
    const prices = ways.map((way) => account.addPlan('pro', way));
    const foreign = account.addPrice(account.addProduct('Another product', {}, ['other_feature']));
    const { key, session } = await beginCheckout(stripe.stripe, prices[0] ?? '');
    const bought = account.complete(session);
    await ask(() => service.findKey(key, signal));
    const made = prices.map((price) => account.subscribe({ prices: [price] }).id);
    const many = account.subscribe({ prices: [...Array(11).fill(foreign), account.addPlan('business')] });
    account.subscribe({ prices: [foreign] });
    account.cancel(made[1] ?? '');
    const archived = String(account.prices.get(prices[3] ?? '')?.id);
    Object.assign(account.prices.get(archived) ?? {}, { active: false });
    const listed = new Map((await listAll(stripe)).map((each) => [each.reference, each]));
    // One with more items than Stripe shows is left to a request for it alone, and one that is over grows old.
    const expected = [bought.id, made[0], made[2], made[3]];
    assert.deepEqual([...listed.keys()].toSorted(), expected.toSorted());
    assert.deepEqual([...listed.values()].map(planOf), ['pro', 'pro', 'pro', 'pro']);
    assert.deepEqual(listed.get(bought.id)?.keyHash, keyHash(key));
    for (const [reference, each] of listed)
      assert.deepEqual(await ask(() => service.find(reference, signal)), each);
    assert.equal((await ask(() => service.find(many.id, signal)))?.status.state, 'active');
  });

  test('takes about a call for a hundred subscriptions, whenever they were made', async (t) => {
    const stripe = await start(t);
    const { account, server, clock } = stripe;
    const prices = [account.addPlan('free'), account.addPlan('pro', { by: 'metadata' })];
    // Most of them in a few seconds, as after an import.
    for (let count = 0; count < 2_500; count++) {
      account.subscribe({ prices: [prices[count % 2] ?? ''] });
      if (count % 250 === 0) clock.advance(DAY);
    }
    const listed = await listAll(stripe);
    assert.equal(new Set(listed.map(({ reference }) => reference)).size, 2_500);
    assert.ok(listed.length < 2_600, `${listed.length} with those that come twice`);
    assert.ok(server.requests.length < 60, `${server.requests.length} calls`);
  });

  test('ends with an error, never early, when a page does not come', async (t) => {
    const stripe = await start(t);
    const { account, server, service } = stripe;
    const price = account.addPlan('free');
    for (let count = 0; count < 150; count++) account.subscribe({ prices: [price] });
    server.intercept = ({ query }, response) => {
      if (!query.includes('starting_after')) return false;
      response.writeHead(503).end();
      return true;
    };
    await assert.rejects(listPages(service), ProviderUnavailable);
  });
});

describe('the plans that can be bought', () => {
  test('are those of active prices that name one, the cheapest by the day first', async (t) => {
    const { account, ask, service } = await start(t, true);
    account.addPlan('business', { amount: 9_900, by: 'metadata' });
    const yearly = account.addPlan('pro', { amount: 12_000, interval: 'year', suffix: '_yearly' });
    account.addPlan('pro', { amount: 1_200 });
    account.addPlan('free', { amount: 0, by: 'feature', currency: 'eur' });
    account.addPlan('internal');
    account.addPlan('pro', { usage: 'metered' });
    account.addPlan('pro', { amount: null });
    account.addPrice(account.addProduct('Another product'));
    const archived = account.addPlan('pro', { amount: 1 });
    const product = account.products.get(String(account.prices.get(archived)?.product));
    Object.assign(product ?? {}, { active: false });
    const plans = await ask(() => service.listPlans(signal));
    assert.deepEqual(
      plans.map(({ plan, amount, currency, interval }) => `${plan} ${amount} ${currency} ${interval}`),
      ['free 0 eur month', 'pro 12000 usd year', 'pro 1200 usd month', 'business 9900 usd month'],
    );
    assert.deepEqual(plans[1], {
      plan: 'pro',
      priceId: yearly,
      name: 'Freehold pro',
      amount: 12_000,
      currency: 'usd',
      interval: 'year',
      intervalCount: 1,
    });
  });

  test('cost no call for each other product of the account, while no feature names a plan', async (t) => {
    const { account, server, service } = await start(t);
    account.addPlan('pro');
    for (let count = 0; count < 30; count++) {
      account.addPrice(account.addProduct('Another product', {}, ['other_feature']));
    }
    assert.equal((await service.listPlans(signal)).length, 1);
    assert.equal(server.requests.length, 2);
  });
});

/** Answers that say nothing about what was asked for. */
const NONSENSE: Readonly<Record<string, (response: ServerResponse, answer: () => { body: string }) => void>> =
  {
    'a limit': (response) => void response.writeHead(429).end('{"error":{"code":"rate_limit"}}'),
    'an error of Stripe': (response) => void response.writeHead(500).end('{"error":{"type":"api_error"}}'),
    'refused credentials': (response) => void response.writeHead(401).end('{"error":{}}'),
    'missing rights': (response) => void response.writeHead(403).end('{"error":{}}'),
    'a redirect': (response) => void response.writeHead(302, { location: '/' }).end(),
    'a broken connection': (response) => void response.socket?.resetAndDestroy(),
    'a page of a proxy': (response) => void response.end('<html>Bad gateway</html>'),
    'a 404 of a proxy': (response) => void response.writeHead(404).end('{"message":"not found"}'),
    'a 404 of an unknown path': (response) =>
      void response
        .writeHead(404)
        .end('{"error":{"type":"invalid_request_error","message":"Unrecognized request URL"}}'),
    'a 404 of the other mode': (response) =>
      void response.writeHead(404).end(
        JSON.stringify({
          error: {
            type: 'invalid_request_error',
            code: 'resource_missing',
            message:
              'No such subscription; a similar object exists in live mode, but a test mode key was used.',
          },
        }),
      ),
    'a bad request': (response) =>
      void response
        .writeHead(400)
        .end('{"error":{"type":"invalid_request_error","code":"resource_missing"}}'),
    'an object of another kind': (response) => void response.end('{"object":"customer","id":"cus_1"}'),
    'an object of the other mode': (response, answer) =>
      void response.end(answer().body.replaceAll('"livemode":false', '"livemode":true')),
    'half of an answer': (response, answer) => void response.end(answer().body.slice(0, 500)),
    nothing: (response) => void response.end(),
  };

describe('Stripe that answers with', () => {
  for (const [what, respond] of Object.entries(NONSENSE)) {
    test(`${what} is not available: no key is refused`, async (t) => {
      const { account, ask, server, service, stripe } = await start(t);
      const { key, session } = await beginCheckout(stripe, account.addPlan('pro'));
      const { id } = account.complete(session);
      const intercept: StripeInterception = (_, response, answer) => {
        respond(response, answer);
        return true;
      };
      server.intercept = intercept;
      await assert.rejects(service.findKey(key, signal), ProviderUnavailable, 'a key at its first use');
      server.intercept = null;
      const found = await ask(() => service.findKey(key, signal));
      assert.equal(found?.status.state, 'active');
      server.intercept = intercept;
      const questions = [
        () => service.findKey(key, signal),
        () => service.find(id, signal),
        () => service.resolveSubject(`customer:${account.subscription(id)?.customer}`, signal),
        () => service.issueKey(id, signal),
        () => listPages(service),
      ];
      for (const question of questions) await assert.rejects(ask<unknown>(question), ProviderUnavailable);
      server.intercept = null;
      assert.deepEqual(await ask(() => service.findKey(key, signal)), found);
    });
  }
});

test('an answer about another subscription, session or customer than the one asked for is none', async (t) => {
  const { account, server, service, stripe } = await start(t);
  const { key, session } = await beginCheckout(stripe, account.addPlan('pro'));
  server.intercept = (_, response, answer) => {
    response.end(
      answer()
        .body.replace(/"id":"(sub|cs)_/, '"id":"$1_another')
        .replace(/"cus_\w+"/, '"cus_another"'),
    );
    return true;
  };
  await assert.rejects(service.findKey(key, signal), ProviderUnavailable);
  const { id, customer } = account.complete(session);
  const questions = [
    () => service.findCheckout(session, signal),
    () => service.find(id, signal),
    () => service.resolveSubject(`customer:${customer}`, signal),
    () => service.issueKey(id, signal),
  ];
  for (const question of questions) await assert.rejects(question(), ProviderUnavailable);
});

test('a secret key of the other mode makes nothing unknown', async (t) => {
  const { account, clock, server } = await start(t);
  const { id } = account.subscribe({ prices: [account.addPlan('pro')] });
  const live = { url: server.url, secretKey: 'sk_live_another' };
  const { service } = stripeService(t, { server: live, database, clock });
  await assert.rejects(service.find(id, signal), ProviderUnavailable);
});

test('a secret key of another account refuses no key; a subscription that is gone from our own is refused', async (t) => {
  const { account, ask, clock, server, service, stripe } = await start(t);
  const price = account.addPlan('pro');
  clock.advance(DAY); // The keys of other tests, of other accounts, are older.
  const bought = [];
  for (let count = 0; count < 2; count++) {
    const { key, session } = await beginCheckout(stripe, price);
    bought.push({ key, ...account.complete(session) });
    await ask(() => service.findKey(key, signal));
  }
  const [kept, gone] = bought;
  const { key: unpaid } = await beginCheckout(stripe, price);
  assert.ok(kept !== undefined && gone !== undefined);
  const empty = await startStripeServer(t, { clock, faults: false });
  const other = stripeService(t, { server: empty, database, clock });
  for (const key of [kept.key, gone.key, unpaid]) {
    await assert.rejects(other.service.findKey(key, signal), ProviderUnavailable);
  }
  assert.equal(await other.service.find('sub_never', signal), null);
  account.forget(gone.id);
  // Another process, which has seen none of them yet.
  const { service: fresh } = stripeService(t, { server, database, clock });
  assert.equal(await fresh.findKey(gone.key, signal), null);
  assert.equal((await fresh.findKey(kept.key, signal))?.reference, kept.id);
});

test('every call names the version whose answers are read, and has the secret key in its header alone', async (t) => {
  const { account, ask, server, service, stripe } = await start(t);
  const { key, session } = await beginCheckout(stripe, account.addPlan('pro', { by: 'feature' }));
  account.complete(session);
  await ask(() => service.findKey(key, signal));
  await ask(() => service.listPlans(signal));
  assert.ok(server.requests.length > 6);
  for (const { headers, path, query, body } of server.requests) {
    assert.equal(headers['stripe-version'], '2026-10-28.endive');
    assert.equal(headers.authorization, `Bearer ${server.secretKey}`);
    assert.ok(!`${path}${query}${body}`.includes(server.secretKey));
  }
});
