// SQL that ends grants and tokens, and notifies every process.

import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import type { RevocationReason } from '../protocol/audit.ts';

/** Every revocation is told here, by the payload that it has in RevocationNote. */
export const REVOCATIONS_CHANNEL = 'oauth_revocations';

/** `grant:17`, or `token:` and the hash in hexadecimal; `*`: anything may have been. */
export type Revocation = string;

export const ANY_REVOCATION: Revocation = '*';

/** Ends a grant and with it all its tokens; false when it had ended, or is none. */
export async function revokeGrant(
  sql: Sql,
  grant: number,
  now: Date,
  reason: RevocationReason,
): Promise<boolean> {
  return (await endGrants(sql, sql`id = ${grant}`, now, reason)).length > 0;
}

/** Ends one grant of a subscription; false when the subscription has no such grant that could end. */
export async function revokeGrantOf(
  sql: Sql,
  subscription: string,
  grant: number,
  now: Date,
): Promise<boolean> {
  const which = sql`id = ${grant} and subscription = ${subscription}`;
  return (await endGrants(sql, which, now, 'owner_request')).length > 0;
}

/** Ends all grants of a client, and gives their ids. */
export async function revokeGrantsOfClient(
  sql: Sql,
  clientId: string,
  now: Date,
): Promise<readonly number[]> {
  return endGrants(sql, sql`client_id = ${clientId}`, now, 'client_revoked');
}

/** Ends these grants, and gives their ids. They are taken in that order, as by everybody who takes several: nobody then waits for whom they hold up. */
export async function endGrants(
  sql: Sql,
  which: SqlFragment,
  now: Date,
  reason: RevocationReason,
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    with ended as (
      update oauth_grant set revoked_at = ${now}, revoked_for = ${reason}
      where id in (select id from oauth_grant where ${which} and revoked_at is null order by id for update)
      returning id
    ), kept as (
      insert into oauth_revocation (grant_id) select id from ended
    )
    select id, pg_notify(${REVOCATIONS_CHANNEL}, 'grant:' || id) from ended`;
  return rows.map(({ id }) => id);
}

/** Ends one access token, of this client alone; false when there is none. */
export async function revokeAccessToken(sql: Sql, hash: string, clientId: string): Promise<boolean> {
  const rows = await sql`
    with ended as (
      delete from oauth_access_token a using oauth_grant g
      where a.hash = decode(${hash}, 'hex') and g.id = a.grant_id and g.client_id = ${clientId} returning a.hash
    ), kept as (
      insert into oauth_revocation (token_hash) select hash from ended
    )
    select pg_notify(${REVOCATIONS_CHANNEL}, 'token:' || encode(hash, 'hex')) from ended`;
  return rows.length > 0;
}

export interface RecentRevocations {
  /** The database's time, to be given back at the next look. */
  readonly at: string;
  readonly notes: readonly Revocation[];
}

/**
 * What was revoked since an earlier look, or from a minute before it: a revocation is seen when it is committed, which
 * may be later than its time says. Without an earlier look only the time is told.
 */
export async function readRevocations(sql: Sql, since: string | null): Promise<RecentRevocations> {
  const [row] = await sql<{ at: string; notes: string[] | null }[]>`
    select clock_timestamp() as at, (
      select array_agg(coalesce('grant:' || grant_id, 'token:' || encode(token_hash, 'hex')))
      from oauth_revocation where at > ${since}::timestamptz - interval '1 minute'
    ) as notes`;
  if (row === undefined) throw new Error('The database told no time');
  return { at: row.at, notes: row.notes ?? [] };
}
