// SQL of the sweeper: deletes expired rows, a few at once, so that nobody waits for it.

import type { Sql } from '../../postgres/client/database.ts';

/** Takes away up to `max` rows, and gives how many there were. Rows that somebody works on are left for later. */
export type Sweep = (sql: Sql, now: Date, max: number) => Promise<number>;

/** A used code shows a second use until the access token made from it has expired: at most 65 minutes after its issue. */
const sweepCodes: Sweep = async (sql, now, max) =>
  counted(
    await sql`
    delete from oauth_code where hash in (
      select hash from oauth_code where expires_at <= ${now}::timestamptz - interval '1 hour'
      order by expires_at limit ${max} for update skip locked)`,
  );

/** For an hour after its end a token is told from garbage, so that its client knows what to do. */
const sweepAccessTokens: Sweep = async (sql, now, max) =>
  counted(
    await sql`
    delete from oauth_access_token where hash in (
      select hash from oauth_access_token where expires_at <= ${now}::timestamptz - interval '1 hour'
      order by expires_at limit ${max} for update skip locked)`,
  );

const sweepRefreshTokens: Sweep = async (sql, now, max) =>
  counted(
    await sql`
    delete from oauth_refresh_token where hash in (
      select hash from oauth_refresh_token where expires_at <= ${now}
      order by expires_at limit ${max} for update skip locked)`,
  );

/** By then nothing of its family is left. */
const sweepGrants: Sweep = async (sql, now, max) =>
  counted(
    await sql`
    delete from oauth_grant where id in (
      select id from oauth_grant where expires_at <= ${now}::timestamptz - interval '1 day'
      order by expires_at limit ${max} for update skip locked)`,
  );

/** What was ended of grants without a key goes at once: anybody can make more of it. */
const sweepEndedKeylessTokens: Sweep = async (sql, _now, max) =>
  counted(
    await sql`
    delete from oauth_refresh_token where hash in (
      select r.hash from oauth_grant g join oauth_refresh_token r on r.grant_id = g.id and r.keyless
      where g.subscription is null and g.revoked_at is not null
      limit ${max} for update of r skip locked)`,
  );

/** Once no refresh token is left of them. Their codes and access tokens are of no use, and go when they expire. */
const sweepEndedKeylessGrants: Sweep = async (sql, _now, max) =>
  counted(
    await sql`
    delete from oauth_grant where id in (
      select id from oauth_grant g where subscription is null and revoked_at is not null
        and not exists (select from oauth_refresh_token r where r.grant_id = g.id and r.keyless)
      order by id limit ${max} for update skip locked)`,
  );

/** Every process has heard of it by then, and has forgotten the tokens besides. The dates are the database's own. */
const sweepRevocations: Sweep = async (sql, _now, max) =>
  counted(
    await sql`
    delete from oauth_revocation where ctid in (
      select ctid from oauth_revocation where at < clock_timestamp() - interval '1 day' limit ${max})`,
  );

/** Tokens before the grants that they belong to. */
export const SWEEPS: readonly Sweep[] = [
  sweepCodes,
  sweepAccessTokens,
  sweepRefreshTokens,
  sweepEndedKeylessTokens,
  sweepEndedKeylessGrants,
  sweepGrants,
  sweepRevocations,
];

function counted(result: { readonly count: number }): number {
  return result.count;
}
