// Proof of keys that are bought at Stripe: shown before the payment, bound by it, replaced, and deleted where nobody paid.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { keyHash } from '../../../src/access/providers/subscription-store.ts';
import { ProviderUnavailable } from '../../../src/access/tiers/provider.ts';
import type { KeyRefusal, ProviderSubscription } from '../../../src/billing/payment-service.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/clock.ts';
import { startStripeServer } from '../../support/billing/stripe/stripe-server.ts';
import { beginCheckout, RETURN, stripeService } from '../../support/billing/stripe/stripe-service.ts';
import { type Closing, testDatabase } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';
import { keyNumber } from '../../support/service/stub-provider.ts';

const { database } = await testDatabase({ after });
const { signal } = new AbortController();
let seed = 0;

async function start(t: Closing) {
  const clock = manualClock();
  const server = await startStripeServer(t, { clock, seed: ++seed });
  const stripe = stripeService(t, { server, database, clock });
  const price = server.account.addPlan('pro');
  return {
    clock,
    server,
    account: server.account,
    stripe,
    price,
    ...stripe,
    buy: () => beginCheckout(stripe, price),
    findKey: (key: string) => stripe.ask(() => stripe.service.findKey(key, signal)),
    /** As the job does that fetches what events name. */
    resolve: (subject: string) => stripe.ask(() => stripe.service.resolveSubject(subject, signal)),
    tidy: () => stripe.ask(() => stripe.service.tidy(signal)),
  };
}

async function rowOf(keyId: string) {
  const [row] = await database.read(
    (sql) => sql<{ state: string; subscription: string | null }[]>`
      select state, subscription from issued_key where id = ${keyId}`,
  );
  return row;
}

const statusOf = (found: ProviderSubscription | KeyRefusal | null) => found?.status;
const replaced = { reference: null, status: { state: 'unknown', reason: 'replaced' } };
const pending = { state: 'unknown', reason: 'pending' };

describe('a key that is bought', () => {
  test('opens nothing before its payment, and its plan from then on, without any event', async (t) => {
    const { account, buy, findKey } = await start(t);
    const { key, keyId, session } = await buy();
    assert.deepEqual(statusOf(await findKey(key)), pending);
    assert.deepEqual(await rowOf(keyId), { state: 'pending', subscription: null });
    const { id, customer } = account.complete(session);
    const active = { state: 'active', subscription: id, customer, tier: 'pro', endsAt: null };
    assert.deepEqual(await findKey(key), { reference: id, keyHash: keyHash(key), status: active });
    assert.deepEqual(await rowOf(keyId), { state: 'active', subscription: id });
  });

  test('is bound by each of the events alone that tell of the purchase', async (t) => {
    const { account, buy, resolve, ask, service } = await start(t);
    for (const kind of ['subscription', 'checkout', 'customer'] as const) {
      const { key, keyId, session } = await buy();
      const { id, customer } = account.complete(session, { status: 'trialing' });
      const subject = { subscription: id, checkout: session, customer: String(customer) }[kind];
      assert.deepEqual(await resolve(`${kind}:${subject}`), [id]);
      assert.deepEqual(await rowOf(keyId), { state: 'active', subscription: id }, kind);
      const found = await ask(() => service.find(id, signal));
      assert.deepEqual(found?.keyHash, keyHash(key));
    }
  });

  test('waits for money that is on its way', async (t) => {
    const { account, buy, findKey, resolve, ask, service } = await start(t);
    const { key, keyId, session } = await buy();
    const { id } = account.complete(session, { status: 'incomplete' });
    assert.deepEqual(statusOf(await findKey(key)), pending);
    assert.deepEqual(await resolve(`checkout:${session}`), [id]);
    assert.equal((await rowOf(keyId))?.state, 'pending');
    assert.equal(await ask(() => service.findCheckout(session, signal)), 'open');
    account.receiveMoney(session);
    assert.equal(await ask(() => service.findCheckout(session, signal)), 'complete');
    assert.equal(statusOf(await findKey(key))?.state, 'active');
  });

  test('that is first used when its subscription was in force already is told what that is now', async (t) => {
    const { account, buy, findKey } = await start(t);
    const cases = { past_due: 'active', canceled: 'expired', unpaid: 'unknown', paused: 'unknown' } as const;
    for (const [status, state] of Object.entries(cases)) {
      const { key, session } = await buy();
      const { id } = account.complete(session);
      account.update(id, { status });
      assert.equal(statusOf(await findKey(key))?.state, state, status);
    }
    const { key, session } = await buy();
    const { id } = account.complete(session, { status: 'incomplete' });
    account.update(id, { status: 'incomplete_expired' });
    assert.deepEqual(statusOf(await findKey(key)), { state: 'expired' });
  });

  test('stays in force for the days of grace after a failed payment, and is unpaid then', async (t) => {
    const { account, buy, clock, findKey } = await start(t);
    const { key, session } = await buy();
    const { id } = account.complete(session);
    clock.advance(30 * DAY);
    account.renew(id, false);
    const endsAt = clock.now() + 7 * DAY;
    const late = statusOf(await findKey(key));
    assert.equal(late?.state === 'active' && late.endsAt, endsAt);
    clock.advance(7 * DAY);
    assert.deepEqual(statusOf(await findKey(key)), { state: 'unknown', reason: 'unpaid' });
    account.renew(id, true);
    assert.equal(statusOf(await findKey(key))?.state, 'active');
  });

  test('is nothing to Stripe: neither the key nor its hash is sent, and the key is not stored', async (t) => {
    const { account, buy, findKey, server, resolve } = await start(t);
    const { key, session } = await buy();
    await findKey(key);
    const { id } = account.complete(session);
    await resolve(`subscription:${id}`);
    await findKey(key);
    const secrets = [key.slice(8), keyHash(key).toString('hex'), keyHash(key).toString('base64')];
    const sent = server.requests.map((request) => decodeURIComponent(JSON.stringify(request))).join('\n');
    const [{ text } = { text: '' }] = await database.read(
      (sql) => sql<{ text: string }[]>`select string_agg(issued_key::text, ' ') as text from issued_key`,
    );
    assert.ok(text.includes(session) && sent.includes(session));
    for (const secret of secrets) assert.ok(!sent.toLowerCase().includes(secret.toLowerCase()));
    assert.ok(!text.toLowerCase().includes(key.slice(8).toLowerCase()));
  });
});

