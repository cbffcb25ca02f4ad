// Owns the SQL on grants: their beginning with a code, how they are listed, and their end.

import type { Plan } from '../access/tiers.ts';
import type { Sql } from '../postgres/database.ts';

interface NewGrant {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Parted by spaces. */
  readonly scope: string;
  readonly resources: readonly string[];
  readonly tier: Plan;
  readonly subscription: string | null;
  readonly addressHash: Buffer | null;
  readonly codeHash: Buffer;
  readonly codeChallenge: string;
  readonly createdAt: Date;
  /** When the code ends, and with it the grant if the code is never used. */
  readonly expiresAt: Date;
}

const TEXT_ARRAY = 1009;

/** Writes both in one statement, and gives the grant's id. */
export async function insertGrantWithCode(sql: Sql, row: NewGrant): Promise<number> {
  const [written] = await sql<{ id: number }[]>`
    with made as (
      insert into oauth_grant (client_id, redirect_uri, scope, resources, tier, subscription, address_hash,
        created_at, renewed_at, expires_at)
      values (${row.clientId}, ${row.redirectUri}, ${row.scope}, ${sql.array([...row.resources], TEXT_ARRAY)},
        ${row.tier}, ${row.subscription}, ${row.addressHash}, ${row.createdAt}, ${row.createdAt}, ${row.expiresAt})
      returning id
    )
    insert into oauth_code (hash, grant_id, challenge, expires_at)
    select ${row.codeHash}, id, ${row.codeChallenge}, ${row.expiresAt} from made
    returning grant_id as id`;
  if (written === undefined) throw new Error('The grant was not written');
  return written.id;
}
