// SQL of leases: which process does the work of which shard. All times are by the clock of the database.

import type { Sql, Transaction } from '../../postgres/client/database.ts';

/** A shard that this process holds. */
export interface ShardLease {
  readonly shard: number;
  /** Grows with each new holder: what a former one writes is refused. */
  readonly fence: number;
  /** Sequence of the last change that the shard has turned into events. */
  readonly position: number;
}

export const SHARDS = 64;

/** Milliseconds. A process that stops is replaced after a lease and a renewal. */
const LEASE = 6_000;

/**
 * Renews the leases of a holder, gives back those beyond its fair part, and takes those that nobody holds. Returns what it
 * holds then.
 */
export async function renewLeases(tx: Transaction, holder: string): Promise<ShardLease[]> {
  const processes = await renewProcess(tx, holder);
  const share = Math.ceil(SHARDS / processes);
  // In the order in which events lock them: two orders would be a deadlock.
  await tx`select from watch_shard where holder = ${holder} order by shard for update`;
  const until = tx`clock_timestamp() + ${LEASE} * interval '1 millisecond'`;
  const held = await tx<ShardLease[]>`
    update watch_shard set leased_until = ${until} where holder = ${holder} returning shard, fence, position`;
  const surplus = held.toSorted((a, b) => a.shard - b.shard).slice(share);
  if (surplus.length > 0) {
    const shards = surplus.map(({ shard }) => shard);
    await tx`update watch_shard set holder = null, leased_until = null where shard = any(${shards}::int[])`;
    return held.filter(({ shard }) => !shards.includes(shard));
  }
  if (held.length === share) return held;
  const taken = await tx<ShardLease[]>`
    update watch_shard set holder = ${holder}, fence = fence + 1, leased_until = ${until}
    where shard in (select shard from watch_shard where holder is null or leased_until < clock_timestamp()
      order by shard limit ${share - held.length} for update skip locked)
    returning shard, fence, position`;
  return [...held, ...taken];
}

/** The number of live processes, this one included. */
async function renewProcess(tx: Sql, holder: string): Promise<number> {
  await tx`
    insert into watch_process (holder, live_until) values (${holder}, clock_timestamp() + ${LEASE} * interval '1 millisecond')
    on conflict (holder) do update set live_until = excluded.live_until`;
  await tx`delete from watch_process where live_until < clock_timestamp() - interval '1 minute'`;
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int from watch_process where live_until > clock_timestamp()`;
  return Math.max(1, row?.count ?? 1);
}

/** Gives everything back at once, so that others need not wait for the leases to end. */
export async function releaseLeases(tx: Transaction, holder: string): Promise<void> {
  await tx`select from watch_shard where holder = ${holder} order by shard for update`;
  await tx`update watch_shard set holder = null, leased_until = null where holder = ${holder}`;
  await tx`delete from watch_process where holder = ${holder}`;
}

/** The leases of these shards as they stand now, whoever holds them. */
export function findLeases(sql: Sql, shards: readonly number[]): Promise<ShardLease[]> {
  return sql<ShardLease[]>`
    select shard, fence, position from watch_shard where shard = any(${[...shards]}::int[])`;
}
