// Proves who waits for calls to Stripe how: people who buy like good keys, whoever makes up a purchase like a stranger.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ProviderUnavailable } from '../../../src/access/tiers/provider.ts';
import type { Urgency } from '../../../src/billing/call-budget.ts';
import { IssuedKeys, makeKey } from '../../../src/billing/stripe/issued-keys.ts';
import { createStripeService } from '../../../src/billing/stripe/stripe-service.ts';
import { testDatabase } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';

const { database } = await testDatabase({ after });
const clock = manualClock();
const { signal } = new AbortController();

let urgencies: Urgency[] = [];
const service = createStripeService({
  database,
  clock,
  secretKey: 'sk_test_1',
  graceDays: 7,
  api: {
    async call({ urgency }) {
      urgencies.push(urgency);
      throw new ProviderUnavailable(new Error('Only the urgency is looked at'));
    },
    close: async () => {},
  },
});

/** The urgencies of the calls that some work sends. */
async function urgenciesOf(work: () => Promise<unknown>): Promise<Urgency[]> {
  urgencies = [];
  await work().catch(() => {});
  return [...new Set(urgencies)];
}

const urls = { returnUrl: 'https://a.example/return', cancelUrl: 'https://a.example/cancel' };

test('people who look at plans, press subscribe, use a key that they bought, or come back from paying wait like good keys', async () => {
  const bought = makeKey();
  await new IssuedKeys(database, clock).savePending(bought, 'cs_test_own', clock.now() + 60_000);
  const works: Readonly<Record<string, () => Promise<unknown>>> = {
    plans: () => service.listPlans(signal),
    subscribe: () => service.createCheckout({ priceId: 'price_1', ...urls }, signal),
    'first use': () => service.findKey(bought.key, signal),
    return: () => service.findCheckout('cs_test_own', signal),
  };
  for (const [name, work] of Object.entries(works))
    assert.deepEqual(await urgenciesOf(work), ['known'], name);
});

test('a session that no key was made with takes its calls from the share of strangers', async () => {
  assert.deepEqual(await urgenciesOf(() => service.findCheckout('cs_test_made_up', signal)), ['stranger']);
});
