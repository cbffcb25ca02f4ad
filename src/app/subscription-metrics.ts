// Metrics of a payment service: calls to it, where answers came from, and how old what is known is.

import type { Urgency } from '../billing/call-budget.ts';
import type { CallOutcome } from '../billing/payment-api.ts';
import type { AnswerSource } from '../billing/shared-verdicts.ts';
import type { Metrics } from '../lib/metrics.ts';

/** What the parts report. */
export interface SubscriptionMetrics {
  onCall(outcome: CallOutcome, urgency: Urgency): void;
  /** A call that the budget had no place for. */
  onRefusal(urgency: Urgency): void;
  onAnswer(source: AnswerSource): void;
  onPass(milliseconds: number): void;
  onCount(counts: { readonly active: number; readonly oldest: number }): void;
}

export function createSubscriptionMetrics({ counter, gauge }: Metrics): SubscriptionMetrics {
  const calls = counter('freehold_payment_calls_total', 'Calls to the payment service, by outcome.', [
    'urgency',
    'outcome',
  ]);
  const answers = counter(
    'freehold_subscription_answers_total',
    'Answers about keys and subscriptions, by where they came from.',
    ['source'],
  );
  let [active, oldest, pass] = [0, 0, 0];
  gauge('freehold_verdicts_active', 'Active subscriptions that are known.', () => active);
  gauge('freehold_verdict_age_seconds', 'Time since the oldest of them was checked.', () => oldest / 1_000);
  gauge('freehold_verdict_pass_seconds', 'How long the last pass of this process took.', () => pass / 1_000);
  return {
    onCall: (outcome, urgency) => calls.inc({ outcome, urgency }),
    onRefusal: (urgency) => calls.inc({ outcome: 'no_place', urgency }),
    onAnswer: (source) => answers.inc({ source }),
    onPass(milliseconds) {
      pass = milliseconds;
    },
    onCount(counts) {
      [active, oldest] = [counts.active, counts.oldest];
    },
  };
}
