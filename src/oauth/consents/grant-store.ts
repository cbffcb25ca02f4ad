// SQL of grants: created, listed, and revoked with a notification to every process.

import type { Plan } from '../../access/tiers/tiers.ts';
import type { ServerTime, Sql, SqlFragment } from '../../postgres/client/database.ts';
import type { RevocationReason } from '../protocol/audit.ts';
import type { Revocation } from '../protocol/context.ts';

export interface NewGrant {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Separated by spaces. */
  readonly scope: string;
  readonly resources: readonly string[];
  readonly tier: Plan;
  /** The provider's reference; null: the Free tier without a key. */
  readonly subscription: string | null;
  /** Of the subscription; null where the provider does not know it. */
  readonly customer: string | null;
  /** Digest of the consenting address's group; null with a subscription. */
  readonly addressHash: Buffer | null;
  /** In hexadecimal. */
  readonly codeHash: string;
  /** 43 characters: base64url of the SHA-256 of the verifier. */
  readonly codeChallenge: string;
  readonly createdAt: Date;
  /** When the code expires, and with it the grant if the code is never used. */
  readonly expiresAt: Date;
}

/** Inserts a grant with its code, marks a registered client as used, and returns the grant's id. */
export async function insertGrantWithCode(sql: Sql, row: NewGrant, deadline: ServerTime): Promise<number> {
  const [inserted] = await sql<{ id: number }[]>`
    with made as (
      insert into oauth_grant (client_id, redirect_uri, scope, resources, tier, subscription, customer,
        address_hash, created_at, renewed_at, expires_at)
      values (${row.clientId}, ${row.redirectUri}, ${row.scope}, ${[...row.resources]}::text[],
        ${row.tier}, ${row.subscription}, ${row.customer}, ${row.addressHash}, ${row.createdAt}, ${row.createdAt}, ${row.expiresAt})
      returning id
    ), used as (
      update oauth_client set used_at = ${row.createdAt} where id = ${row.clientId} and used_at is null
    ), coded as (
      insert into oauth_code (hash, grant_id, challenge, expires_at)
      select decode(${row.codeHash}, 'hex'), id, ${row.codeChallenge}, ${row.expiresAt} from made
      returning grant_id as id
    )
    select id from coded where require_before(${deadline})`;
  if (inserted === undefined) throw new Error('The grant was not written');
  return inserted.id;
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
  /** Exact to the day. */
  readonly renewedAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  readonly revokedFor: string | null;
}

const MAX_LISTED = 1_000;

/** Active grants of a subscription, the newest first, at most a thousand. */
export async function listGrantsOf(sql: Sql, subscription: string, now: Date): Promise<readonly GrantRow[]> {
  return sql<GrantRow[]>`
    select ${columns(sql)} where g.subscription = ${subscription} and g.revoked_at is null and g.expires_at > ${now}
    order by g.id desc limit ${MAX_LISTED}`;
}

