// Answers of Polar that are wrong in any one place: they are noticed, or they change nothing. No key is refused because of them.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { ProviderUnavailable, type SubscriptionStatus } from '../../../src/access/tiers/provider.ts';
import { claimOf, type RawRecords } from '../../support/billing/polar/polar-claim.ts';
import { change, mutate } from '../../support/billing/polar/polar-mutations.ts';
import type { PolarKey, PolarSubscription } from '../../support/billing/polar/polar-objects.ts';
import { polarService, startPolarShop } from '../../support/billing/polar/polar-service.ts';
import { listPages } from '../../support/billing/provider-subject.ts';
import { assertEvery } from '../../support/check/every.ts';
import { runs } from '../../support/check/runs.ts';
import { manualClock } from '../../support/service/clock.ts';

const { signal } = new AbortController();
const clock = manualClock();
const { server, products, settings } = await startPolarShop({ after }, { faults: false, now: clock.now });
const { world } = server;
const { service, callClock } = polarService({ after }, { settings, clock });

type Scene = (subscription: PolarSubscription, key: PolarKey) => void;

/** Subscriptions with which something happened, each with its key. */
const SCENES: Readonly<Record<string, Scene>> = {
  active: () => {},
  ending: (subscription) => world.cancelAtPeriodEnd(subscription),
  'in grace': (subscription) => world.missPayment(subscription, true),
  ended: (subscription) => world.revoke(subscription),
  unpaid: (subscription) => world.missPayment(subscription, false),
  paused: (subscription) => world.pause(subscription),
  disabled: (_, key) => world.disable(key),
  expired: (_, key) => world.expire(key, clock.now() - 1),
};
const scenes = Object.entries(SCENES).map(([name, happen]) => {
  const customer = world.addCustomer();
  // Another key of the same customer, and another customer's: ids that exist, but are not the right ones.
  const other = world.keyOf(world.subscribe(products.free, { customer }));
  const subscription = world.subscribe(products.pro, { customer });
  const key = world.keyOf(subscription);
  happen(subscription, key);
  return { name, subscription, key, other };
});

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

