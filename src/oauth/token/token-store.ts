// SQL of codes and tokens: find, exchange and replace them. Concurrent calls share statements.
//
// The SQL functions oauth_redeem and oauth_rotate alone decide the state of a code or token (used, replaced, expired, ended):
// they lock its row, for all processes. The state that is read first only spares work that would be in vain. TypeScript alone,
// in grant-types, decides what a request may ask for (client, redirect, PKCE, scope, resource, subscription).

import type { Plan } from '../../access/tiers/tiers.ts';
import type { Clock } from '../../lib/clock.ts';
import { batch } from '../../postgres/client/batch.ts';
import type { Database, ServerTime, Sql } from '../../postgres/client/database.ts';

/** All throw DATABASE_UNAVAILABLE, and then have changed nothing unless the connection broke. Hashes are hexadecimal. */
export interface TokenStore {
  findCode(hash: string): Promise<CodeRow | undefined>;
  redeemCode(redemption: Redemption): Promise<RedemptionOutcome>;
  findRefreshToken(hash: string): Promise<RefreshTokenRow | undefined>;
  rotateRefreshToken(rotation: Rotation): Promise<RotationResult>;
}

/** The best plan of each statement is by key, whatever the values. */
const ONCE = { planned: 'once' } as const;

export function createTokenStore(database: Database, clock: Clock): TokenStore {
  const now = () => new Date(clock.now());
  return {
    findCode: batch((hashes) => database.read((sql) => findCodes(sql, hashes, now()), ONCE)),
    redeemCode: batch((all) =>
      database.writeByDeadline((sql, deadline) => redeemCodes(sql, all, deadline), ONCE),
    ),
    findRefreshToken: batch((hashes) => database.read((sql) => findRefreshTokens(sql, hashes, now()), ONCE)),
    rotateRefreshToken: batch((all) =>
      database.writeByDeadline((sql, deadline) => rotateRefreshTokens(sql, all, deadline), ONCE),
    ),
  };
}

/** The grant that a code or token belongs to. */
export interface TokenGrant {
  readonly grant: number;
  readonly clientId: string;
  /** Separated by spaces. */
  readonly scope: string;
  readonly resources: readonly string[];
  /** The provider's reference; null: the Free tier without a key. */
  readonly subscription: string | null;
  readonly customer: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
}

export interface CodeRow extends TokenGrant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly state: 'current' | 'used' | 'expired' | 'ended';
}

export interface RefreshTokenRow extends TokenGrant {
  readonly redirectUri: string;
  /** As the client calls itself; null where that is not known, or no longer. */
  readonly clientName: string | null;
  /** In hexadecimal. */
  readonly nonce: string;
  readonly state: 'current' | 'replaced' | 'expired' | 'ended';
}

/** A token pair to store in exchange for a code or a refresh token. Hashes are hexadecimal. */
interface NewTokens {
  readonly presentedHash: string;
  readonly grant: number;
  readonly accessHash: string;
  readonly refreshHash: string;
  /** Null: all of the grant. */
  readonly resources: readonly string[] | null;
  readonly accessExpires: Date;
  readonly refreshExpires: Date;
  readonly grantExpires: Date;
  readonly now: Date;
}

/** The codes of these hashes, in the same order. */
async function findCodes(
  sql: Sql,
  hashes: readonly string[],
  now: Date,
): Promise<readonly (CodeRow | undefined)[]> {
  const rows = await sql<(CodeRow & { readonly hash: string })[]>`
    select encode(c.hash, 'hex') as hash, ${grantColumns(sql)}, g.redirect_uri as "redirectUri", c.challenge,
      oauth_code_state(c.used_at, c.expires_at, g.revoked_at, ${now}) as state
    from oauth_code c join oauth_grant g on g.id = c.grant_id
    where c.hash = any(${[...hashes]}::bytea[])`;
  return inOrder(hashes, rows);
}

export type Redemption = NewTokens;
export type RedemptionOutcome = 'redeemed' | 'used' | 'expired' | 'ended' | 'unknown';

/**
 * Marks valid codes as used and stores their tokens; outcomes in the same order. Grants are locked in the order of their ids,
 * as everywhere, so that no two statements deadlock.
 */
async function redeemCodes(
  sql: Sql,
  redemptions: readonly Redemption[],
  deadline: ServerTime,
): Promise<readonly RedemptionOutcome[]> {
  const rows = await sql<{ readonly outcome: RedemptionOutcome }[]>`
    select outcome
    from (
      select * from rows from (json_to_recordset(${JSON.stringify(redemptions)}::text::json) as (${newTokenColumns(sql)}))
        with ordinality order by "grant"
    ) t, oauth_redeem(${newTokenArguments(sql)}) as outcome
    where require_before(${deadline}) order by t.ordinality`;
  return rows.map(({ outcome }) => outcome);
}

