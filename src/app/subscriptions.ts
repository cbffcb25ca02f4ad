// Wiring of subscriptions: the provider that the settings choose, and what keeps its mirror up to date.

import { createLocalSubscriptions } from '../access/providers/subscription-store.ts';
import type { SubscriptionProvider } from '../access/tiers/provider.ts';
import { callLimitsOf, createCallBudget } from '../billing/call-budget.ts';
import type { CallLimits } from '../billing/call-budget-store.ts';
import { Mirror } from '../billing/mirror.ts';
import { createPaymentApi, type PaymentApi } from '../billing/payment-api.ts';
import type { PaymentService } from '../billing/payment-service.ts';
import { polarHeaders } from '../billing/polar/polar-api.ts';
import { createPolarService } from '../billing/polar/polar-service.ts';
import type { PolarSettings, StripeSettings } from '../billing/provider-settings.ts';
import { stripeHeaders } from '../billing/stripe/stripe-client.ts';
import { createStripeService, type StripeService } from '../billing/stripe/stripe-service.ts';
import { startSubscriptionList } from '../billing/subscription-list.ts';
import type { Config } from '../config.ts';
import { type Clock, MINUTE } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createMetrics, type Metrics } from '../lib/metrics.ts';
import { startPeriodicWork } from '../lib/periodic-work.ts';
import { revokeGrantsOfSubscription } from '../oauth/consents/grant-store.ts';
import { createAudit } from '../oauth/protocol/audit.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { takeLease } from '../postgres/leases/held-lease.ts';
import { createSubscriptionMetrics, type SubscriptionMetrics } from './subscription-metrics.ts';

export interface SubscriptionsOptions {
  readonly config: Pick<Config, 'subscriptions' | 'billing'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
  /** Ends the grants made with the key that a subscription had until now, and notifies every process. */
  readonly endGrants: (tx: Transaction, subscription: string) => Promise<void>;
  /** Whether something may be made at the payment service; default: always. */
  readonly mayWrite?: () => boolean;
  /** Default: none. */
  readonly metrics?: Metrics;
  /** Default: those of the service. */
  readonly callLimits?: CallLimits | undefined;
}

/** A payment service, and the mirror of its subscriptions. */
export interface PaymentParts {
  readonly service: PaymentService;
  /** The same where it is Stripe. */
  readonly stripe: StripeService | null;
  readonly mirror: Mirror;
  readonly limits: CallLimits;
  close(): Promise<void>;
}

export interface Subscriptions {
  readonly provider: SubscriptionProvider;
  /** Null: this service issues the keys itself. */
  readonly payments: PaymentParts | null;
  stop(): Promise<void>;
}

/** Milliseconds between two deletions of pending keys that nobody paid for. */
const TIDY_INTERVAL = 10 * MINUTE;

/** Starts the provider, with the work in the background that it needs. */
export function startSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { database, clock, report, metrics = createMetrics() } = options;
  if (options.config.subscriptions.kind === 'local') {
    const { provider } = createLocalSubscriptions(database, clock);
    return { provider, payments: null, stop: async () => {} };
  }
  const counters = createSubscriptionMetrics(metrics);
  const payments = openPayments(options, counters);
  const { service, stripe, mirror, limits } = payments;
  const list = startSubscriptionList({
    mirror,
    service,
    limits,
    clock,
    report,
    ...counters,
    takeLease: () => takeLease(database, `subscriptions of ${service.name}`),
  });
  const tidying =
    stripe &&
    startPeriodicWork({
      clock,
      report,
      pause: TIDY_INTERVAL,
      work: () => stripe.tidy(new AbortController().signal),
    });
  return {
    provider: mirror,
    payments,
    async stop() {
      await list.stop();
      await tidying?.stop();
      await payments.close();
    },
  };
}

/** The payment service that the settings choose, without work in the background: for commands. Throws if there is none. */
export function openPayments(
  options: SubscriptionsOptions,
  counters: SubscriptionMetrics = createSubscriptionMetrics(createMetrics()),
): PaymentParts {
  const { config, database, clock, endGrants } = options;
  const settings = config.subscriptions;
  if (settings.kind === 'local') throw new Error('SUBSCRIPTIONS=local has no payment service');
  const { apiUrl } = settings;
  const { callLimits: limits = callLimitsOf(settings.kind, apiUrl) } = options;
  const budget = createCallBudget({
    database,
    clock,
    limits,
    service: settings.kind,
    onRefusal: counters.onRefusal,
  });
  const headers = settings.kind === 'polar' ? polarHeaders(settings) : stripeHeaders(settings.secretKey);
  const api = createPaymentApi({
    clock,
    apiUrl,
    headers,
    budget,
    onCall: counters.onCall,
    mayWrite: options.mayWrite,
  });
  const stripe = settings.kind === 'stripe' ? openStripe(options, settings, api) : null;
  const service = stripe ?? createPolarService({ settings: settings as PolarSettings, api, clock });
  const mirror = new Mirror({ database, clock, service, endGrants, onStatus: counters.onStatus });
  return {
    service,
    stripe,
    mirror,
    limits,
    async close() {
      await mirror.close();
      await api.close();
    },
  };
}

function openStripe(
  { config, database, clock }: SubscriptionsOptions,
  { secretKey }: StripeSettings,
  api: PaymentApi,
): StripeService {
  return createStripeService({ api, secretKey, database, clock, graceDays: config.billing.graceDays });
}

/** Ends the grants made with a key that another one has replaced. */
export function grantEnder(log: Log, clock: Clock): (tx: Transaction, subscription: string) => Promise<void> {
  const audit = createAudit(log);
  return async (tx, subscription) => {
    const ended = await revokeGrantsOfSubscription(tx, subscription, new Date(clock.now()));
    for (const grant of ended) audit('family_revoked', { grant, reason: 'key_replaced' });
  };
}

/** A hint at the plans that are sold, or at the file of keys if the service is reachable from this machine alone. */
export function howToGetKey(publicUrl: string, keys: string | PaymentParts | null): string | undefined {
  if (keys !== null && typeof keys !== 'string') return `A plan comes with a key: ${publicUrl}/billing`;
  const { hostname } = new URL(publicUrl);
  const local = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return local && keys !== null ? `A key allows more: ${keys} contains one for each tier.` : undefined;
}
