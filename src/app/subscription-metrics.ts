// Metrics of a payment service: calls to it, where statuses came from, and how old the mirror is.

import type { Urgency } from '../billing/call-budget.ts';
import type { StatusSource } from '../billing/mirror.ts';
import type { MirrorCounts } from '../billing/mirror-store.ts';
import type { CallOutcome } from '../billing/payment-api.ts';
import type { Metrics } from '../lib/metrics.ts';

/** What the parts report. */
export interface SubscriptionMetrics {
  onCall(outcome: CallOutcome, urgency: Urgency): void;
  /** A call that got no slot of the budget. */
  onRefusal(urgency: Urgency): void;
  onStatus(source: StatusSource): void;
  onList(milliseconds: number): void;
  onCount(counts: Pick<MirrorCounts, 'active' | 'oldest'>): void;
}

export function createSubscriptionMetrics({ counter, gauge }: Metrics): SubscriptionMetrics {
  const calls = counter('freehold_payment_calls_total', 'Calls to the payment service, by outcome.', [
    'urgency',
    'outcome',
  ]);
  const statuses = counter(
    'freehold_subscription_statuses_total',
    'Statuses of keys and subscriptions that were not in memory, by where they came from.',
    ['source'],
  );
  let [active, oldest, list] = [0, 0, 0];
  gauge('freehold_subscriptions_active', 'Active subscriptions of the payment service.', () => active);
  gauge(
    'freehold_subscription_age_seconds',
    'Time since the payment service was asked about the oldest of them.',
    () => oldest / 1_000,
  );
  gauge(
    'freehold_subscription_list_seconds',
    'How long the last list of all subscriptions took in this process.',
    () => list / 1_000,
  );
  return {
    onCall: (outcome, urgency) => calls.inc({ outcome, urgency }),
    onRefusal: (urgency) => calls.inc({ outcome: 'no_slot', urgency }),
    onStatus: (source) => statuses.inc({ source }),
    onList(milliseconds) {
      list = milliseconds;
    },
    onCount(counts) {
      [active, oldest] = [counts.active, counts.oldest];
    },
  };
}
