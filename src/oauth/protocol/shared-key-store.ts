// Keys that all processes share for signatures and digests: derived from the one secret in the database, each for one use.

import { hkdfSync } from 'node:crypto';
import type { Database, Sql } from '../../postgres/client/database.ts';

export interface SharedKeys {
  /** Signs requests that wait for a decision. */
  readonly transaction: Buffer;
  /** Signs what stands for a key while its holder looks at the grants. */
  readonly grants: Buffer;
  /** Digests addresses, so that the database cannot be searched for one. */
  readonly address: Buffer;
}

/** Reads the secret when it is first needed, and again after a failure. The function throws DATABASE_UNAVAILABLE. */
export function sharedKeys(database: Database): () => Promise<SharedKeys> {
  let known: SharedKeys | undefined;
  return async () => {
    known ??= deriveKeys(await database.read(readSharedSecret));
    return known;
  };
}

function deriveKeys(secret: Buffer): SharedKeys {
  const keyFor = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `freehold ${use}`, 32));
  return { transaction: keyFor('transaction'), grants: keyFor('grants'), address: keyFor('address') };
}

/** The secret that all processes share. */
async function readSharedSecret(sql: Sql): Promise<Buffer> {
  const [row] = await sql<{ secret: Uint8Array }[]>`select secret from oauth_secret`;
  if (row === undefined) throw new Error('The table oauth_secret has lost its row');
  return Buffer.from(row.secret);
}
