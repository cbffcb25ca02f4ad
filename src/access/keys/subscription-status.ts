// Queries to the subscription provider: their timeout, and what counts as an answer.

import type { Clock } from '../../lib/clock.ts';
import { withDeadline } from '../../lib/clock.ts';
import {
  type ActiveSubscription,
  ProviderUnavailable,
  type RefusalReason,
  type SubscriptionProvider,
  type SubscriptionStatus,
} from '../tiers/provider.ts';
import { isPlan } from '../tiers/tiers.ts';

const TIMEOUT = {
  milliseconds: 5_000,
  onTimeout: () => new ProviderUnavailable(new Error('The subscription provider did not answer in time')),
};

/** Queries the provider; throws what it throws, or ProviderUnavailable for an invalid or late answer. */
export async function queryProvider(
  clock: Clock,
  query: (signal: AbortSignal) => Promise<SubscriptionStatus>,
): Promise<SubscriptionStatus> {
  const sentDate = clock.now();
  return expireAt(parseStatus(await withDeadline({ clock, ...TIMEOUT }, query)), sentDate);
}

interface Asking {
  readonly provider: SubscriptionProvider;
  readonly clock: Clock;
}

/** Fetches the current status of a subscription, past every cache: for decisions that must see its end at once. */
export function fetchStatus({ provider, clock }: Asking, subscription: string): Promise<SubscriptionStatus> {
  return queryProvider(clock, (signal) => provider.refresh(subscription, { signal, fresh: true }));
}

/** Finds the status of a subscription, which may be as old as its `age` says. */
export function findStatus({ provider, clock }: Asking, subscription: string): Promise<SubscriptionStatus> {
  return queryProvider(clock, (signal) => provider.refresh(subscription, { signal }));
}

/** The answer as a status; throws ProviderUnavailable for anything else, which says nothing about the key. */
function parseStatus(
  answer: Partial<ActiveSubscription> | SubscriptionStatus | null | undefined,
): SubscriptionStatus {
  if (answer?.state === 'expired') return { state: 'expired' };
  if (answer?.state === 'unknown') return unknownStatus(answer);
  if (answer?.state !== 'active') throw new ProviderUnavailable('The answer is no subscription status');
  const { state, subscription, customer = null, tier, endsAt, age = 0 } = answer;
  const isComplete = typeof subscription === 'string' && subscription !== '' && typeof tier === 'string';
  const isKnown = customer === null || (typeof customer === 'string' && /^\P{C}{1,200}$/u.test(customer));
  const isDated = Number.isFinite(age) && age >= 0;
  if (!isComplete || !isKnown || !isPlan(tier) || !isDated || !(endsAt === null || Number.isFinite(endsAt))) {
    throw new ProviderUnavailable('The subscription status is incomplete');
  }
  return { state, subscription, customer, tier, endsAt: endsAt ?? null, ...(age > 0 && { age }) };
}

const REASONS: readonly unknown[] = ['unpaid', 'paused', 'pending', 'replaced'] satisfies RefusalReason[];

function unknownStatus({ reason }: { readonly reason?: RefusalReason }): SubscriptionStatus {
  return REASONS.includes(reason) && reason !== undefined
    ? { state: 'unknown', reason }
    : { state: 'unknown' };
}

/** The status at a date: a subscription whose end has passed is expired, even if the provider calls it active. */
function expireAt(status: SubscriptionStatus, date: number): SubscriptionStatus {
  const isOver = status.state === 'active' && status.endsAt !== null && status.endsAt <= date;
  return isOver ? { state: 'expired' } : status;
}
