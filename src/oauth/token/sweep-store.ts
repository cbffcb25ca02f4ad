// SQL of the sweeper: deletes expired rows in batches, so that nobody waits for it.

import { DAY } from '../../lib/clock.ts';
import type { Sql } from '../../postgres/client/database.ts';
import { LIFETIMES } from '../protocol/tokens.ts';

/** Deletes up to `max` rows, and returns how many. Locked rows are left for later. */
export type Sweep = (sql: Sql, now: Date, max: number) => Promise<number>;

/** Deletes rows that expired at least `age` milliseconds ago. */
function expired(table: string, key: 'hash' | 'id', age: number): Sweep {
  return async (sql, now, max) => {
    const before = new Date(now.getTime() - age);
    const { count } = await sql`
      delete from ${sql(table)} where ${sql(key)} in (
        select ${sql(key)} from ${sql(table)} where expires_at <= ${before}
        order by expires_at limit ${max} for update skip locked)`;
    return count;
  };
}

/** At once, unlike those of a subscription: anybody can make grants without a key. */
const revokedFreeTokens: Sweep = async (sql, _now, max) => {
  const { count } = await sql`
    delete from oauth_refresh_token where hash in (
      select r.hash from oauth_grant g join oauth_refresh_token r on r.grant_id = g.id and r.keyless
      where g.subscription is null and g.revoked_at is not null
      limit ${max} for update of r skip locked)`;
  return count;
};

/** Once their refresh tokens are deleted. Their codes and access tokens are useless, and deleted when they expire. */
const revokedFreeGrants: Sweep = async (sql, _now, max) => {
  const { count } = await sql`
    delete from oauth_grant where id in (
      select id from oauth_grant g where subscription is null and revoked_at is not null
        and not exists (select from oauth_refresh_token r where r.grant_id = g.id and r.keyless)
      order by id limit ${max} for update skip locked)`;
  return count;
};

/** By then every process has read it, and its cached tokens have expired. The dates are the database's own. */
const oldRevocations: Sweep = async (sql, _now, max) => {
  const { count } = await sql`
    delete from oauth_revocation where ctid in (
      select ctid from oauth_revocation where at < clock_timestamp() - interval '1 day' limit ${max})`;
  return count;
};

/** Milliseconds for which a copy proves that the document was valid once. */
const DOCUMENT_AGE = 30 * DAY;
const MAX_DOCUMENTS = 20_000;

/** Documents that were not fetched for long, and the oldest of too many. */
const oldDocuments: Sweep = async (sql, now, max) => {
  const before = new Date(now.getTime() - DOCUMENT_AGE);
  const { count } = await sql`
    delete from oauth_client_document where url in (
      select url from oauth_client_document where fetched_at < greatest(${before},
        (select fetched_at from oauth_client_document order by fetched_at desc offset ${MAX_DOCUMENTS} limit 1))
      limit ${max})`;
  return count;
};

/** Tokens before the grants that they belong to. */
export const SWEEPS: readonly Sweep[] = [
  // A used code reveals its second use until the access token made from it has expired.
  expired('oauth_code', 'hash', LIFETIMES.accessToken),
  // For as long again a token is known to have expired, so that its client knows what to do.
  expired('oauth_access_token', 'hash', LIFETIMES.accessToken),
  expired('oauth_refresh_token', 'hash', 0),
  revokedFreeTokens,
  revokedFreeGrants,
  // By then all its tokens are deleted.
  expired('oauth_grant', 'id', DAY),
  oldRevocations,
  oldDocuments,
];
