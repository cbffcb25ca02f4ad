// Owns the SQL on codes and tokens: how they are found, exchanged and replaced, many of each in one statement.

import type { Plan } from '../../access/tiers/tiers.ts';
import type { ServerTime, Sql } from '../../postgres/client/database.ts';

/** PostgreSQL's type number of an array of bytes. */

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
  /** What the pair that replaced it was made with, in hexadecimal. */
  readonly nonce: string | null;
}

/** Tokens about to be issued, as the database reads them. Times are wall-clock milliseconds; hashes are hexadecimal. */
interface NewTokens {
  readonly accessHash: string;
  readonly refreshHash: string;
  /** Null: all that the grant holds. */
  readonly resources: readonly string[] | null;
  readonly accessExpires: number;
  readonly refreshExpires: number;
  readonly grantExpires: number;
  readonly now: number;
}

/** The codes among these hashes that are known, by hash. */
export async function findCodes(sql: Sql, hashes: readonly string[]): Promise<Map<string, CodeRow>> {
  const rows = await sql<(CodeRow & { readonly hash: string })[]>`
    select encode(c.hash, 'hex') as hash, c.challenge, c.expires_at as "expiresAt", c.used_at as "usedAt",
      g.redirect_uri as "redirectUri", ${grantFacts(sql)}
    from oauth_code c join oauth_grant g on g.id = c.grant_id where c.hash = any(${[...hashes]}::bytea[])`;
  return new Map(rows.map((row) => [row.hash, row]));
}

/** A code, and what it is shown with. */
export interface Redemption extends NewTokens {
  readonly codeHash: string;
  readonly clientId: string;
  /** Null where none was sent. */
  readonly redirectUri: string | null;
  /** Of the verifier: see pkce.ts. */
  readonly proof: string;
  /** Milliseconds from consent after which nothing issued from it is good; null: no such bound. */
  readonly longest: number | null;
}

/** A code that was taken, and the grant that it was issued from. */
export type Redeemed = Omit<GrantFacts, 'clientId' | 'tier' | 'revokedAt'>;

/**
 * Judges codes, takes those that pass and writes their tokens, which row locks make exact among all processes. Gives them
 * by their places, from 1; who is missing was refused, and took nothing.
 */
export async function redeemCodes(
  sql: Sql,
  all: readonly Redemption[],
  deadline: ServerTime,
): Promise<Map<number, Redeemed>> {
  const rows = await sql<(Redeemed & { readonly place: number })[]>`
    select place, "grant", scope, resources, subscription, created_at as "createdAt"
    from oauth_redeem_all(${JSON.stringify(all)}) where require_before(${deadline})`;
  return new Map(rows.map(({ place, ...redeemed }) => [place, redeemed]));
}

/** The refresh tokens among these hashes that are known, by hash. */
export async function findRefreshTokens(
  sql: Sql,
  hashes: readonly string[],
): Promise<Map<string, RefreshRow>> {
  const rows = await sql<(RefreshRow & { readonly hash: string })[]>`
    select encode(r.hash, 'hex') as hash, r.expires_at as "expiresAt", r.rotated_at as "rotatedAt",
      encode(r.successor, 'hex') as nonce, ${grantFacts(sql)}
    from oauth_refresh_token r join oauth_grant g on g.id = r.grant_id
    where r.hash = any(${[...hashes]}::bytea[])`;
  return new Map(rows.map((row) => [row.hash, row]));
}

export interface Rotation extends NewTokens {
  readonly presentedHash: string;
  /** What the new pair is made with: hexadecimal. */
  readonly nonce: string;
  /** Null: that of the subscription, as this database knows it; it has to be in force then. */
  readonly tier: Plan | null;
  /** Parted by spaces; null: all that the grant holds. */
  readonly scope: string | null;
  /** A grant whose dates are older than this is renewed too. */
  readonly renewBefore: number;
}

/**
 * Replaces refresh tokens, which row locks make exact among all processes. Gives the places, from 1, of those that had not
 * been replaced already, have not expired, and whose grant and subscription go on.
 */
export async function rotateTokens(
  sql: Sql,
  all: readonly Rotation[],
  deadline: ServerTime,
): Promise<readonly number[]> {
  const [row] = await sql<{ done: number[] }[]>`
    select done from oauth_rotate_all(${JSON.stringify(all)}) as done where require_before(${deadline})`;
  return row?.done ?? [];
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
  refreshHash: string,
  accessHash: string,
): Promise<SuccessorRow | undefined> {
  const [row] = await sql<SuccessorRow[]>`
    select r.rotated_at is not null as rotated, a.scope, a.expires_at as "accessExpires"
    from oauth_refresh_token r left join oauth_access_token a on a.hash = decode(${accessHash}, 'hex')
    where r.hash = decode(${refreshHash}, 'hex')`;
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
export async function findAccessToken(sql: Sql, hash: string): Promise<AccessRow | undefined> {
  const [row] = await sql<AccessRow[]>`
    select g.id as grant, a.tier, coalesce(a.scope, g.scope) as scope, coalesce(a.resources, g.resources) as resources,
      g.subscription, g.address_hash as "addressHash", g.client_id as "clientId", a.expires_at as "expiresAt",
      g.revoked_at as "revokedAt"
    from oauth_access_token a join oauth_grant g on g.id = a.grant_id where a.hash = decode(${hash}, 'hex')`;
  return row;
}

function grantFacts(sql: Sql) {
  return sql`g.id as grant, g.client_id as "clientId", g.scope, g.resources, g.tier, g.subscription,
    g.created_at as "createdAt", g.revoked_at as "revokedAt"`;
}