/** The refresh tokens of these hashes, in the same order. */
async function findRefreshTokens(
  sql: Sql,
  hashes: readonly string[],
  now: Date,
): Promise<readonly (RefreshTokenRow | undefined)[]> {
  const rows = await sql<(RefreshTokenRow & { readonly hash: string })[]>`
    select encode(r.hash, 'hex') as hash, ${grantColumns(sql)}, g.redirect_uri as "redirectUri",
      coalesce(c.name, d.client_name) as "clientName", encode(r.nonce, 'hex') as nonce,
      oauth_refresh_token_state(r.rotated_at, r.expires_at, g.revoked_at, ${now}) as state
    from oauth_refresh_token r join oauth_grant g on g.id = r.grant_id
      left join oauth_client c on c.id = g.client_id left join oauth_client_document d on d.url = g.client_id
    where r.hash = any(${[...hashes]}::bytea[])`;
  return inOrder(hashes, rows);
}

function inOrder<Row extends { readonly hash: string }>(hashes: readonly string[], rows: readonly Row[]) {
  const byHash = new Map(rows.map((row) => [row.hash, row]));
  return hashes.map((hash) => byHash.get(hash));
}

export interface Rotation extends NewTokens {
  /** Null only for a token that was replaced before. */
  readonly tier: Plan | null;
  /** Separated by spaces; null: all of the grant. */
  readonly scope: string | null;
  /** A token that was replaced later still returns the same pair. */
  readonly graceStart: Date;
  /** The grant is renewed too if it was last renewed before. */
  readonly renewBefore: Date;
}

export type RotationResult =
  | {
      /** `repeated`: the same pair again, within the grace period. */
      readonly outcome: 'rotated' | 'repeated';
      /** Of the issued access token; null: all of the grant. */
      readonly scope: string | null;
      /** RFC 3339; null: revoked. */
      readonly accessExpires: string | null;
    }
  | { readonly outcome: 'reused' | 'expired' | 'ended' | 'unknown' };

/** Replaces valid refresh tokens; results in the same order. */
async function rotateRefreshTokens(
  sql: Sql,
  rotations: readonly Rotation[],
  deadline: ServerTime,
): Promise<readonly RotationResult[]> {
  return sql<RotationResult[]>`
    select outcome, issued_scope as scope, issued_expires as "accessExpires"
    from (
      select * from rows from (json_to_recordset(${JSON.stringify(rotations)}::text::json) as (${newTokenColumns(sql)},
          tier text, scope text, "graceStart" timestamptz, "renewBefore" timestamptz))
        with ordinality order by "grant"
    ) t, oauth_rotate(${newTokenArguments(sql)}, access_tier => t.tier, access_scope => t.scope,
        grace_start => t."graceStart", renew_before => t."renewBefore")
    where require_before(${deadline}) order by t.ordinality`;
}

/** Members of NewTokens as columns. */
function newTokenColumns(sql: Sql) {
  return sql`"presentedHash" text, "grant" bigint, "accessHash" text, "refreshHash" text, resources text[],
    "accessExpires" timestamptz, "refreshExpires" timestamptz, "grantExpires" timestamptz, now timestamptz`;
}

function newTokenArguments(sql: Sql) {
  return sql`presented => decode(t."presentedHash", 'hex'), at => t.now,
    access_hash => decode(t."accessHash", 'hex'), access_expires => t."accessExpires",
    refresh_hash => decode(t."refreshHash", 'hex'), refresh_expires => t."refreshExpires",
    access_resources => t.resources, grant_expires => t."grantExpires"`;
}

export interface AccessTokenRow {
  readonly grant: number;
  readonly clientId: string;
  readonly tier: Plan;
  readonly scope: string;
  readonly resources: readonly string[];
  readonly subscription: string | null;
  readonly customer: string | null;
  readonly addressHash: Buffer | null;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

/** An access token, valid or not. */
export async function findAccessToken(sql: Sql, hash: string): Promise<AccessTokenRow | undefined> {
  const [row] = await sql<AccessTokenRow[]>`
    select g.id as grant, g.client_id as "clientId", a.tier, coalesce(a.scope, g.scope) as scope, coalesce(a.resources, g.resources) as resources,
      g.subscription, g.customer, g.address_hash as "addressHash", a.expires_at as "expiresAt", g.revoked_at as "revokedAt"
    from oauth_access_token a join oauth_grant g on g.id = a.grant_id where a.hash = decode(${hash}, 'hex')`;
  return row;
}

function grantColumns(sql: Sql) {
  return sql`g.id as grant, g.client_id as "clientId", g.scope, g.resources, g.subscription, g.customer,
    g.created_at as "createdAt"`;
}
