// Requests to a subscription provider: their timeout, and ends of subscriptions that have passed.

import { type Clock, withDeadline } from '../../lib/clock.ts';
import {
  ProviderUnavailable,
  type SubscriptionProvider,
  type SubscriptionStatus,
} from '../tiers/provider.ts';

const TIMEOUT = {
  milliseconds: 5_000,
  onTimeout: () => new ProviderUnavailable(new Error('The subscription provider did not answer in time')),
};

/** The status that a request gives; throws ProviderUnavailable for an answer that is late. */
export async function requestStatus(
  clock: Clock,
  request: (signal: AbortSignal) => Promise<SubscriptionStatus>,
): Promise<SubscriptionStatus> {
  const date = clock.now();
  const status = await withDeadline({ clock, ...TIMEOUT }, request);
  // A subscription whose end has passed is over, even if the provider still calls it active.
  const isOver = status.state === 'active' && status.endsAt !== null && status.endsAt <= date;
  return isOver ? { state: 'expired' } : status;
}

/** The status of a subscription at this moment, for decisions that must see its end at once. */
export function fetchStatus(
  { provider, clock }: { readonly provider: SubscriptionProvider; readonly clock: Clock },
  subscription: string,
): Promise<SubscriptionStatus> {
  return requestStatus(clock, (signal) => provider.refresh(subscription, { signal, maxAge: 0 }));
}
