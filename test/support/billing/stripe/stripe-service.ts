// Stripe's adapter in front of a test's Stripe, and the same as a subject of the tests that all providers share.

import { PLANS, type Plan } from '../../../../src/access/tiers/tiers.ts';
import { createPaymentApi } from '../../../../src/billing/payment-api.ts';
import { stripeHeaders } from '../../../../src/billing/stripe/stripe-client.ts';
import { createStripeService, type StripeService } from '../../../../src/billing/stripe/stripe-service.ts';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import { type Database, openDatabase } from '../../../../src/postgres/client/database.ts';
import { atEnd, type Closing } from '../../database/database.ts';
import { manualClock } from '../../service/clock.ts';
import { retrying, type Subject, uncachedProvider } from '../provider-subject.ts';
import { type StripeServer, startStripeServer } from './stripe-server.ts';

/** Settings of a process that asks this Stripe. */
export function stripeEnvironment({
  url,
  secretKey,
  webhookSecret,
}: StripeServer): Readonly<Record<string, string>> {
  return {
    SUBSCRIPTIONS: 'stripe',
    STRIPE_API_URL: url,
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
  };
}

export interface StripeServiceOptions {
  readonly server: Pick<StripeServer, 'url' | 'secretKey'>;
  readonly database: Database;
  /** Of the rules. */
  readonly clock: Clock;
  readonly graceDays?: number;
}

export interface StripeUnderTest {
  readonly service: StripeService;
  /** Asks until there is an answer; the time that Stripe wants between calls passes at once. */
  readonly ask: <T>(question: () => Promise<T>) => Promise<T>;
}

/** The adapter, without a budget of calls. Its calls have a clock of their own, which skips the time that Stripe wants between them. */
export function stripeService(
  t: Closing,
  { server: { url, secretKey }, database, clock, graceDays = 7 }: StripeServiceOptions,
): StripeUnderTest {
  let skipped = 0;
  const callClock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skipped };
  const budget = { reserve: async () => {} };
  const api = createPaymentApi({ clock: callClock, apiUrl: url, headers: stripeHeaders(secretKey), budget });
  atEnd(t, () => api.close());
  // Pauses between tries of a page pass at once.
  const ruleClock: Clock = { ...clock, after: (_, callback) => systemClock.after(0, callback) };
  return {
    service: createStripeService({ api, secretKey, database, clock: ruleClock, graceDays }),
    ask: (question) =>
      retrying(question, () => {
        skipped += 60_000;
      }),
  };
}

export const RETURN = {
  returnUrl: 'https://api.example/billing/return',
  cancelUrl: 'https://api.example/billing',
};
const { signal } = new AbortController();

/** A checkout that was begun: its key, its session, and what is stored of the key. */
export interface BegunCheckout {
  readonly key: string;
  readonly keyId: string;
  readonly session: string;
}

/** Begins a checkout as the page of plans does. */
export async function beginCheckout(
  { service, ask }: StripeUnderTest,
  priceId: string,
): Promise<BegunCheckout> {
  const checkout = await ask(() => service.createCheckout({ priceId, ...RETURN }, signal));
  if (checkout?.key == null || checkout.keyId === null) throw new Error('Nothing is offered');
  return { key: checkout.key, keyId: checkout.keyId, session: checkout.url.split('/').at(-1) ?? '' };
}

/** Each subject has other faults, and the same ones in every run. */
let seed = 0;

/** Stripe with faults, asked again where it gave no answer: the adapter itself asks once. Keys are bought. */
export async function stripeSubject(t: Closing, database: Database): Promise<Subject> {
  const clock = manualClock();
  const server = await startStripeServer(t, { clock, seed: ++seed });
  const { account } = server;
  const prices = Object.fromEntries(PLANS.map((plan) => [plan, account.addPlan(plan)])) as Record<
    Plan,
    string
  >;
  const other = account.addPrice(account.addProduct('Another product'));
  const stripe = stripeService(t, { server, database, clock });
  // A key that was never issued is known to be none without Stripe, but not without the database.
  const gone = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/nothing', timeout: 1_000 });
  const nowhere = { ...server, url: 'http://127.0.0.1:1' };
  const broken = stripeService(t, { server: nowhere, database: gone, clock });
  const subscriptions = new Map<string, string>();
  const find = (key: string) => subscriptions.get(key) ?? '';
  return {
    provider: uncachedProvider(stripe.service, stripe.ask),
    broken: uncachedProvider(broken.service),
    clock,
    async subscribe(plan, endsAt, customer) {
      // Internal is not for sale: what is bought is changed to it.
      const { key, session } = await beginCheckout(stripe, prices[plan === 'internal' ? 'free' : plan]);
      const { id } = account.complete(session, customer === undefined ? {} : { customer: `cus_${customer}` });
      if (plan === 'internal') account.changePrices(id, [prices.internal]);
      if (endsAt !== undefined) account.update(id, { cancel_at: endsAt / 1000 });
      subscriptions.set(key, id);
      return key;
    },
    changePlan: async (key, plan) => account.changePrices(find(key), [prices[plan]]),
    revoke: async (key) => account.changePrices(find(key), [other]),
  };
}