describe('a checkout', () => {
  test('leads back with its session, and is made once, whatever becomes of the answers', async (t) => {
    const { account, server, stripe, price } = await start(t);
    server.faults = false;
    let cuts = 2;
    server.intercept = ({ method }, response, answer) => {
      if (method !== 'POST' || cuts-- <= 0) return false;
      answer();
      response.socket?.resetAndDestroy();
      return true;
    };
    const { session, keyId } = await beginCheckout(stripe, price);
    assert.deepEqual([...account.sales.keys()], [session]);
    const made = account.session(session);
    assert.equal(made?.success_url, `${RETURN.returnUrl}?session={CHECKOUT_SESSION_ID}`);
    assert.deepEqual([made?.cancel_url, made?.metadata], [RETURN.cancelUrl, { freehold_key: keyId }]);
    assert.equal(server.requests.filter(({ method }) => method === 'POST').length, 3);
  });

  test('of a price that is not offered is none', async (t) => {
    const { account, ask, service } = await start(t);
    const gone = account.addPlan('pro');
    Object.assign(account.prices.get(gone) ?? {}, { active: false });
    const other = account.addPrice(account.addProduct('Another product'));
    const metered = account.addPlan('pro', { usage: 'metered' });
    for (const priceId of [gone, other, metered, account.addPlan('internal'), 'price_none']) {
      assert.equal(await ask(() => service.createCheckout({ priceId, ...RETURN }, signal)), null);
    }
    assert.equal(account.sales.size, 0);
  });

  test('says nothing of sessions that are not ours, or none', async (t) => {
    const { account, ask, service, buy } = await start(t);
    const { session } = await buy();
    const find = (id: string) => ask(() => service.findCheckout(id, signal));
    assert.equal(await find(session), 'open');
    account.expire(session);
    assert.equal(await find(session), 'expired');
    const { session: foreign } = await buy();
    Object.assign(account.session(foreign) ?? {}, { metadata: {} });
    for (const id of [foreign, 'cs_test_none', '../prices', '', 'sub_1'])
      assert.equal(await find(id), 'unknown');
  });
});

