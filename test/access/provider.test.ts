// Proof that every subscription provider keeps the port's promises: the one in our own tables, and the tests' stub.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createAccess } from '../../src/access/access.ts';
import { FailureThrottle } from '../../src/access/limits/failure-throttle.ts';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { ProviderUnavailable, type SubscriptionStatus } from '../../src/access/tiers/provider.ts';
import { PLANS, TIERS } from '../../src/access/tiers/tiers.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { polarSubject } from '../support/billing/polar/polar-service.ts';
import type { Subject } from '../support/billing/provider-subject.ts';
import { stripeSubject } from '../support/billing/stripe/stripe-service.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { keyNumber, stubProvider } from '../support/service/stub-provider.ts';

const { database, name } = await testDatabase({ after });

function local(): Subject {
  const clock = manualClock();
  const subscriptions = createLocalSubscriptions(database, clock);
  const ids = new Map<string, string>();
  const idOf = (key: string) => ids.get(key) ?? assert.fail('unknown key');
  const gone = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nothing', timeout: 1_000 });
  return {
    provider: subscriptions.provider,
    broken: createLocalSubscriptions(gone, clock).provider,
    clock,
    async subscribe(plan, endsAt, customer) {
      const end = endsAt === undefined ? {} : { endsAt: new Date(endsAt) };
      const { id, key } = await subscriptions.create({ plan, customer: customer ?? null, ...end });
      ids.set(key, id);
      return key;
    },
    changePlan: async (key, plan) => void (await subscriptions.changePlan(idOf(key), plan)),
    revoke: async (key) => void (await subscriptions.revoke(idOf(key))),
  };
}

function stub(): Subject {
  const clock = manualClock();
  const provider = stubProvider();
  const broken = stubProvider();
  broken.mode = 'fail';
  const atDate = async (verdict: Promise<SubscriptionStatus>): Promise<SubscriptionStatus> => {
    const answer = await verdict;
    return answer.state === 'active' && answer.endsAt !== null && answer.endsAt <= clock.now()
      ? { state: 'expired' }
      : answer;
  };
  return {
    provider: {
      validate: (key, question) => atDate(provider.validate(key, question)),
      refresh: (subscription, question) => atDate(provider.refresh(subscription, question)),
    },
    broken,
    clock,
    subscribe: async (plan, endsAt, customer) => provider.subscribe(plan, endsAt, customer),
    async changePlan(key, tier) {
      const verdict = await provider.validate(key, { signal: AbortSignal.abort() });
      assert.equal(verdict.state, 'active');
      if (verdict.state === 'active') provider.change(key, { ...verdict, tier });
    },
    revoke: async (key) => provider.change(key, { state: 'unknown' }),
  };
}

const signal = new AbortController().signal;

/** Payment services are asked directly, and again where a fault left them without an answer. */
const subjects: Readonly<Record<string, () => Subject | Promise<Subject>>> = {
  local,
  stub,
  polar: () => polarSubject({ after }),
  stripe: () => stripeSubject({ after }, database),
};

for (const [title, create] of Object.entries(subjects)) {
  describe(`the ${title} provider`, () => {
    test('knows a key of every plan, by the key and by its reference', async () => {
      const { provider, subscribe } = await create();
      for (const plan of PLANS) {
        const verdict = await provider.validate(await subscribe(plan), { signal });
        assert.equal(verdict.state, 'active');
        if (verdict.state !== 'active') return;
        assert.equal(verdict.tier, plan);
        assert.equal(verdict.endsAt, null);
        assert.deepEqual(await provider.refresh(verdict.subscription, { signal }), verdict);
      }
    });

    test('keeps the reference when the plan changes', async () => {
      const { provider, subscribe, changePlan } = await create();
      const key = await subscribe('free');
      const before = await provider.validate(key, { signal });
      await changePlan(key, 'business');
      assert.deepEqual(await provider.validate(key, { signal }), { ...before, tier: 'business' });
    });

    test('names the customer of a subscription in both answers, also after a change, and nobody else the same', async () => {
      const { provider, subscribe, changePlan } = await create();
      const keys = [await subscribe('pro', undefined, 'acme'), await subscribe('free', undefined, 'acme')];
      const unnamed = await subscribe('pro');
      await changePlan(keys[0] ?? '', 'business');
      const customers: unknown[] = [];
      for (const key of [...keys, unnamed]) {
        const verdict = await provider.validate(key, { signal });
        if (verdict.state !== 'active') return assert.fail(verdict.state);
        const again = await provider.refresh(verdict.subscription, { signal });
        customers.push(verdict.customer, again.state === 'active' && again.customer);
      }
      const [acme, , , , other] = customers;
      assert.equal(typeof acme, 'string');
      assert.notEqual(other, acme);
      assert.deepEqual(customers, [acme, acme, acme, acme, other, other]);
    });

    test('calls a key expired from the moment its subscription ends', async () => {
      const { provider, clock, subscribe } = await create();
      const endsAt = clock.now() + 1_000;
      const key = await subscribe('pro', endsAt);
      clock.advance(999);
      const active = await provider.validate(key, { signal });
      assert.equal(active.state === 'active' && active.endsAt, endsAt);
      clock.advance(1);
      assert.deepEqual(await provider.validate(key, { signal }), { state: 'expired' });
    });

    test('calls keys and references unknown that were revoked or never were', async () => {
      const { provider, subscribe, revoke } = await create();
      const key = await subscribe('pro');
      await revoke(key);
      assert.deepEqual(await provider.validate(key, { signal }), { state: 'unknown' });
      assert.deepEqual(await provider.validate(keyNumber(1), { signal }), { state: 'unknown' });
      assert.deepEqual(await provider.refresh('sub_never', { signal }), { state: 'unknown' });
    });

    test('says that it cannot tell when it cannot', async () => {
      const { broken, provider, subscribe } = await create();
      const known = await provider.validate(await subscribe('pro'), { signal });
      if (known.state !== 'active') return assert.fail(known.state);
      await assert.rejects(broken.validate(keyNumber(1), { signal }), ProviderUnavailable);
      await assert.rejects(broken.refresh(known.subscription, { signal }), ProviderUnavailable);
    });
  });
}

