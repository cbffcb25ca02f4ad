// What a subscription at Stripe gives: its status for whoever holds the key, by its state, its periods and the days of grace.

import type { SubscriptionStatus } from '../../access/tiers/provider.ts';
import type { Plan } from '../../access/tiers/tiers.ts';
import { DAY } from '../../lib/clock.ts';
import type { ItemRecord, SubscriptionRecord, SubscriptionState } from './stripe-records.ts';

/** Whether a subscription of this state was ever in force, so that the key that was bought with it belongs to it. */
export function wasInForce(state: SubscriptionState): boolean {
  return state !== 'incomplete' && state !== 'incomplete_expired';
}

/** States that last for ever. */
export function isOver(state: SubscriptionState): boolean {
  return state === 'canceled' || state === 'incomplete_expired';
}

/**
 * The status of a subscription.
 * @param plan null: nothing in it names a plan of ours
 * @param graceDays for which a subscription with a failed payment stays in force
 * @param now wall-clock milliseconds
 */
export function statusOf(
  subscription: SubscriptionRecord,
  plan: Plan | null,
  { graceDays, now }: { readonly graceDays: number; readonly now: number },
): SubscriptionStatus {
  switch (subscription.state) {
    case 'canceled':
    case 'incomplete_expired':
      return { state: 'expired' };
    case 'incomplete':
      return { state: 'unknown', reason: 'pending' };
    case 'unpaid':
      return { state: 'unknown', reason: 'unpaid' };
    case 'paused':
      return { state: 'unknown', reason: 'paused' };
    case 'past_due': {
      const graceEnd = endOfGrace(subscription, graceDays);
      return now >= graceEnd
        ? { state: 'unknown', reason: 'unpaid' }
        : inForce(subscription, plan, earlier(graceEnd, endOf(subscription)));
    }
    case 'active':
    case 'trialing':
      return inForce(subscription, plan, endOf(subscription));
  }
}

function inForce(
  { id, customer }: SubscriptionRecord,
  plan: Plan | null,
  endsAt: number | null,
): SubscriptionStatus {
  if (plan === null) return { state: 'unknown' };
  return { state: 'active', subscription: id, customer, tier: plan, endsAt };
}

/** When it is cancelled; null: nobody said. */
function endOf({ cancelAt, cancelAtPeriodEnd, items }: SubscriptionRecord): number | null {
  if (cancelAt !== null || !cancelAtPeriodEnd) return cancelAt;
  return latest(items, ({ periodEnd }) => periodEnd);
}

/**
 * The unpaid item is the one that was renewed last: its payment failed. Where invoices are sent, they may be paid until
 * they are due, and the days count from there.
 */
function endOfGrace({ items, daysUntilDue }: SubscriptionRecord, graceDays: number): number {
  return latest(items, ({ periodStart }) => periodStart) + (daysUntilDue + graceDays) * DAY;
}

function latest(items: readonly ItemRecord[], time: (item: ItemRecord) => number): number {
  return Math.max(...items.map(time));
}

function earlier(left: number, right: number | null): number {
  return right === null ? left : Math.min(left, right);
}
