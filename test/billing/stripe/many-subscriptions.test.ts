// Proof that 50,000 subscriptions at Stripe are listed in time, with the calls that it allows, each of which takes half a second.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallBudget } from '../../../src/billing/call-budget.ts';
import type { PaymentApi } from '../../../src/billing/payment-api.ts';
import { createStripeService } from '../../../src/billing/stripe/stripe-service.ts';
import { DAY, pause } from '../../../src/lib/clock.ts';
import { memoryService } from '../../support/billing/memory-service.ts';
import { mirrorWorld } from '../../support/billing/mirror-world.ts';
import { StripeAccount } from '../../support/billing/stripe/stripe-account.ts';
import { answerOf } from '../../support/billing/stripe/stripe-endpoints.ts';
import { parseForm } from '../../support/billing/stripe/stripe-wire.ts';
import { busiest } from '../../support/check/busiest.ts';
import { testDatabase } from '../../support/database/database.ts';

const SUBSCRIPTIONS = 50_000;
/** Milliseconds of a call. */
const LATENCY = 500;
/** Milliseconds that a list may take. */
const LIMIT = 280_000;

test('50,000 subscriptions at Stripe are listed within 280 s, by fewer than 15 calls in any second', async (t) => {
  const { database } = await testDatabase(t);
  const world = await mirrorWorld(t, { database, service: memoryService('stripe') });
  const { clock } = world;
  const account = new StripeAccount(clock, false);
  const prices = [account.addPlan('pro'), account.addPlan('pro', { by: 'metadata', suffix: '_yearly' })];
  // A tenth in each of the years before the last one, the others in that one.
  for (let made = 0; made < SUBSCRIPTIONS; made++) {
    if (made % 50 === 0) clock.advance((made < SUBSCRIPTIONS / 2 ? 4 : 1) * (DAY / 2));
    account.subscribe({ prices: [prices[made % 10 === 0 ? 1 : 0] ?? ''] });
  }
  const budget = createCallBudget({ database: world.database, clock, service: 'stripe' });
  const sentAt: number[] = [];
  const api: PaymentApi = {
    async call({ method, path, query = {}, urgency, signal }) {
      await budget.reserve(urgency, signal);
      sentAt.push(clock.monotonic());
      await pause(clock, LATENCY, signal);
      const parameters = new URLSearchParams();
      for (const [name, value] of Object.entries(query))
        for (const each of value === undefined ? [] : [value].flat()) parameters.append(name, each);
      const params = parseForm(parameters.toString());
      return { status: 200, body: answerOf(account, { method, path, params, origin: '' }) };
    },
    close: async () => {},
  };
  const service = createStripeService({
    api,
    clock,
    database: world.database,
    secretKey: 'sk_test_1',
    graceDays: 7,
  });
  const startedAt = clock.monotonic();
  const listed = new Set<string>();
  const state: { endedAt: number | null } = { endedAt: null };
  const list = service
    .listAll(async (page) => {
      for (const { reference } of page) listed.add(reference);
    }, new AbortController().signal)
    .then(() => {
      state.endedAt = clock.monotonic();
    });
  while (state.endedAt === null && clock.monotonic() - startedAt < LIMIT) await world.pass(100);
  assert.notEqual(state.endedAt, null, `${listed.size} listed in ${LIMIT} ms, by ${sentAt.length} calls`);
  await list;
  assert.equal(listed.size, SUBSCRIPTIONS);
  assert.ok(sentAt.length < 600, `${sentAt.length} calls`);
  assert.ok(busiest(sentAt, 1_000) < 15);
});
