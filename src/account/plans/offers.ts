// Plans that can be bought, as the payment service last listed them.

import { ProviderUnavailable } from '../../access/tiers/provider.ts';
import type { OfferedPlan, PaymentService } from '../../billing/payment-service.ts';
import { type Clock, MINUTE, withDeadline } from '../../lib/clock.ts';

/** Milliseconds for which the plans are remembered. */
const LIFETIME = 5 * MINUTE;
/** Milliseconds until the next question after one that was not answered. */
const RETRY_PAUSE = 10_000;
/** Milliseconds that the payment service has for an answer. */
const TIMEOUT = 8_000;

export interface BillingService {
  readonly service: PaymentService;
  readonly clock: Clock;
  /** Called with the first error of an outage. */
  readonly report: (error: unknown) => void;
}

/** Null: the service cannot say at the moment. */
export type FindOffers = () => Promise<readonly OfferedPlan[] | null>;

/** Creates the function that lists the plans: one question at a time, however many people look. */
export function createFindOffers(options: BillingService): FindOffers {
  const { service, clock, report } = options;
  let known: ReturnType<FindOffers> | undefined;
  let until = Number.NEGATIVE_INFINITY;
  let isFailing = false;

  async function ask(): ReturnType<FindOffers> {
    try {
      const offers = await askService(clock, (signal) => service.listPlans(signal));
      isFailing = false;
      return offers;
    } catch (error) {
      if (!isFailing) report(error);
      isFailing = true;
      until = clock.monotonic() + RETRY_PAUSE;
      return null;
    }
  }

  return () => {
    if (known === undefined || clock.monotonic() >= until) {
      until = clock.monotonic() + LIFETIME;
      known = ask();
    }
    return known;
  };
}

/** Asks within a deadline that people wait for. Throws ProviderUnavailable when it has passed. */
export function askService<T>(clock: Clock, question: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const onTimeout = () => new ProviderUnavailable(new Error('The payment service did not answer in time'));
  return withDeadline({ clock, milliseconds: TIMEOUT, onTimeout }, question);
}
