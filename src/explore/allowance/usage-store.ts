// SQL of what callers of the explorer see in a day, the count that all processes share.

import type { Sql } from '../../postgres/client/database.ts';

/** What is counted by the day. */
export type DayKind = 'pins' | 'homes';

export interface DayRequest {
  readonly account: string;
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly kind: DayKind;
  /** How many a day allows. */
  readonly quota: number;
  /** Size of the block; what is left of the day where that is less. */
  readonly block: number;
}

/** Leases a block in one statement, so that the sum of all processes never passes the quota; 0: nothing is left. */
export async function leaseDay(sql: Sql, { account, day, kind, quota, block }: DayRequest): Promise<number> {
  const [lease] = await sql<{ block: number }[]>`
    insert into explorer_usage as u (account, day, kind, used, lease_size)
    values (${account}, ${day}::date, ${kind}, ${Math.min(block, quota)}, ${Math.min(block, quota)})
    on conflict (account, day, kind) do update set
      used = u.used + least(${block}, ${quota} - u.used), lease_size = least(${block}, ${quota} - u.used)
    where u.used < ${quota}
    returning lease_size as block`;
  return lease?.block ?? 0;
}

/** Returns what was leased and not shown. */
export async function returnDay(
  sql: Sql,
  { account, day, kind }: Pick<DayRequest, 'account' | 'day' | 'kind'>,
  unspent: number,
): Promise<void> {
  await sql`
    update explorer_usage set used = greatest(used - ${unspent}, 0)
    where account = ${account} and day = ${day}::date and kind = ${kind}`;
}

export async function deleteOldDays(sql: Sql, day: string): Promise<void> {
  await sql`delete from explorer_usage where day < ${day}::date`;
}
