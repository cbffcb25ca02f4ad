// What records of Polar claim about a key, read without any suspicion: the oracle of the tests about wrong answers.

import type { SubscriptionStatus } from '../../../../src/access/tiers/provider.ts';
import type { Plan } from '../../../../src/access/tiers/tiers.ts';

/** Records as they go over the wire. */
export interface RawRecords {
  readonly key: unknown;
  readonly grants: readonly unknown[];
  readonly subscription: unknown;
}

interface Context {
  readonly plans: Readonly<Record<string, Plan>>;
  /** Wall-clock milliseconds. */
  readonly now: number;
  readonly organization: string;
}

interface RawKey {
  readonly id: string;
  readonly organization_id: string;
  readonly customer_id: string;
  readonly customer: { readonly id: string };
  readonly benefit_id: string;
  readonly key: string;
  readonly status: string;
  readonly expires_at: string | null;
}

interface RawGrant {
  readonly benefit_id: string;
  readonly subscription_id: string;
  readonly properties: { readonly license_key_id?: string };
}

interface RawSubscription {
  readonly id: string;
  readonly product_id: string;
  readonly product: { readonly id: string; readonly organization_id: string };
  readonly status: string;
  readonly cancel_at_period_end: boolean;
  readonly current_period_end: string;
  readonly ends_at: string | null;
  readonly ended_at: string | null;
}

/** The status that the records amount to; `nothing` when they are not about one key of this organization. */
export function claimOf(records: RawRecords, context: Context): SubscriptionStatus | 'nothing' {
  const { plans, now, organization } = context;
  const key = records.key as RawKey;
  const subscription = records.subscription as RawSubscription;
  const organizations = [key.organization_id, subscription.product.organization_id];
  if (organizations.some((id) => id !== organization) || key.customer.id !== key.customer_id)
    return 'nothing';
  if (subscription.product.id !== subscription.product_id) return 'nothing';
  if (!/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(key.key)) return 'nothing';
  if (!key.key.startsWith('SERVICE-')) return { state: 'unknown' };
  const grants = records.grants as RawGrant[];
  const grant = grants.find((each) => each.properties.license_key_id === key.id);
  const isSame = grant?.subscription_id === subscription.id && grant.benefit_id === key.benefit_id;
  const isOpen = key.status === 'granted';
  if (!isSame) return isOpen ? 'nothing' : { state: 'unknown' };
  const tier = plans[subscription.product_id];
  if (tier === undefined) return { state: 'unknown' };
  const planned = subscription.cancel_at_period_end ? subscription.current_period_end : null;
  const ends = [subscription.ends_at ?? planned, subscription.ended_at, key.expires_at]
    .filter((text) => text !== null)
    .map((text) => Date.parse(text));
  const endsAt = ends.length === 0 ? null : Math.min(...ends);
  if (subscription.status === 'canceled' || (endsAt !== null && endsAt <= now)) return { state: 'expired' };
  if (isOpen) return { state: 'active', subscription: key.id, customer: key.customer_id, tier, endsAt };
  if (key.status === 'disabled') return { state: 'unknown' };
  if (subscription.status === 'past_due') return { state: 'unknown', reason: 'unpaid' };
  return subscription.status === 'paused' ? { state: 'unknown', reason: 'paused' } : { state: 'unknown' };
}
