// Metrics of the events of a payment service.

import type { Metrics } from '../lib/metrics.ts';
import { EVENT_TYPES } from './event-subjects.ts';

/**
 * `received`: stored. `repeated`: it was stored before. `ignored`: nothing here depends on it. `foreign`: of another account, or of
 * test data. `handled`: what it names was fetched. `failed`: that did not work, and is tried again.
 */
export type EventStep = 'received' | 'repeated' | 'ignored' | 'foreign' | 'handled' | 'failed';

/** Why a request to a webhook was refused before it was read. */
export type Refusal = 'missing' | 'time' | 'signature' | 'throttled' | 'invalid';

export interface BillingMetrics {
  countEvent(type: string, step: EventStep): void;
  countRefusal(reason: Refusal): void;
}

const TYPES: ReadonlySet<string> = new Set(Object.values(EVENT_TYPES).flat());

/** @param oldestWaiting milliseconds for which the oldest event has waited that is not handled; null: none waits */
export function createBillingMetrics(metrics: Metrics, oldestWaiting: () => number | null): BillingMetrics {
  const events = metrics.counter(
    'freehold_billing_events_total',
    'Events of the payment service, by type and by what became of them in this process.',
    ['type', 'outcome'],
  );
  const refused = metrics.counter(
    'freehold_billing_refused_webhooks_total',
    'Requests to the webhook of the payment service that were refused, by reason.',
    ['reason'],
  );
  metrics.gauge(
    'freehold_billing_oldest_waiting_seconds',
    'For how long the oldest event of the payment service has waited to be handled, in all processes.',
    () => (oldestWaiting() ?? 0) / 1_000,
  );
  return {
    countEvent: (type, outcome) => events.inc({ type: TYPES.has(type) ? type : 'other', outcome }),
    countRefusal: (reason) => refused.inc({ reason }),
  };
}
