// Whole service whose subscriptions are sold by a test's Polar or Stripe, with the shop that sells them and sends its events.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallLimits } from '../../../src/billing/call-budget-store.ts';
import { type Closing, temporaryFolder } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { startService, type TestService } from '../service/service.ts';
import { ageMirror } from './mirror-processes.ts';
import type { PolarSubscription } from './polar/polar-objects.ts';
import { type PolarShop, startPolarShop } from './polar/polar-service.ts';
import { sendWebhook, webhookOf } from './polar/polar-webhooks.ts';
import { OLD_POLAR_SECRET, POLAR_SECRET } from './signed-events.ts';
import { type StripeServer, startStripeServer } from './stripe/stripe-server.ts';
import { beginCheckout, stripeEnvironment, stripeService } from './stripe/stripe-service.ts';

type Environment = Readonly<Record<string, string>>;

export interface PayingShop {
  /** Settings of the service, for what runs beside it. */
  readonly environment: Environment;
  /** Buys a plan, and gives the key. */
  buy(plan: 'pro' | 'business'): Promise<string>;
  changePlan(key: string, plan: 'pro' | 'business'): void;
  /** Ends the subscription of a key now. */
  cancel(key: string): void;
  /** Sends the events about everything that has happened since the last time; gives the statuses of the answers. */
  sendEvents(url: string): Promise<readonly number[]>;
}

export interface PolarPayingShop extends PayingShop, Pick<PolarShop, 'server' | 'products'> {
  /** Gives the subscription another key in place of this one. */
  rotate(key: string): string;
}

export interface StripePayingShop extends PayingShop {
  readonly server: StripeServer;
  /** Ids of the monthly prices. */
  readonly prices: Readonly<Record<'pro' | 'business', string>>;
}

export interface PayingService<Shop extends PayingShop> {
  readonly service: TestService;
  readonly shop: Shop;
  /** Lets time pass for the service, and for the rows of its mirror, which the clock of the database ages. */
  pass(milliseconds: number): Promise<void>;
  /** The status of a call with a key, and its tier or the code of the problem. However often it is asked, no limit is met. */
  ask(key: string, url?: string): Promise<readonly [number, string]>;
}

/** So many that no test waits for a place: the budget counts by the clock of the database, which no test moves here. */
export const MANY_CALLS: CallLimits = {
  width: 1_000,
  buckets: 1,
  max: 1e6,
  maxUnknown: 1e6,
  maxStrangers: 1e6,
  maxBackground: 1e6,
  maxOthers: 1e6,
};

/**
 * Starts a shop without faults and a service in front of it. Polar sells every plan; Stripe sells Pro, by the month and by the
 * year, and Business. Each signs its webhooks with more than one secret, as during a rotation.
 *
 * @param settings in place of the shop's own
 */
export async function startPayingService(
  t: Closing,
  name: 'polar',
  settings?: Environment,
): Promise<PayingService<PolarPayingShop>>;
export async function startPayingService(
  t: Closing,
  name: 'stripe',
  settings?: Environment,
): Promise<PayingService<StripePayingShop>>;
export async function startPayingService(
  t: Closing,
  name: 'polar' | 'stripe',
  settings?: Environment,
): Promise<PayingService<PayingShop>>;
export async function startPayingService(
  t: Closing,
  name: 'polar' | 'stripe',
  settings: Environment = {},
): Promise<PayingService<PayingShop>> {
  // Services tell time in whole seconds.
  const clock = manualClock(Math.floor(Date.now() / 1_000) * 1_000);
  const { environment: own, open } = await (name === 'polar' ? polarSeller : stripeSeller)(t, clock);
  const environment = {
    METRICS_ALLOW: '127.0.0.1',
    BILLING_PORTAL_URL: 'https://pay.example/portal',
    TIERS_FILE: await patientTiers(t),
    TRUSTED_PROXIES: '127.0.0.1',
    ...own,
    ...settings,
  };
  const service = await startService(t, { clock, environment, overrides: { callLimits: MANY_CALLS } });
  let asked = 0;
  return {
    service,
    shop: open(service, environment),
    async pass(milliseconds) {
      await ageMirror(service.database, milliseconds);
      service.clock.advance(milliseconds);
    },
    async ask(key, url = service.url) {
      // A minute in which the clock stands never ends: each address has but one refused key in it.
      const address = `10.${(asked >>> 16) & 255}.${(asked >>> 8) & 255}.${asked++ & 255}`;
      const answer = await fetch(`${url}/v1/usage`, {
        headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': address },
      });
      const body = (await answer.json()) as { code?: string; tier?: string };
      return [answer.status, body.code ?? body.tier ?? ''];
    },
  };
}