/** How many grants of a subscription are active. */
export async function countGrantsOf(sql: Sql, subscription: string, now: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from oauth_grant
    where subscription = ${subscription} and revoked_at is null and expires_at > ${now}`;
  return row?.count ?? 0;
}

/** All grants, also revoked and expired ones, the newest first, at most a thousand. */
export async function listGrants(sql: Sql): Promise<readonly GrantRow[]> {
  return sql<GrantRow[]>`select ${columns(sql)} order by g.id desc limit ${MAX_LISTED}`;
}

/** Columns and tables of a list. */
function columns(sql: Sql) {
  return sql`g.id, g.client_id as "clientId", coalesce(c.name, d.client_name) as "clientName",
      g.redirect_uri as "redirectUri", g.scope, g.tier, g.subscription, g.created_at as "createdAt",
      g.renewed_at as "renewedAt", g.expires_at as "expiresAt", g.revoked_at as "revokedAt", g.revoked_for as "revokedFor"
    from oauth_grant g left join oauth_client c on c.id = g.client_id
      left join oauth_client_document d on d.url = g.client_id`;
}

/** State of a grant at a time; `ended` when it has expired or is deleted. */
export async function findGrantState(
  sql: Sql,
  grant: number,
  now: Date,
): Promise<'active' | 'ended' | 'revoked'> {
  const [row] = await sql<{ revoked: boolean; expired: boolean }[]>`
    select revoked_at is not null as revoked, expires_at <= ${now} as expired from oauth_grant where id = ${grant}`;
  if (row?.revoked) return 'revoked';
  return row === undefined || row.expired ? 'ended' : 'active';
}

/** Revokes a grant with all its tokens; false if it was revoked before, or does not exist. */
export async function revokeGrant(
  sql: Sql,
  grant: number,
  now: Date,
  reason: RevocationReason,
): Promise<boolean> {
  return (await revokeGrants(sql, sql`id = ${grant}`, now, reason)).length > 0;
}

/** The same for a grant of this subscription only. */
export async function revokeGrantOf(
  sql: Sql,
  subscription: string,
  grant: number,
  now: Date,
): Promise<boolean> {
  const condition = sql`id = ${grant} and subscription = ${subscription}`;
  return (await revokeGrants(sql, condition, now, 'owner_request')).length > 0;
}

/** Revokes all grants of a client, and returns their ids. */
export function revokeGrantsOfClient(sql: Sql, clientId: string, now: Date): Promise<readonly number[]> {
  return revokeGrants(sql, sql`client_id = ${clientId}`, now, 'client_revoked');
}

/** Revokes all grants of a subscription, whose key was replaced, and returns their ids. */
export function revokeGrantsOfSubscription(
  sql: Sql,
  subscription: string,
  now: Date,
): Promise<readonly number[]> {
  return revokeGrants(sql, sql`subscription = ${subscription}`, now, 'key_replaced');
}

/** Sets the customer of a grant's subscription. */
export async function setGrantCustomer(sql: Sql, grant: number, customer: string | null): Promise<void> {
  await sql`update oauth_grant set customer = ${customer} where id = ${grant}`;
}

/**
 * Says whether an active watcher depends on a grant without a key: it is then not unused. False if the grant is not in force.
 * Locks the grant, so that none ends while the transaction creates its watcher.
 */
export async function setGrantWatched(
  sql: Sql,
  grant: string,
  watched: boolean,
  now: Date,
): Promise<boolean> {
  const rows = await sql`
    update oauth_grant set watched = ${watched}
    where id = ${Number(grant)} and subscription is null and revoked_at is null and expires_at > ${now} returning id`;
  return rows.length > 0;
}

/** How many grants without a key are active. */
export async function countFreeGrants(sql: Sql, now: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from oauth_grant
    where subscription is null and revoked_at is null and expires_at > ${now}`;
  return row?.count ?? 0;
}

export interface FreeGrantLimit {
  /** Null: of all addresses. */
  readonly addressHash: Buffer | null;
  /** Active grants. */
  readonly max: number;
  /** How many of these can be proven ones: watched, or refreshed after the day of their consent. */
  readonly maxProven: number;
}

/**
 * Revokes active grants without a key beyond `max`, those unused for longest first, and returns their ids; a watched one is
 * in use. Proven grants keep up to `maxProven` places that no number of new ones takes; the rest is for new ones, which no number of proven ones takes.
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
        row_number() over (partition by proven order by watched desc, renewed_at desc, id desc) as place
      from (
        select id, watched, renewed_at, watched or renewed_at - created_at > interval '1 hour' as proven from oauth_grant
        where subscription is null and revoked_at is null and expires_at > ${now} and ${address}
      ) in_force
    ) ranked
    where place > case when proven then kept else ${max} - kept end)`;
  return revokeGrants(sql, surplus, now, 'crowded_out');
}

/** Notified of every revocation, with a `Revocation` as payload. */
export const REVOCATIONS_CHANNEL = 'oauth_revocations';

/** Rows are locked in the order of their ids, as everywhere, so that no two statements deadlock. */
async function revokeGrants(
  sql: Sql,
  condition: SqlFragment,
  now: Date,
  reason: RevocationReason,
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    with ended as (
      update oauth_grant set revoked_at = ${now}, revoked_for = ${reason}
      where id in (select id from oauth_grant where ${condition} and revoked_at is null order by id for update)
      returning id
    ), kept as (
      insert into oauth_revocation (grant_id) select id from ended
    )
    select id, pg_notify(${REVOCATIONS_CHANNEL}, 'grant:' || id) from ended`;
  return rows.map(({ id }) => id);
}

/** Deletes an access token of this client; false if there is none. */
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
  /** The database's time: `since` of the next call. */
  readonly at: string;
  readonly revocations: readonly Revocation[];
}

/**
 * Revocations since an earlier call, and from the minute before it: a revocation is visible only once it is committed, later
 * than its time says. None without an earlier call.
 */
export async function readRevocations(sql: Sql, since: string | null): Promise<RecentRevocations> {
  const [row] = await sql<{ at: string; revocations: string[] | null }[]>`
    select clock_timestamp() as at, (
      select array_agg(coalesce('grant:' || grant_id, 'token:' || encode(token_hash, 'hex')))
      from oauth_revocation where at > ${since}::timestamptz - interval '1 minute'
    ) as revocations`;
  if (row === undefined) throw new Error('The database returned no time');
  return { at: row.at, revocations: row.revocations ?? [] };
}
