// SQL of grants without a key: how many are in force, and which of them make room for others.

import type { Sql } from '../../postgres/client/database.ts';
import { endGrants } from './revocation-store.ts';

/** How many of these grants are in force. */
export async function countFreeGrants(sql: Sql, now: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from oauth_grant
    where subscription is null and revoked_at is null and expires_at > ${now}`;
  return row?.count ?? 0;
}

/**
 * Ends what is above `max` in force, of one address or (null) in all, and gives the ids. The longest unused go first.
 * Those that were refreshed after the day of their consent keep up to `maxProven` places, which no number of new ones takes;
 * the rest is for new ones, which no number of proven ones takes.
 */
export async function endSurplusFreeGrants(
  sql: Sql,
  { addressHash, max, maxProven, now }: FreeGrantLimit & { readonly now: Date },
): Promise<readonly number[]> {
  const address = addressHash === null ? sql`true` : sql`address_hash = ${addressHash}`;
  // The date of renewal moves a day at a time, so a later one than that of the exchange shows use on another day.
  const surplus = sql`id in (
    select id from (
      select id, proven, least(count(*) filter (where proven) over (), ${maxProven}) as kept,
        row_number() over (partition by proven order by renewed_at desc, id desc) as place
      from (
        select id, renewed_at, renewed_at - created_at > interval '1 hour' as proven from oauth_grant
        where subscription is null and revoked_at is null and expires_at > ${now} and ${address}
      ) in_force
    ) ranked
    where place > case when proven then kept else ${max} - kept end)`;
  return endGrants(sql, surplus, now, 'crowded_out');
}

export interface FreeGrantLimit {
  /** Null: any. */
  readonly addressHash: Buffer | null;
  /** Grants in force. */
  readonly max: number;
  /** Of these, the most that can be proven ones. */
  readonly maxProven: number;
}