/** Plans without a limit by the minute. */
async function patientTiers(t: Closing): Promise<string> {
  const file = join(await temporaryFolder(t, 'tiers'), 'tiers.json');
  await writeFile(file, JSON.stringify({ pro: { minute: null }, business: { minute: null } }));
  return file;
}

/** A payment service that runs, and whose shop opens as soon as the service does that asks it. */
interface Seller<Shop extends PayingShop> {
  readonly environment: Environment;
  open(service: TestService, environment: Environment): Shop;
}

async function polarSeller(t: Closing, clock: ManualClock): Promise<Seller<PolarPayingShop>> {
  const { server, products, environment } = await startPolarShop(t, { faults: false, now: clock.now });
  return {
    environment: { ...environment, POLAR_WEBHOOK_SECRET: `${POLAR_SECRET},${OLD_POLAR_SECRET}` },
    open: (_, settings) => polarShop({ server, products }, settings),
  };
}

function polarShop(
  { server, products }: Pick<PolarShop, 'server' | 'products'>,
  environment: Environment,
): PolarPayingShop {
  const { world, happenings } = server;
  const bought = new Map<string, PolarSubscription>();
  const find = (key: string) => bought.get(key) as PolarSubscription;
  let sent = 0;
  return {
    server,
    products,
    environment,
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
    async sendEvents(url) {
      const fresh = happenings.slice(sent);
      sent += fresh.length;
      const answers = fresh.map((happening, at) => {
        const isOld = at % 2 === 1;
        const secret = isOld ? OLD_POLAR_SECRET : POLAR_SECRET;
        const webhook = webhookOf(server, happening, { secret, signing: isOld ? 'whole' : 'standard' });
        return sendWebhook(`${url}/billing/webhooks/polar`, webhook);
      });
      return (await Promise.all(answers)).map(({ status }) => status);
    },
  };
}

async function stripeSeller(t: Closing, clock: ManualClock): Promise<Seller<StripePayingShop>> {
  const server = await startStripeServer(t, { clock, faults: false });
  const { account, webhookSecret } = server;
  const prices = {
    pro: account.addPlan('pro', { amount: 2_900, currency: 'eur' }),
    business: account.addPlan('business', { amount: 19_950, currency: 'eur' }),
  };
  account.addPlan('pro', { amount: 29_000, currency: 'eur', interval: 'year', suffix: '_yearly' });
  return {
    environment: {
      ...stripeEnvironment(server),
      STRIPE_WEBHOOK_SECRET: `whsec_oldOfStripe0123456789,${webhookSecret}`,
    },
    open: (service, settings) => stripeShop(t, { service, server, prices, environment: settings }),
  };
}

function stripeShop(
  t: Closing,
  {
    service: { database, clock },
    ...shop
  }: Pick<StripePayingShop, 'server' | 'prices' | 'environment'> & { readonly service: TestService },
): StripePayingShop {
  const { server, prices } = shop;
  const { account } = server;
  const stripe = stripeService(t, { server, database, clock });
  const bought = new Map<string, string>();
  const find = (key: string) => bought.get(key) ?? '';
  let sent = 0;
  return {
    ...shop,
    async buy(plan) {
      const { key, session } = await beginCheckout(stripe, prices[plan]);
      bought.set(key, account.complete(session).id);
      return key;
    },
    changePlan: (key, plan) => account.changePrices(find(key), [prices[plan]]),
    cancel: (key) => account.cancel(find(key)),
    async sendEvents(url) {
      const fresh = account.events.slice(sent);
      sent += fresh.length;
      const answers = fresh.map((event) =>
        fetch(`${url}/billing/webhooks/stripe`, { method: 'POST', ...server.sign(event) }),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    },
  };
}