describe('subscriptions of our own', () => {
  const subscriptions = createLocalSubscriptions(database, manualClock());

  test('are listed with a hint of the key, and the key itself is nowhere in the database', async () => {
    const { id, key } = await subscriptions.create({ plan: 'pro', label: 'A label' });
    assert.match(key, /^SERVICE-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
    const row = await subscriptions.find(id);
    assert.deepEqual(row, {
      id,
      tier: 'pro',
      customer: null,
      keyHint: key.slice(-4),
      label: 'A label',
      createdAt: '2026-01-05T12:00:00.000Z',
      endsAt: null,
      revokedAt: null,
    });
    const [{ text } = { text: '' }] = await database.read(
      (sql) => sql<{ text: string }[]>`select string_agg(subscription::text, ' ') as text from subscription`,
    );
    assert.ok(text.includes(id));
    assert.ok(!text.toUpperCase().includes(key.slice(8)));
  });

  test('have the customer that they were given, or none', async () => {
    const customers: unknown[] = [];
    for (const customer of ['acme', null]) {
      const { key } = await subscriptions.create({ plan: 'pro', customer });
      const status = await subscriptions.provider.validate(key, { signal });
      customers.push(status.state === 'active' && status.customer);
    }
    assert.deepEqual(customers, ['acme', null]);
  });

  test('can be ended now or later, and an end can be taken back; a revocation cannot', async () => {
    const { id } = await subscriptions.create({ plan: 'free' });
    assert.equal((await subscriptions.end(id))?.endsAt, '2026-01-05T12:00:00.000Z');
    const later = await subscriptions.end(id, new Date('2026-03-01T00:00:00Z'));
    assert.equal(later?.endsAt, '2026-03-01T00:00:00.000Z');
    assert.equal((await subscriptions.end(id, null))?.endsAt, null);
    const revoked = await subscriptions.revoke(id);
    assert.equal((await subscriptions.end(id, null))?.revokedAt, revoked?.revokedAt);
    assert.notEqual(revoked?.revokedAt, null);
  });

  test('give undefined for an id that is none', async () => {
    assert.equal(await subscriptions.end('sub_none'), undefined);
    assert.equal(await subscriptions.changePlan('sub_none', 'pro'), undefined);
    assert.equal(await subscriptions.revoke('sub_none'), undefined);
  });

  test('that change are notified to every process: a cached key is queried anew well before ten minutes', async (t) => {
    const options = { database, clock: manualClock(), tiers: TIERS, provider: subscriptions.provider };
    const access = createAccess({ ...options, report: (error) => assert.fail(String(error)) });
    t.after(() => access.close());
    const { id, key } = await subscriptions.create({ plan: 'free' });
    const tier = async () => {
      const attempt = new FailureThrottle({ clock: options.clock }).attempt('192.0.2.1');
      return (await access.keys.verify(key, attempt)).tier;
    };
    assert.equal(await tier(), 'free');
    await until('the process listens', async () => {
      const rows = await database.read(
        (sql) => sql`select from pg_stat_activity where datname = ${name} and query ilike 'listen%'`,
      );
      return rows.length > 0;
    });
    await subscriptions.changePlan(id, 'pro');
    await until('the change is noticed', async () => (await tier()) === 'pro');
  });
});
