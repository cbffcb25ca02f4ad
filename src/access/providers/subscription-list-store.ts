// SQL of the lists of subscriptions that operators read: their own, and those that a payment service reported, with their usage.

import type { Sql } from '../../postgres/client/database.ts';
import type { RefusalReason } from '../tiers/provider.ts';
import type { Plan } from '../tiers/tiers.ts';
import type { SubscriptionRow } from './subscription-store.ts';

/** What a subscription has used. */
export interface SubscriptionUsage {
  /** Requests of the month, those set aside by processes included; null: none, or of a plan whose month is unlimited. */
  readonly usedThisMonth: number | null;
  /** RFC 3339: when requests were last set aside, in this month or the last; null: not since then, or not counted. */
  readonly lastUsedAt: string | null;
}

export interface ListedSubscription extends SubscriptionRow, SubscriptionUsage {}

/** A subscription of a payment service, as it was last reported, or a key of it. */
export interface ListedProviderSubscription extends SubscriptionUsage {
  /** As the service names it, or the id of a key that is not paid for yet. */
  readonly id: string;
  /** Null while the subscription is not in force. */
  readonly tier: Plan | null;
  readonly customer: string | null;
  /** The key's last four characters, where this service issued it. */
  readonly keyHint: string | null;
  /** `pending`: not paid for yet. `unchecked`: nobody has asked about it. */
  readonly state: 'active' | 'expired' | 'unknown' | 'pending' | 'unchecked';
  readonly reason: RefusalReason | null;
  /** RFC 3339. */
  readonly endsAt: string | null;
  /** When the service was last asked. */
  readonly checkedAt: string | null;
}

const MAX_LISTED = 1_000;

/** The newest subscriptions first; a thousand at most. `month`: its first day, YYYY-MM-DD. */
export async function listWithUsage(sql: Sql, month: string): Promise<readonly ListedSubscription[]> {
  return sql<ListedSubscription[]>`
    select id, tier, customer, key_hint as "keyHint", label, created_at as "createdAt", ends_at as "endsAt",
      revoked_at as "revokedAt", ${usageColumns(sql)}
    from (select * from subscription order by created_at desc, id limit ${MAX_LISTED}) s
      ${usageJoins(sql, month)}
    order by created_at desc, id`;
}

/** Those asked about last first; a thousand at most. */
export async function listProviderSubscriptions(
  sql: Sql,
  provider: 'polar' | 'stripe',
  month: string,
): Promise<readonly ListedProviderSubscription[]> {
  return sql<ListedProviderSubscription[]>`
    select id, tier, customer, key_hint as "keyHint", state, reason, ends_at as "endsAt", checked_at as "checkedAt",
      ${usageColumns(sql)}
    from (
      select coalesce(v.reference, k.subscription, k.id) as id, v.tier, v.customer, k.key_hint,
        coalesce(v.state, case when k.state = 'pending' then 'pending' else 'unchecked' end) as state,
        v.reason, v.ends_at, v.checked_at
      from (select * from provider_subscription where provider = ${provider}) v
        full join (
          select id, key_hint, state, case when state = 'active' then subscription end as subscription
          from issued_key where provider = ${provider} and state <> 'ended') k
          on k.subscription = v.reference
      order by v.checked_at desc nulls last, id limit ${MAX_LISTED}
    ) s
      ${usageJoins(sql, month)}
    order by checked_at desc nulls last, id`;
}

/** The holder and plan of a subscription that a payment service reported as in force; undefined: none. */
export async function findActiveSubscription(
  sql: Sql,
  provider: 'polar' | 'stripe',
  reference: string,
): Promise<{ readonly customer: string | null; readonly tier: Plan } | undefined> {
  const [row] = await sql<{ customer: string | null; tier: Plan }[]>`
    select customer, tier from provider_subscription
    where provider = ${provider} and reference = ${reference} and state = 'active'`;
  return row;
}

function usageColumns(sql: Sql) {
  return sql`now_used.used as "usedThisMonth", coalesce(now_used.last_used_at, before.last_used_at) as "lastUsedAt"`;
}

/** The count of this month, and that of the last, which is kept. */
function usageJoins(sql: Sql, month: string) {
  return sql`
    left join monthly_usage now_used on now_used.account = 'sub:' || s.id and now_used.month = ${month}::date
    left join monthly_usage before on before.account = 'sub:' || s.id
      and before.month = (${month}::date - interval '1 month')::date`;
}
