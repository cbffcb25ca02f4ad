// SQL of monthly usage, the count that all processes share.

import type { Sql } from '../../postgres/client/database.ts';

export interface LeaseRequest {
  readonly account: string;
  /** The month's first day, YYYY-MM-DD. */
  readonly month: string;
  /** Requests that the month allows. */
  readonly quota: number;
  /** Largest block to lease at once. */
  readonly maxSize: number;
  /** When it is leased: the last use that is known. */
  readonly at: Date;
}

/**
 * Leases a block of requests of the month in one statement: the row's lock makes every process see what the others
 * leased, so the sum never passes the quota. Returns the month's new total too; undefined when nothing is left.
 */
export async function leaseQuota(
  sql: Sql,
  { account, month, quota, maxSize, at }: LeaseRequest,
): Promise<{ readonly used: number; readonly block: number } | undefined> {
  const [lease] = await sql<{ used: number; block: number }[]>`
    insert into monthly_usage as u (account, month, used, lease_size, last_used_at)
    values (${account}, ${month}::date, quota_lease_size(${quota}, ${maxSize}),
      quota_lease_size(${quota}, ${maxSize}), ${at})
    on conflict (account, month) do update set
      used = u.used + quota_lease_size(${quota} - u.used, ${maxSize}),
      lease_size = quota_lease_size(${quota} - u.used, ${maxSize}),
      last_used_at = greatest(u.last_used_at, excluded.last_used_at)
    where u.used < ${quota}
    returning used, lease_size as block`;
  return lease;
}

/** Returns requests that were leased but not spent. */
export async function returnQuota(
  sql: Sql,
  month: string,
  unspent: ReadonlyMap<string, number>,
): Promise<void> {
  await sql`
    update monthly_usage u set used = greatest(u.used - back.unspent, 0)
    from unnest(${[...unspent.keys()]}::text[],
      ${[...unspent.values()]}::int[]) as back (account, unspent)
    where u.account = back.account and u.month = ${month}::date`;
}

/** Requests counted in a month so far, leased and unspent ones included. */
export async function findUsed(sql: Sql, account: string, month: string): Promise<number> {
  const [row] = await sql<{ used: number }[]>`
    select used from monthly_usage where account = ${account} and month = ${month}::date`;
  return row?.used ?? 0;
}

/** Deletes the counts of months before this one. */
export async function deleteOldMonths(sql: Sql, month: string): Promise<void> {
  await sql`delete from monthly_usage where month < ${month}::date`;
}
