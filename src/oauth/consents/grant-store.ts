// SQL of grants: created with a code, and listed.

import type { Plan } from '../../access/tiers/tiers.ts';
import type { ServerTime, Sql } from '../../postgres/client/database.ts';
import { endGrants } from './revocation-store.ts';

interface NewGrant {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Parted by spaces. */
  readonly scope: string;
  readonly resources: readonly string[];
  readonly tier: Plan;
  readonly subscription: string | null;
  readonly addressHash: Buffer | null;
  /** In hexadecimal. */
  readonly codeHash: string;
  readonly codeChallenge: string;
  readonly createdAt: Date;
  /** When the code ends, and with it the grant if the code is never used. */
  readonly expiresAt: Date;
}

/** Writes both in one statement, notes that the client, if it registered here, is used, and gives the grant's id. */
export async function insertGrantWithCode(sql: Sql, row: NewGrant, deadline: ServerTime): Promise<number> {
  const [written] = await sql<{ id: number }[]>`
    with made as (
      insert into oauth_grant (client_id, redirect_uri, scope, resources, tier, subscription, address_hash,
        created_at, renewed_at, expires_at)
      values (${row.clientId}, ${row.redirectUri}, ${row.scope}, ${[...row.resources]}::text[],
        ${row.tier}, ${row.subscription}, ${row.addressHash}, ${row.createdAt}, ${row.createdAt}, ${row.expiresAt})
      returning id
    ), used as (
      update oauth_client set used_at = ${row.createdAt} where id = ${row.clientId} and used_at is null
    ), coded as (
      insert into oauth_code (hash, grant_id, challenge, expires_at)
      select decode(${row.codeHash}, 'hex'), id, ${row.codeChallenge}, ${row.expiresAt} from made
      returning grant_id as id
    )
    select id from coded where require_before(${deadline})`;
  if (written === undefined) throw new Error('The grant was not written');
  return written.id;
}

export interface GrantRow {
  readonly id: number;
  readonly clientId: string;
  /** As the client calls itself; null where that is not known, or no longer. */
  readonly clientName: string | null;
  readonly redirectUri: string;
  readonly scope: string;
  readonly tier: Plan;
  readonly subscription: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  /** True to the day. */
  readonly renewedAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  readonly revokedFor: string | null;
}

const LISTED = 1_000;

/** The grants of a subscription that are of use, the newest first, a thousand at most. */
export async function listGrantsOf(sql: Sql, subscription: string, now: Date): Promise<readonly GrantRow[]> {
  return sql<GrantRow[]>`
    select ${columns(sql)} where g.subscription = ${subscription} and g.revoked_at is null and g.expires_at > ${now}
    order by g.id desc limit ${LISTED}`;
}

/** All grants, ended ones included, the newest first, a thousand at most. */
export async function listGrants(sql: Sql): Promise<readonly GrantRow[]> {
  return sql<GrantRow[]>`select ${columns(sql)} order by g.id desc limit ${LISTED}`;
}

/** Columns and tables of a list. */
function columns(sql: Sql) {
  return sql`g.id, g.client_id as "clientId", coalesce(c.name, d.client_name) as "clientName",
      g.redirect_uri as "redirectUri", g.scope, g.tier, g.subscription, g.created_at as "createdAt",
      g.renewed_at as "renewedAt", g.expires_at as "expiresAt", g.revoked_at as "revokedAt", g.revoked_for as "revokedFor"
    from oauth_grant g left join oauth_client c on c.id = g.client_id
      left join oauth_client_document d on d.url = g.client_id`;
}

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
