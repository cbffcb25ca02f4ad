// Issue of an authorization code: a consent becomes a grant with a code that can be exchanged once.

import type { Scope } from '../../access/tiers/principal.ts';
import type { Plan } from '../../access/tiers/tiers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { createSecret, hashSecret } from '../protocol/secret.ts';
import { insertGrantWithCode } from './grant-store.ts';

/** Milliseconds in which a code has to be exchanged. */
export const CODE_LIFETIME = 300_000;

/** What somebody has consented to. */
export interface Consent {
  readonly clientId: string;
  readonly redirectUri: string;
  /** 43 characters: base64url of the SHA-256 of the verifier. */
  readonly codeChallenge: string;
  readonly scope: readonly Scope[];
  /** The resources asked for, normalised; never empty. */
  readonly resources: readonly string[];
  readonly tier: Plan;
  /** The provider's reference; null: the Free tier without a key. */
  readonly subscription: string | null;
  /** SHA-256 of the consenting address's group; needed where there is no subscription. */
  readonly addressHash: Buffer | null;
}

export interface IssuedCode {
  readonly code: string;
  readonly grant: number;
}

/** Stores a grant and its code, which is told this once. Throws DATABASE_UNAVAILABLE. */
export async function issueCode(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  consent: Consent,
): Promise<IssuedCode> {
  const code = createSecret('ac');
  const now = clock.now();
  const times = { createdAt: new Date(now), expiresAt: new Date(now + CODE_LIFETIME) };
  const row = { ...consent, ...times, scope: consent.scope.join(' '), codeHash: hashSecret(code) };
  return {
    code,
    grant: await database.writeByDeadline((sql, deadline) => insertGrantWithCode(sql, row, deadline)),
  };
}
