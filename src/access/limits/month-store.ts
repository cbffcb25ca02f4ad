// SQL of the monthly counts that all processes share.

import type { Sql } from '../../postgres/client/database.ts';

export interface BlockClaim {
  /** Whose count. */
  readonly account: string;
  /** The month's first day, YYYY-MM-DD. */
  readonly month: string;
  /** Requests that the month allows. */
  readonly quota: number;
  /** The most to take at once. */
  readonly second: number;
}

/**
 * Takes a block of requests from the month's count in one statement: the row's lock makes every process see what the
 * others took, so the sum never passes the quota. Gives the month's new total too; undefined when nothing is left.
 */
export async function takeBlock(
  sql: Sql,
  { account, month, quota, second }: BlockClaim,
): Promise<{ readonly used: number; readonly block: number } | undefined> {
  const [taken] = await sql<{ used: number; block: number }[]>`
    insert into monthly_usage as u (account, month, used, lease_size)
    values (${account}, ${month}::date, quota_lease_size(${quota}, ${second}), quota_lease_size(${quota}, ${second}))
    on conflict (account, month) do update set
      used = u.used + quota_lease_size(${quota} - u.used, ${second}),
      lease_size = quota_lease_size(${quota} - u.used, ${second})
    where u.used < ${quota}
    returning used, lease_size as block`;
  return taken;
}

/** Gives requests back that were taken but not spent. */
export async function returnUnspent(
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

/** Requests counted in a month so far, blocks that are taken but not yet spent included. */
export async function readUsed(sql: Sql, account: string, month: string): Promise<number> {
  const [row] = await sql<{ used: number }[]>`
    select used from monthly_usage where account = ${account} and month = ${month}::date`;
  return row?.used ?? 0;
}

/** Forgets the counts of months before this one. */
export async function deleteOldMonths(sql: Sql, month: string): Promise<void> {
  await sql`delete from monthly_usage where month < ${month}::date`;
}
