// A subscription provider under test: what its owner can do, and a payment service asked until it answers.

import {
  ProviderUnavailable,
  type SubscriptionProvider,
  type SubscriptionStatus,
} from '../../../src/access/tiers/provider.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import type { PaymentService, ProviderSubscription } from '../../../src/billing/payment-service.ts';
import type { ManualClock } from '../service/clock.ts';

/** What a provider's owner can do, and the provider itself. */
export interface Subject {
  readonly provider: SubscriptionProvider;
  /** The same provider while what it depends on is gone. */
  readonly broken: SubscriptionProvider;
  readonly clock: ManualClock;
  /** Makes a subscription and gives its key. Customers of the same name are the same. */
  subscribe(plan: Plan, endsAt?: number, customer?: string): Promise<string>;
  changePlan(key: string, plan: Plan): Promise<void>;
  revoke(key: string): Promise<void>;
}

const TRIES = 40;

/** Asks again while the service is not available; `onFailure` lets the time pass that a service may want in between. */
export async function retrying<T>(ask: () => Promise<T>, onFailure: () => void = () => {}): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ProviderUnavailable) || tries === TRIES) throw error;
      onFailure();
    }
  }
}

/** A payment service as a provider, without any cache. A key of a subscription that has another one by now is replaced. */
export function uncachedProvider(
  service: Pick<PaymentService, 'findKey' | 'find'>,
  ask: <T>(question: () => Promise<T>) => Promise<T> = (question) => question(),
): SubscriptionProvider {
  const none: SubscriptionStatus = { state: 'unknown' };
  return {
    validate: async (key, { signal }) => (await ask(() => service.findKey(key, signal)))?.status ?? none,
    refresh: async (reference, { signal }) =>
      (await ask(() => service.find(reference, signal)))?.status ?? none,
  };
}

/** The pages of a list of all subscriptions. */
export async function listPages(
  service: Pick<PaymentService, 'listAll'>,
): Promise<readonly (readonly ProviderSubscription[])[]> {
  const pages: (readonly ProviderSubscription[])[] = [];
  await service.listAll(async (page) => void pages.push(page), new AbortController().signal);
  return pages;
}
