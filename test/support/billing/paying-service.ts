// Whole service whose subscriptions are sold by a test's Polar or Stripe, with the shop that sells them.

import type { CallLimits } from '../../../src/access/providers/call-budget-store.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import type { Closing } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { startService, type TestService } from '../service/service.ts';
import type { PolarSubscription } from './polar-objects.ts';
import { startPolarShop } from './polar-service.ts';
import { POLAR_SECRET, STRIPE_SECRET } from './signed-events.ts';
import { startStripeServer } from './stripe-server.ts';
import { beginCheckout, stripeService } from './stripe-service.ts';

export interface PayingShop {
  /** Settings of a service that asks it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Buys a plan, and gives the key. */
  buy(plan: 'pro' | 'business'): Promise<string>;
  changePlan(key: string, plan: Plan): void;
  /** Ends the subscription of a key now. */
  cancel(key: string): void;
}

interface PolarPayingShop extends PayingShop {
  /** Gives the subscription another key in place of this one. */
  rotate(key: string): string;
}

export interface PayingService<Shop extends PayingShop> {
  readonly service: TestService;
  readonly shop: Shop;
  /** The status of a call with a key, and its tier or the code of the problem. */
  ask(key: string): Promise<readonly [number, string]>;
}

/** So many that no test waits for a place: the budget counts by the clock of the database, which no test moves here. */
export const MANY_CALLS: CallLimits = {
  ...{ width: 1_000, buckets: 1, most: 1e6 },
  ...{ mostUnknown: 1e6, mostBackground: 1e6, mostBoth: 1e6 },
};

/** Starts a shop without faults and a service in front of it. */
export async function payingService(t: Closing, name: 'polar'): Promise<PayingService<PolarPayingShop>>;
export async function payingService(t: Closing, name: 'polar' | 'stripe'): Promise<PayingService<PayingShop>>;
export async function payingService(
  t: Closing,
  name: 'polar' | 'stripe',
): Promise<PayingService<PayingShop>> {
  const clock = manualClock(Date.now());
  const polar = name === 'polar' ? await polarShop(t, clock) : null;
  const stripe = name === 'stripe' ? await startStripeServer(t, { clock, faults: false }) : null;
  const environment = {
    METRICS_ALLOW: '127.0.0.1',
    ...polar?.environment,
    ...(stripe && {
      ...{ SUBSCRIPTIONS: 'stripe', STRIPE_SECRET_KEY: stripe.secretKey },
      ...{ STRIPE_WEBHOOK_SECRET: STRIPE_SECRET, STRIPE_API_URL: stripe.url },
    }),
  };
  const service = await startService(t, { clock, environment, overrides: { callLimits: MANY_CALLS } });
  const shop = polar ?? stripeShop(t, { service, server: stripe as NonNullable<typeof stripe>, environment });
  return {
    ...{ service, shop },
    async ask(key) {
      const answer = await service.get('/v1/usage', key);
      const body = (await answer.json()) as { code?: string; tier?: string };
      return [answer.status, body.code ?? body.tier ?? ''];
    },
  };
}

async function polarShop(t: Closing, clock: ManualClock): Promise<PolarPayingShop> {
  const { server, products, settings } = await startPolarShop(t, { faults: false, now: clock.now });
  const { world } = server;
  const bought = new Map<string, PolarSubscription>();
  const find = (key: string) => bought.get(key) as PolarSubscription;
  return {
    environment: {
      ...{ SUBSCRIPTIONS: 'polar', POLAR_ACCESS_TOKEN: settings.accessToken, POLAR_API_URL: settings.apiUrl },
      ...{ POLAR_ORGANIZATION_ID: settings.organizationId, POLAR_WEBHOOK_SECRET: POLAR_SECRET },
      POLAR_PLANS: Object.entries(settings.plans)
        .map(([product, plan]) => `${product}=${plan}`)
        .join(','),
    },
    async buy(plan) {
      const subscription = world.subscribe(products[plan]);
      const { key } = world.keyOf(subscription);
      bought.set(key, subscription);
      return key;
    },
    changePlan: (key, plan) => world.changePlan(find(key), products[plan]),
    cancel: (key) => world.revoke(find(key)),
    rotate(key) {
      const subscription = find(key);
      world.rotate(world.keyOf(subscription));
      const { key: next } = world.keyOf(subscription);
      bought.set(next, subscription);
      return next;
    },
  };
}

function stripeShop(
  t: Closing,
  {
    service: { database, clock },
    server,
    environment,
  }: {
    readonly service: TestService;
    readonly server: Awaited<ReturnType<typeof startStripeServer>>;
    readonly environment: Readonly<Record<string, string>>;
  },
): PayingShop {
  const { account } = server;
  const prices = { pro: account.addPlan('pro'), business: account.addPlan('business') };
  const stripe = stripeService(t, { server, database, clock });
  const bought = new Map<string, string>();
  const find = (key: string) => bought.get(key) ?? '';
  return {
    environment,
    async buy(plan) {
      const { key, session } = await beginCheckout(stripe, prices[plan]);
      bought.set(key, account.complete(session, {}).id);
      return key;
    },
    changePlan: (key, plan) =>
      account.changePrices(find(key), [plan === 'pro' ? prices.pro : prices.business]),
    cancel: (key) => account.cancel(find(key)),
  };
}
