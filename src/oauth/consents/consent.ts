// Decision of a person on a consent: a code for the client, or its denial.

import { createHmac } from 'node:crypto';
import type { KeyVerifier } from '../../access/keys/key-verifier.ts';
import { FailureThrottle } from '../../access/limits/failure-throttle.ts';
import type { ActiveSubscription } from '../../access/tiers/provider.ts';
import type { Plan, Scope } from '../../access/tiers/tiers.ts';
import type { Clock } from '../../lib/clock.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Audit } from '../protocol/audit.ts';
import { ErrorPage } from '../protocol/errors.ts';
import type { SharedKeys } from '../protocol/shared-key-store.ts';
import type { RequestThrottle } from '../protocol/throttle.ts';
import { CODE_LIFETIME, createSecret, hashSecret } from '../protocol/tokens.ts';
import type { FreeGrantCap } from './free-grant-cap.ts';
import { insertGrantWithCode } from './grant-store.ts';

export interface Decision {
  readonly decision: 'key' | 'free' | 'deny';
  readonly apiKey: string;
  /** Of whoever decided. */
  readonly address: string;
}

/** What the client asked for. */
export interface ConsentRequest extends Pick<Consent, 'redirectUri' | 'codeChallenge' | 'resources'> {
  readonly client: { readonly id: string };
  readonly scopes: Consent['scope'];
}

export interface ConsentContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly checkKey: CheckKey;
  readonly keys: () => Promise<SharedKeys>;
  /** Grants without a key, by address: how many in a minute, and how many are kept. */
  readonly freeGrants: RequestThrottle;
  readonly freeGrantCap: FreeGrantCap;
  readonly audit: Audit;
}

/**
 * The code to be handed to the client; null: the person said no. Throws what CheckKey throws, MISSING_API_KEY, and
 * AuthorizeRefusal where an address has made too many grants without a key.
 */
export async function decide(
  parts: ConsentContext,
  request: ConsentRequest,
  made: Decision,
): Promise<string | null> {
  const { database, clock, audit } = parts;
  const client = request.client.id;
  if (made.decision === 'deny') {
    audit('consent_denied', { client });
    return null;
  }
  const { redirectUri, codeChallenge, scopes: scope, resources } = request;
  const allowed = await allowance(parts, made);
  const { code, grant } = await issueCode(
    { database, clock },
    { clientId: client, redirectUri, codeChallenge, scope, resources, ...allowed },
  );
  if (allowed.addressHash !== null) await parts.freeGrantCap.enforce(allowed.addressHash);
  audit('consent_granted', { grant, client, tier: allowed.tier });
  return code;
}

type Allowance = Pick<Consent, 'tier' | 'subscription' | 'addressHash'>;

/** What the client may use: the key's subscription, or the one Free allowance of the address. */
async function allowance({ checkKey, keys, freeGrants }: ConsentContext, made: Decision): Promise<Allowance> {
  const { decision, apiKey, address } = made;
  if (decision === 'free') {
    const group = addressGroup(address);
    const wait = freeGrants.take(group);
    if (wait > 0) throw tooManyGrants(wait);
    const { address: key } = await keys();
    const addressHash = createHmac('sha256', key).update(group).digest();
    return { tier: 'free', subscription: null, addressHash };
  }
  if (apiKey.trim() === '') throw new Problem('MISSING_API_KEY', 'Enter an API key.');
  const { tier, subscription } = await checkKey(apiKey, address);
  return { tier, subscription, addressHash: null };
}

function tooManyGrants(retryAfter: number): ErrorPage {
  const detail =
    'Very many apps were given access from your network just now. Wait a minute, then try again.';
  return new ErrorPage('temporarily_unavailable', 'Too many requests', detail, {
    status: 429,
    retryAfter,
  });
}

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

/** Wrong keys that one address, or /64, may type in any minute. People mistype; programs that guess try faster. */
const WRONG_KEYS_PER_MINUTE = 10;

/**
 * Judges a key, which may have blanks around it. Throws INVALID_API_KEY, EXPIRED_API_KEY, SUBSCRIPTIONS_UNAVAILABLE, or
 * RATE_LIMITED after too many wrong ones; a key that was good before is always asked about.
 */
export type CheckKey = (key: string, address: string) => Promise<ActiveSubscription>;

export function createKeyCheck(keys: Pick<KeyVerifier, 'verifyFresh'>, clock: Clock): CheckKey {
  const failures = new FailureThrottle(clock, { quota: WRONG_KEYS_PER_MINUTE });
  return async (key, address) => {
    const attempt = failures.attempt(address);
    try {
      return await keys.verifyFresh(key.trim(), attempt);
    } catch (error) {
      if (error instanceof Problem && error.status === 401) attempt.fail();
      throw error;
    } finally {
      attempt.end();
    }
  };
}
