// Keys that all processes share for signatures and digests, derived from one secret in the database.

import { hkdfSync } from 'node:crypto';
import type { Database, Sql } from '../../postgres/client/database.ts';

export interface SharedKeys {
  /** Signs authorization requests on the consent page. */
  readonly transaction: Buffer;
  /** Signs the proofs that replace a key on a page. */
  readonly proof: Buffer;
  /** Seals cursors of the explorer. */
  readonly cursor: Buffer;
  /** Digests addresses, so that the database cannot be searched for one. */
  readonly address: Buffer;
}

/** Reads the secret at the first call, and after a failure again. The function throws DATABASE_UNAVAILABLE. */
export function createSharedKeys(database: Database): () => Promise<SharedKeys> {
  let keys: SharedKeys | undefined;
  return async () => {
    keys ??= deriveKeys(await database.read(readSharedSecret));
    return keys;
  };
}

function deriveKeys(secret: Uint8Array): SharedKeys {
  const keyFor = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', `freehold ${use}`, 32));
  return {
    transaction: keyFor('transaction'),
    proof: keyFor('proof'),
    cursor: keyFor('cursor'),
    address: keyFor('address'),
  };
}

async function readSharedSecret(sql: Sql): Promise<Uint8Array> {
  const [row] = await sql<{ secret: Uint8Array }[]>`select secret from oauth_secret`;
  if (row === undefined) throw new Error('The table oauth_secret has lost its row');
  return row.secret;
}
