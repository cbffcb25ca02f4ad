// SQL that ends everything that was issued, in a database that was restored: what was revoked after the backup must stay revoked.

import type { Transaction } from '../../postgres/client/database.ts';

/** Grants that the original may have given numbers after the backup; audit logs name them. */
const SKIPPED_GRANTS = 1_000_000_000;

/** Ends all grants, deletes codes and tokens, and signs with a new secret from now on. */
export async function endEverythingIssued(tx: Transaction): Promise<void> {
  await tx`delete from oauth_access_token`;
  await tx`delete from oauth_refresh_token`;
  await tx`delete from oauth_code`;
  await tx`delete from oauth_revocation`;
  await tx`update oauth_grant set revoked_at = clock_timestamp(), revoked_for = 'restored' where revoked_at is null`;
  // Each UUID brings 122 random bits.
  await tx`
    update oauth_secret set secret = (
      select sha256(convert_to(string_agg(gen_random_uuid()::text, ''), 'UTF8')) from generate_series(1, 4))`;
  await tx`
    select setval(pg_get_serial_sequence('oauth_grant', 'id'),
      ${SKIPPED_GRANTS}::bigint + coalesce((select max(id) from oauth_grant), 0))`;
}
