// Owns the SQL on codes and tokens: how they are found, exchanged and replaced, each exchange in one statement.

import type { Plan } from '../access/tiers.ts';
import type { Sql } from '../postgres/database.ts';

const TEXT_ARRAY = 1009;

/** What every row of a family leads to. */
export interface GrantFacts {
  readonly grant: number;
  readonly clientId: string;
  /** Parted by spaces. */
  readonly scope: string;
  readonly resources: readonly string[];
  readonly tier: Plan;
  readonly subscription: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

export interface CodeRow extends GrantFacts {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly expiresAt: string;
  readonly usedAt: string | null;
}

export interface RefreshRow extends GrantFacts {
  readonly expiresAt: string;
  readonly rotatedAt: string | null;
  readonly successor: Buffer | null;
}

/** Tokens about to be issued. Where scope or resources are null, they are the grant's. */
export interface NewTokens {
  readonly accessHash: Buffer;
  readonly refreshHash: Buffer;
  readonly scope: string | null;
  readonly resources: readonly string[] | null;
  readonly accessExpires: Date;
  readonly refreshExpires: Date;
  readonly grantExpires: Date;
  readonly now: Date;
}

export async function findCode(sql: Sql, hash: Buffer): Promise<CodeRow | undefined> {
  const [row] = await sql<CodeRow[]>`
    select c.challenge, c.expires_at as "expiresAt", c.used_at as "usedAt", g.redirect_uri as "redirectUri",
      ${grantFacts(sql)}
    from oauth_code c join oauth_grant g on g.id = c.grant_id where c.hash = ${hash}`;
  return row;
}

/** Takes the code and writes its tokens; false when somebody else took it, or its grant has ended. */
export async function redeemCode(sql: Sql, codeHash: Buffer, tokens: NewTokens): Promise<boolean> {
  const rows = await sql`
    with claimed as (
      update oauth_code c set used_at = ${tokens.now}
      where c.hash = ${codeHash} and c.used_at is null and c.expires_at > ${tokens.now}
        and exists (select from oauth_grant g where g.id = c.grant_id and g.revoked_at is null)
      returning c.grant_id
    ), refresh as (
      insert into oauth_refresh_token (hash, grant_id, expires_at)
      select ${tokens.refreshHash}, grant_id, ${tokens.refreshExpires} from claimed
    ), access as (
      insert into oauth_access_token (hash, grant_id, expires_at, tier, scope, resources)
      select ${tokens.accessHash}, grant_id, ${tokens.accessExpires}, g.tier, ${tokens.scope}, ${texts(sql, tokens.resources)}
      from claimed join oauth_grant g on g.id = grant_id
    ), kept as (
      update oauth_grant g set renewed_at = ${tokens.now}, expires_at = ${tokens.grantExpires}
      from claimed where g.id = claimed.grant_id
    )
    select grant_id from claimed`;
  return rows.length > 0;
}

export async function findRefreshToken(sql: Sql, hash: Buffer): Promise<RefreshRow | undefined> {
  const [row] = await sql<RefreshRow[]>`
    select r.expires_at as "expiresAt", r.rotated_at as "rotatedAt", r.successor, ${grantFacts(sql)}
    from oauth_refresh_token r join oauth_grant g on g.id = r.grant_id where r.hash = ${hash}`;
  return row;
}

export interface Rotation extends NewTokens {
  readonly presentedHash: Buffer;
  /** The new pair, sealed for the holder of the old token. */
  readonly successor: Buffer;
  readonly tier: Plan;
  /** A grant whose dates are older than this is renewed too. */
  readonly renewBefore: Date;
}

/**
 * Replaces a refresh token in one statement, which row locks make exact among all processes: false when it had been
 * replaced already, has expired, or its grant has ended.
 */
export async function rotate(sql: Sql, rotation: Rotation): Promise<boolean> {
  const [row] = await sql<{ rotated: boolean }[]>`
    select oauth_rotate(${rotation.presentedHash}, ${rotation.now}, ${rotation.successor},
      ${rotation.refreshHash}, ${rotation.refreshExpires}, ${rotation.accessHash}, ${rotation.accessExpires},
      ${rotation.tier}, ${rotation.scope}, ${texts(sql, rotation.resources)},
      ${rotation.renewBefore}, ${rotation.grantExpires}) as rotated`;
  return row?.rotated === true;
}

/** What became of the pair that replaced a refresh token. */
export interface SuccessorRow {
  readonly rotated: boolean;
  /** The access token's; null where it holds all of its grant, or is gone. */
  readonly scope: string | null;
  /** The access token's; null where it is gone. */
  readonly accessExpires: string | null;
}

export async function findSuccessor(
  sql: Sql,
  refreshHash: Buffer,
  accessHash: Buffer,
): Promise<SuccessorRow | undefined> {
  const [row] = await sql<SuccessorRow[]>`
    select r.rotated_at is not null as rotated, a.scope, a.expires_at as "accessExpires"
    from oauth_refresh_token r left join oauth_access_token a on a.hash = ${accessHash}
    where r.hash = ${refreshHash}`;
  return row;
}

export interface AccessRow {
  readonly grant: number;
  readonly tier: Plan;
  readonly scope: string;
  readonly resources: readonly string[];
  readonly subscription: string | null;
  readonly addressHash: Buffer | null;
  readonly clientId: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

/** An access token with what it holds, whether or not it is still good. */
export async function findAccessToken(sql: Sql, hash: Buffer): Promise<AccessRow | undefined> {
  const [row] = await sql<AccessRow[]>`
    select g.id as grant, a.tier, coalesce(a.scope, g.scope) as scope, coalesce(a.resources, g.resources) as resources,
      g.subscription, g.address_hash as "addressHash", g.client_id as "clientId", a.expires_at as "expiresAt",
      g.revoked_at as "revokedAt"
    from oauth_access_token a join oauth_grant g on g.id = a.grant_id where a.hash = ${hash}`;
  return row;
}

function grantFacts(sql: Sql) {
  return sql`g.id as grant, g.client_id as "clientId", g.scope, g.resources, g.tier, g.subscription,
    g.created_at as "createdAt", g.revoked_at as "revokedAt"`;
}

function texts(sql: Sql, list: readonly string[] | null) {
  return list === null ? null : sql.array([...list], TEXT_ARRAY);
}