describe('an answer of Polar with one thing wrong', () => {
  test('never refuses a key, unless it says so in a form that Polar itself would use', async () => {
    const seen = { unavailable: 0, unharmed: 0, claimed: 0 };
    const property = fc.asyncProperty(
      fc.nat(scenes.length - 1),
      fc.boolean(),
      fc.nat(3),
      change,
      async (number, byKey, index, wrong) => {
        const { name, subscription, key, other } = scenes[number] ?? assert.fail();
        const stranger = scenes[(number + 1) % scenes.length]?.key.id ?? '';
        const ids = [other.id, stranger, world.organization, products.free.id, other.customer.id];
        const records: RawRecords = {
          key: server.wire.key(key),
          grants: world.grants
            .filter((each) => each.customer === key.customer)
            .map((each) => server.wire.grant(each)),
          subscription: server.wire.subscription(subscription),
        };
        const options = { plans: settings.plans, now: clock.now(), organization: world.organization };
        const truth = claimOf(records, options);
        let count = 0;
        let claim: SubscriptionStatus | 'nothing' = 'nothing';
        let told = '';
        server.alter = (answer, request) => {
          if (count++ !== index) return answer;
          const changed = mutate(answer, wrong, ids);
          told = `${request.path} ${JSON.stringify(changed.answer)}`;
          if (changed.isPlausible)
            claim = claimOf(replaced(records, request.path, changed.answer.body), options);
          return changed.answer;
        };
        callClock.advance(600_000); // An earlier 429 may have asked for a pause.
        const question = byKey ? service.findKey(key.key, signal) : service.find(key.id, signal);
        const result = await question.then(
          (found) => found?.status ?? ({ state: 'unknown' } as const),
          (error: unknown) => {
            if (error instanceof ProviderUnavailable) return 'unavailable' as const;
            throw error;
          },
        );
        if (result === 'unavailable') seen.unavailable++;
        else if (same(result, truth)) seen.unharmed++;
        else {
          seen.claimed++;
          assert.deepEqual(result, claim, `${name}, ${byKey ? 'by key' : 'by id'}: ${told}`);
        }
      },
    );
    await fc.assert(property, runs(1_000, 20_261_123));
    server.alter = (answer) => answer;
    assertEvery(Object.values(seen), (times) => times > 10, JSON.stringify(seen));
  });

  test('is no answer at all when it is of another organization', async () => {
    const { key } = scenes[0] ?? assert.fail();
    for (const path of ['/v1/license-keys/', '/v1/benefit-grants/', '/v1/subscriptions/']) {
      server.alter = (answer, request) => {
        if (!request.path.startsWith(path)) return answer;
        const body = JSON.stringify(answer.body).replaceAll(world.organization, crypto.randomUUID());
        return { ...answer, body: JSON.parse(body) };
      };
      await assert.rejects(service.find(key.id, signal), ProviderUnavailable, path);
      await assert.rejects(service.findKey(key.key, signal), ProviderUnavailable, path);
      await assert.rejects(listPages(service), ProviderUnavailable, path);
    }
    server.alter = (answer) => answer;
  });

  test('is no answer at all when it is about another record', async () => {
    const [{ key } = assert.fail(), { key: otherKey, subscription } = assert.fail()] = scenes;
    const others = {
      '/v1/license-keys/': server.wire.keyWithActivations(otherKey),
      '/v1/subscriptions/': server.wire.subscription(subscription),
    };
    for (const [path, body] of Object.entries(others)) {
      server.alter = (answer, request) => (request.path.startsWith(path) ? { ...answer, body } : answer);
      await assert.rejects(service.find(key.id, signal), ProviderUnavailable, path);
    }
    server.alter = (answer) => answer;
  });

  test('is no refusal when somebody else says 404, in whatever words', async () => {
    const { key } = scenes[0] ?? assert.fail();
    for (const body of [
      { detail: 'Not Found' },
      { error: 'NotFound', detail: 'Not found' },
      { error: 'ResourceNotFound', detail: 'No such page' },
      { error: 'ResourceNotFound', detail: 'License key does not match given benefit.' },
      { error: 'ResourceNotFound' },
      { title: 'Not found' },
      '<h1>404</h1>',
      '',
      [],
      null,
    ]) {
      server.alter = () => ({ status: 404, body });
      await assert.rejects(service.findKey(key.key, signal), ProviderUnavailable, JSON.stringify(body));
      await assert.rejects(service.find(key.id, signal), ProviderUnavailable, JSON.stringify(body));
    }
    server.alter = (answer) => answer;
  });

  test('is no refusal when the credentials or the settings are wrong', async () => {
    const { key } = scenes[0] ?? assert.fail();
    for (const wrong of [
      { accessToken: 'another' },
      { organizationId: 'no-id' },
      { apiUrl: `${settings.apiUrl}/x` },
    ]) {
      const { service } = polarService({ after }, { settings: { ...settings, ...wrong }, clock });
      await assert.rejects(service.findKey(key.key, signal), ProviderUnavailable, JSON.stringify(wrong));
      await assert.rejects(service.find(key.id, signal), ProviderUnavailable, JSON.stringify(wrong));
    }
  });

  test('is no refusal when the token is of another organization, for which Polar finds nothing', async () => {
    const { key } = scenes[0] ?? assert.fail();
    const none = { items: [], pagination: { total_count: 0, max_page: 0 } };
    server.alter = (_, { path }) =>
      path.endsWith('/')
        ? { status: 200, body: none }
        : { status: 404, body: { error: 'ResourceNotFound', detail: 'Not found' } };
    const { service } = polarService({ after }, { settings, clock });
    await assert.rejects(service.findKey(key.key, signal), ProviderUnavailable);
    await assert.rejects(service.find(key.id, signal), ProviderUnavailable);
    server.alter = (answer) => answer;
    assert.equal((await service.find(key.id, signal))?.status.state, 'active');
  });
});

/** The records with the one in its place that an answer carried. */
function replaced(records: RawRecords, path: string, body: unknown): RawRecords {
  if (path.startsWith('/v1/license-keys')) return { ...records, key: body };
  if (path.startsWith('/v1/subscriptions')) return { ...records, subscription: body };
  return { ...records, grants: (body as { items?: unknown[] })?.items ?? [] };
}
