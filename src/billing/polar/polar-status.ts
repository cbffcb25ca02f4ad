// What a license key of Polar opens: from the key, the grant that names it and the subscription that it comes from.

import type { SubscriptionStatus } from '../../access/tiers/provider.ts';
import type { Plan } from '../../access/tiers/tiers.ts';
import {
  earliest,
  type GrantRecord,
  type KeyRecord,
  nonsense,
  type SubscriptionRecord,
} from './polar-records.ts';

/** Everything that Polar says of a key. */
export interface KeyFacts {
  readonly key: KeyRecord;
  /** All grants of its holder, or at least those of the same subscription. */
  readonly grants: readonly GrantRecord[];
  /** The subscription that the key comes from; null: it comes from none, or Polar has forgotten it. */
  readonly subscription: SubscriptionRecord | null;
}

/** Subscriptions in these states are over for good; buying again makes a new one. */
const OVER: readonly string[] = ['canceled', 'incomplete_expired'];

/** The grant that names a key; undefined when there is none. */
export function grantOf(key: KeyRecord, grants: readonly GrantRecord[]): GrantRecord | undefined {
  const grant = grants.find((each) => each.key === key.id);
  if (grant === undefined && grants.some((each) => each.benefit === key.benefit && each.key === null)) {
    throw nonsense('A key without a grant, and a grant without a key');
  }
  return grant;
}

/**
 * The status of a key at a date. A granted key is in force for as long as its subscription has not ended, even if that is not
 * paid at the moment: Polar itself decides how long it waits. The plan follows the product of the subscription.
 */
export function statusOf(
  facts: KeyFacts,
  plans: Readonly<Record<string, Plan>>,
  date: number,
): SubscriptionStatus {
  const { key, subscription } = facts;
  if (subscription === null) return { state: 'unknown' };
  const tier = Object.hasOwn(plans, subscription.product) ? plans[subscription.product] : undefined;
  if (tier === undefined) return { state: 'unknown' };
  const endsAt = earliest(subscription.endsAt, key.expiresAt);
  const isOver = OVER.includes(subscription.status) || (endsAt !== null && endsAt <= date);
  if (isOver) return { state: 'expired' };
  if (key.status === 'granted') {
    return { state: 'active', subscription: key.id, customer: key.customer, tier, endsAt };
  }
  return key.status === 'disabled' ? { state: 'unknown' } : revokedStatus(facts, subscription);
}

/** Why Polar took a key back although its subscription goes on. */
function revokedStatus({ key, grants }: KeyFacts, subscription: SubscriptionRecord): SubscriptionStatus {
  switch (subscription.status) {
    case 'past_due':
    case 'unpaid':
      return { state: 'unknown', reason: 'unpaid' };
    case 'paused':
      return { state: 'unknown', reason: 'paused' };
    case 'incomplete':
      return { state: 'unknown', reason: 'pending' };
    case 'active':
    case 'trialing': {
      const member = grantOf(key, grants)?.member ?? null;
      const successors = grants.filter((each) => each.isGranted && each.key !== null && each.key !== key.id);
      const isReplaced = successors.some(
        (each) => each.subscription === subscription.id && each.member === member,
      );
      return isReplaced ? { state: 'unknown', reason: 'replaced' } : { state: 'unknown' };
    }
    default:
      throw nonsense('A subscription in no known state');
  }
}
