// SQL of `freehold billing status` and `sync`: what this service remembers of the payment service.

import type { Sql } from '../postgres/client/database.ts';
import type { ProviderName } from './event-store.ts';

export interface SubscriptionSummary {
  readonly state: 'active' | 'expired' | 'unknown';
  /** Why those keys open nothing; null: no reason is known. */
  readonly reason: string | null;
  readonly count: number;
  /** Milliseconds since the request of the oldest one. */
  readonly oldest: number;
}

/** The rows of the mirror by what they say. */
export async function summarizeSubscriptions(
  sql: Sql,
  provider: ProviderName,
): Promise<readonly SubscriptionSummary[]> {
  return sql<SubscriptionSummary[]>`
    select state, reason, count(*)::int as count,
      extract(epoch from clock_timestamp() - min(checked_at))::float8 * 1000 as oldest
    from provider_subscription where provider = ${provider} group by state, reason order by state, reason nulls first`;
}

export interface IssuedKeyCounts {
  readonly active: number;
  /** Shown before their payment, which is not complete. */
  readonly pending: number;
  readonly ended: number;
}

export async function countIssuedKeys(sql: Sql, provider: ProviderName): Promise<IssuedKeyCounts> {
  const rows = await sql<{ state: keyof IssuedKeyCounts; count: number }[]>`
    select state, count(*)::int as count from issued_key where provider = ${provider} group by state`;
  return {
    active: 0,
    pending: 0,
    ended: 0,
    ...Object.fromEntries(rows.map(({ state, count }) => [state, count])),
  };
}

/** References of all rows of the mirror. */
export async function listReferences(sql: Sql, provider: ProviderName): Promise<readonly string[]> {
  const rows = await sql<{ reference: string }[]>`
    select reference from provider_subscription where provider = ${provider} order by reference`;
  return rows.map(({ reference }) => reference);
}

/** Events that are not handled. */
export async function countWaiting(sql: Sql, provider: ProviderName): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from billing_event where due_at is not null and provider = ${provider}`;
  return row?.count ?? 0;
}
