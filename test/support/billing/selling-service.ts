// Two processes whose subscriptions are sold by a test's Polar or Stripe, which sends them its events, signed as it signs.

import { createPaymentApi } from '../../../src/access/providers/payment-api.ts';
import { stripeHeaders } from '../../../src/access/providers/stripe/stripe-client.ts';
import { createStripeService } from '../../../src/access/providers/stripe/stripe-service.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import type { Closing } from '../database/database.ts';
import { atEnd } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { startSecondService } from '../service/second-service.ts';
import { startService, type TestService } from '../service/service.ts';
import { MANY_CALLS } from './paying-service.ts';
import type { PolarSubscription } from './polar-objects.ts';
import { startPolarShop } from './polar-service.ts';
import { sendWebhook, webhookOf } from './polar-webhooks.ts';
import { OLD_POLAR_SECRET, POLAR_SECRET } from './signed-events.ts';
import { startStripeServer } from './stripe-server.ts';

/** A shop: what is bought there by its key, and what it sends of that. */
export interface Shop {
  readonly environment: Readonly<Record<string, string>>;
  /** What only works beside a running service: keys that this service issues. */
  attach(service: TestService): void;
  buy(plan: Plan): Promise<string>;
  changePlan(key: string, plan: Plan): void;
  revoke(key: string): void;
  /** Sends the events about everything that has happened since the last time; gives the statuses of the answers. */
  sendEvents(url: string): Promise<readonly number[]>;
}

export interface SellingServices {
  readonly shop: Shop;
  readonly service: TestService;
  /** `status tier` or `status code` of a key, of each process. */
  ask(key: string): Promise<readonly string[]>;
}

/** Starts a shop without faults and two processes on one database. */
export async function startSelling(t: Closing, provider: 'polar' | 'stripe'): Promise<SellingServices> {
  const clock = manualClock(Date.now());
  const shop = provider === 'polar' ? await polarShop(t, clock) : await stripeShop(t, clock);
  const { environment } = shop;
  const overrides = { callLimits: MANY_CALLS };
  const service = await startService(t, { clock, environment, overrides });
  const second = await startSecondService(t, service, overrides, undefined, environment);
  shop.attach(service);
  const ask = async (url: string, key: string) => {
    const answer = await fetch(`${url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    const { code, tier } = (await answer.json()) as { code?: string; tier?: string };
    return `${answer.status} ${code ?? tier}`;
  };
  return {
    ...{ shop, service },
    ask: (key) => Promise.all([service.url, second.url].map((url) => ask(url, key))),
  };
}

async function polarShop(t: Closing, clock: ManualClock): Promise<Shop> {
  const { server, products, settings } = await startPolarShop(t, { faults: false, now: clock.now });
  const { world, happenings } = server;
  const bought = new Map<string, PolarSubscription>();
  const find = (key: string) => bought.get(key) as PolarSubscription;
  let sent = 0;
  return {
    environment: {
      ...{ SUBSCRIPTIONS: 'polar', POLAR_ACCESS_TOKEN: settings.accessToken, POLAR_API_URL: settings.apiUrl },
      ...{ POLAR_ORGANIZATION_ID: settings.organizationId },
      POLAR_WEBHOOK_SECRET: `${POLAR_SECRET},${OLD_POLAR_SECRET}`,
      POLAR_PLANS: Object.entries(settings.plans)
        .map((pair) => pair.join('='))
        .join(','),
    },
    attach: () => {},
    async buy(plan) {
      const subscription = world.subscribe(products[plan]);
      const { key } = world.keyOf(subscription);
      bought.set(key, subscription);
      return key;
    },
    changePlan: (key, plan) => world.changePlan(find(key), products[plan]),
    revoke: (key) => world.revoke(find(key)),
    sendEvents: (url) =>
      Promise.all(
        happenings.slice(sent).map(async (happening, at) => {
          sent += 1;
          const isOld = at % 2 === 1;
          const secret = isOld ? OLD_POLAR_SECRET : POLAR_SECRET;
          const webhook = webhookOf(server, happening, { secret, signing: isOld ? 'whole' : 'standard' });
          return (await sendWebhook(`${url}/billing/webhooks/polar`, webhook)).status;
        }),
      ),
  };
}

async function stripeShop(t: Closing, clock: ManualClock): Promise<Shop> {
  const server = await startStripeServer(t, { clock, faults: false });
  const { account, secretKey, url: apiUrl } = server;
  const prices = {
    free: account.addPlan('free'),
    pro: account.addPlan('pro'),
    business: account.addPlan('business'),
  };
  const bought = new Map<string, string>();
  const find = (key: string) => bought.get(key) ?? '';
  let sent = 0;
  let checkOut: (plan: 'free' | 'pro' | 'business') => Promise<string>;
  const priceOf = (plan: Plan) => prices[plan as keyof typeof prices];
  return {
    environment: {
      ...{ SUBSCRIPTIONS: 'stripe', STRIPE_SECRET_KEY: secretKey, STRIPE_API_URL: apiUrl },
      STRIPE_WEBHOOK_SECRET: `whsec_oldOfStripe0123456789,${server.webhookSecret}`,
    },
    attach({ database }) {
      const api = createPaymentApi({
        ...{ clock, apiUrl, headers: stripeHeaders(secretKey), budget: { reserve: async () => {} } },
      });
      atEnd(t, () => api.close());
      const stripe = createStripeService({ api, secretKey, database, clock, graceDays: 7 });
      const pages = {
        returnUrl: 'https://api.example/billing/return',
        cancelUrl: 'https://api.example/billing',
      };
      checkOut = async (plan) => {
        const known = new Set(account.sales.keys());
        const wanted = { priceId: priceOf(plan), ...pages };
        const checkout = await stripe.createCheckout(wanted, new AbortController().signal);
        const session = [...account.sales.keys()].find((id) => !known.has(id)) ?? '';
        const key = checkout?.key ?? '';
        bought.set(key, account.complete(session).id);
        return key;
      };
    },
    buy: (plan) => checkOut(plan as 'pro'),
    changePlan: (key, plan) => account.changePrices(find(key), [priceOf(plan)]),
    revoke: (key) => account.cancel(find(key)),
    sendEvents: (url) =>
      Promise.all(
        account.events.slice(sent).map(async (event) => {
          sent += 1;
          const { body, headers } = server.sign(event);
          return (
            await fetch(`${url}/billing/webhooks/stripe`, { method: 'POST', body, headers: { ...headers } })
          ).status;
        }),
      ),
  };
}
