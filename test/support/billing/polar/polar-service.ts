// Polar's adapter in front of a test's Polar API, and the same as a subject of the tests that all providers share.

import { PLANS, type Plan } from '../../../../src/access/tiers/tiers.ts';
import { createPaymentApi } from '../../../../src/billing/payment-api.ts';
import type { PaymentService } from '../../../../src/billing/payment-service.ts';
import { polarHeaders } from '../../../../src/billing/polar/polar-api.ts';
import { createPolarService } from '../../../../src/billing/polar/polar-service.ts';
import type { PolarSettings } from '../../../../src/billing/provider-settings.ts';
import type { Clock } from '../../../../src/lib/clock.ts';
import { atEnd, type Closing } from '../../database/database.ts';
import { type ManualClock, manualClock } from '../../service/clock.ts';
import { retrying, type Subject, uncachedProvider } from '../provider-subject.ts';
import type { PolarCustomer, PolarKey, PolarProduct, PolarSubscription } from './polar-objects.ts';
import { type PolarServer, startPolarServer } from './polar-server.ts';
import { newWebhookSecret } from './polar-webhooks.ts';

/** Settings of a service whose Polar is this one. */
function polarSettings(
  { world, accessToken, url }: PolarServer,
  plans: Readonly<Record<string, Plan>>,
): PolarSettings {
  return {
    kind: 'polar',
    accessToken,
    organizationId: world.organization,
    plans,
    apiUrl: url,
    webhookSecrets: [newWebhookSecret()],
  };
}

export interface PolarServiceOptions {
  readonly settings: PolarSettings;
  /** Of the rules; default: a manual one. */
  readonly clock?: Clock;
}

export interface PolarUnderTest {
  readonly service: PaymentService;
  /** Asks until there is an answer; the time that Polar wants between calls passes at once. */
  readonly ask: <T>(question: () => Promise<T>) => Promise<T>;
  /** The clock of the calls: moved on, it ends a pause that Polar asked for. */
  readonly callClock: ManualClock;
}

/** The adapter, without a budget of calls. Its calls have a clock of their own, so that waiting moves no subscription. */
export function polarService(
  t: Closing,
  { settings, clock = manualClock() }: PolarServiceOptions,
): PolarUnderTest {
  const callClock: ManualClock = manualClock();
  const api = createPaymentApi({
    clock: callClock,
    apiUrl: settings.apiUrl,
    headers: polarHeaders(settings),
    budget: { reserve: async () => {} },
  });
  atEnd(t, () => api.close());
  return {
    service: createPolarService({ settings, api, clock: hurried(clock, callClock) }),
    callClock,
    ask: (question) => retrying(question, () => callClock.advance(60_000)),
  };
}

/** A clock whose pauses end at once: what waits for Polar waits by the clock of the calls. */
function hurried(clock: Clock, callClock: ManualClock): Clock {
  return {
    now: clock.now,
    monotonic: clock.monotonic,
    after(milliseconds, callback) {
      const turn = setImmediate(() => {
        callClock.advance(milliseconds);
        callback();
      });
      return () => clearImmediate(turn);
    },
  };
}

export interface PolarShop {
  readonly server: PolarServer;
  readonly products: Readonly<Record<Plan, PolarProduct>>;
  readonly settings: PolarSettings;
  /** Settings of a process that asks it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A Polar with a product for each plan, all with the one license-key benefit. */
export async function startPolarShop(
  t: Closing,
  options: Parameters<typeof startPolarServer>[1] = {},
): Promise<PolarShop> {
  const server = await startPolarServer(t, options);
  const entries = PLANS.map(
    (plan, index) => [plan, server.addProduct(`Plan ${plan}`, index * 1_900)] as const,
  );
  const products = Object.fromEntries(entries) as Record<Plan, PolarProduct>;
  const plans = Object.fromEntries(entries.map(([plan, { id }]) => [id, plan]));
  const settings = polarSettings(server, plans);
  const environment = {
    SUBSCRIPTIONS: 'polar',
    POLAR_API_URL: settings.apiUrl,
    POLAR_ACCESS_TOKEN: settings.accessToken,
    POLAR_ORGANIZATION_ID: settings.organizationId,
    POLAR_WEBHOOK_SECRET: settings.webhookSecrets.join(','),
    POLAR_PLANS: Object.entries(plans)
      .map((pair) => pair.join('='))
      .join(','),
  };
  return { server, products, settings, environment };
}

/** Each subject has other faults, and the same ones in every run. */
let seed = 0;

/** Polar with faults, asked again where it gave no answer: the adapter itself asks once. */
export async function polarSubject(t: Closing): Promise<Subject> {
  const clock = manualClock();
  const { server, products, settings } = await startPolarShop(t, { now: clock.now, seed: ++seed });
  const { world } = server;
  const { service, ask } = polarService(t, { settings, clock });
  const broken = polarService(t, { settings: { ...settings, apiUrl: 'http://127.0.0.1:1' }, clock });
  const subscriptions = new Map<string, PolarSubscription>();
  const customers = new Map<string, PolarCustomer>();
  const find = (key: string) => subscriptions.get(key) as PolarSubscription;
  return {
    provider: uncachedProvider(service, ask),
    broken: uncachedProvider(broken.service),
    clock,
    async subscribe(plan, endsAt, name) {
      const known = name === undefined ? undefined : customers.get(name);
      const customer = known ?? world.addCustomer(name);
      if (name !== undefined) customers.set(name, customer);
      const subscription = world.subscribe(products[plan], { customer });
      if (endsAt !== undefined) world.cancelAtPeriodEnd(subscription, endsAt);
      const { key }: PolarKey = world.keyOf(subscription);
      subscriptions.set(key, subscription);
      return key;
    },
    changePlan: async (key, plan) => world.changePlan(find(key), products[plan]),
    revoke: async (key) => world.disable(world.keyOf(find(key))),
  };
}
