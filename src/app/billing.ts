// Wiring of billing: the webhook of the payment service, and the job that fetches what its events name.

import type { Principal } from '../access/tiers/tiers.ts';
import { createBillingMetrics } from '../billing/billing-metrics.ts';
import { type EventJob, type PaymentSource, startEventJob } from '../billing/event-job.ts';
import type { ProviderSettings } from '../billing/provider-settings.ts';
import { billingWebhookRoutes } from '../billing/webhook-routes.ts';
import type { Route } from '../http/frame/route.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Database } from '../postgres/client/database.ts';
import type { PaymentParts } from './subscriptions.ts';

export interface BillingOptions {
  readonly settings: ProviderSettings;
  /** Null: this service keeps the subscriptions itself. */
  readonly payments: PaymentParts | null;
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly report: (error: unknown) => void;
}

export interface Billing {
  readonly routes: readonly Route<Principal>[];
  stop(): Promise<void>;
}

export function startBilling(options: BillingOptions): Billing {
  const { settings, payments } = options;
  if (settings.kind === 'local') return { routes: [], stop: async () => {} };
  let job: EventJob | null = null;
  const metrics = createBillingMetrics(options.metrics, () => job?.oldestWaiting() ?? null);
  if (payments !== null) {
    const source = eventSource(payments);
    job = startEventJob({ ...options, source, countEvent: metrics.countEvent });
  }
  return {
    routes: billingWebhookRoutes({ ...options, metrics }),
    stop: async () => job?.stop(),
  };
}

/** What events are asked about. */
function eventSource({ service, mirror }: PaymentParts): PaymentSource {
  return {
    name: service.name,
    resolveSubject: (subject, signal) => service.resolveSubject(subject, signal),
    renew: (reference) => mirror.renew(reference),
  };
}
