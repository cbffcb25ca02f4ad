// Decision of a person on a consent: a code for the client, or its denial.

import { createHmac } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Audit } from '../protocol/audit.ts';
import { ErrorPage } from '../protocol/authorization-errors.ts';
import type { SharedKeys } from '../protocol/shared-key-store.ts';
import type { RequestThrottle } from '../protocol/throttle.ts';
import type { FreeGrantCap } from './free-grant-cap.ts';
import { type Consent, issueCode } from './issue-code.ts';
import type { CheckKey } from './key-check.ts';

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