describe('keys that nobody paid for', () => {
  test('are deleted when their session has expired, and not before', async (t) => {
    const { account, buy, clock, findKey, server, tidy } = await start(t);
    const { key, keyId, session } = await buy();
    clock.advance(DAY);
    await tidy();
    assert.equal((await rowOf(keyId))?.state, 'pending');
    assert.ok(!server.requests.some(({ path }) => path.includes(session)), 'it is looked at later');
    // It lasts longer than it was to.
    const { expires_at: end = 0 } = account.session(session) ?? {};
    Object.assign(account.sales.get(session)?.session ?? {}, { status: 'open', expires_at: end + 7_200 });
    clock.advance(HOUR);
    await tidy();
    assert.equal((await rowOf(keyId))?.state, 'pending');
    clock.advance(HOUR);
    assert.equal(await findKey(key), null);
    clock.advance(11 * MINUTE);
    await tidy();
    assert.equal(await rowOf(keyId), undefined);
    assert.equal(await findKey(key), null);
  });

  test('are kept where the payment came at the last second, or is on its way', async (t) => {
    const { account, buy, clock, findKey, tidy } = await start(t);
    const [last, slow, failed] = [await buy(), await buy(), await buy()];
    clock.advance(DAY - 1);
    account.complete(last.session);
    account.complete(slow.session, { status: 'incomplete' });
    const { id } = account.complete(failed.session, { status: 'incomplete' });
    clock.advance(HOUR);
    await tidy();
    assert.equal((await rowOf(last.keyId))?.state, 'active');
    assert.equal((await rowOf(slow.keyId))?.state, 'pending');
    assert.equal((await rowOf(failed.keyId))?.state, 'pending');
    account.receiveMoney(slow.session);
    account.update(id, { status: 'incomplete_expired' });
    clock.advance(2 * HOUR);
    await tidy();
    assert.equal((await rowOf(slow.keyId))?.state, 'active');
    assert.equal(await rowOf(failed.keyId), undefined);
    assert.equal(statusOf(await findKey(last.key))?.state, 'active');
    assert.equal(statusOf(await findKey(slow.key))?.state, 'active');
  });

  test('are kept while Stripe says nothing, and for a month where it knows no session', async (t) => {
    const { account, buy, clock, server, service, tidy } = await start(t);
    const { keyId, session } = await buy();
    clock.advance(DAY + HOUR);
    server.intercept = (_, response) => {
      response.writeHead(500).end('{}');
      return true;
    };
    await assert.rejects(service.tidy(signal), ProviderUnavailable);
    assert.equal((await rowOf(keyId))?.state, 'pending');
    server.intercept = null;
    account.sales.delete(session);
    await tidy();
    assert.equal((await rowOf(keyId))?.state, 'pending');
    clock.advance(30 * DAY);
    await tidy();
    assert.equal(await rowOf(keyId), undefined);
  });
});

describe('a key that the operator issues', () => {
  test('takes the place of the one that was bought', async (t) => {
    const { account, ask, service, buy, findKey } = await start(t);
    const { key, keyId, session } = await buy();
    const { id, customer } = account.complete(session);
    await findKey(key);
    const issued = await ask(() => service.issueKey(id, signal));
    if (typeof issued === 'string') return assert.fail(issued);
    assert.deepEqual([issued.plan, issued.customer], ['pro', customer]);
    assert.equal((await rowOf(keyId))?.state, 'ended');
    assert.deepEqual(await findKey(key), replaced);
    const found = await ask(() => service.find(id, signal));
    assert.deepEqual([found?.reference, found?.keyHash], [id, keyHash(issued.key)]);
    assert.deepEqual(await findKey(issued.key), found);
  });

  test('before the bought one was bound leaves that one no place', async (t) => {
    const { account, ask, service, buy, findKey, resolve } = await start(t);
    const { key, keyId, session } = await buy();
    const { id } = account.complete(session);
    const issued = await ask(() => service.issueKey(id, signal));
    assert.ok(typeof issued === 'object');
    await resolve(`checkout:${session}`);
    assert.deepEqual(await rowOf(keyId), { state: 'ended', subscription: id });
    assert.deepEqual(await findKey(key), replaced);
  });

  test('is refused for a subscription that is over, another product or unknown', async (t) => {
    const { account, ask, service, price } = await start(t);
    const issue = (id: string) => ask(() => service.issueKey(id, signal));
    const over = account.subscribe({ prices: [price] });
    account.cancel(over.id);
    const foreign = account.subscribe({ prices: [account.addPrice(account.addProduct('Another product'))] });
    assert.deepEqual(
      [await issue(over.id), await issue(foreign.id), await issue('sub_none')],
      ['over', 'foreign', 'missing'],
    );
  });
});

test('keys that were never issued cost no call, and are known to be none', async (t) => {
  const { findKey, server } = await start(t);
  for (let number = 1; number <= 50; number++) assert.equal(await findKey(keyNumber(number)), null);
  assert.equal(server.requests.length, 0);
});
