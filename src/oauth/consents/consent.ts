// Decision of a person on a consent: a code for the client, or a denial.

import { createHmac } from 'node:crypto';
import type { KeyForm } from '../../access/key-form/key-form.ts';
import type { ServiceThrottle } from '../../access/limits/request-throttle.ts';
import type { Scope } from '../../access/tiers/tiers.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { Problem } from '../../lib/problem.ts';
import { hashSecret } from '../../lib/secrets.ts';
import type { OAuthContext } from '../protocol/context.ts';
import { ErrorPage } from '../protocol/errors.ts';
import type { SharedKeys } from '../protocol/shared-key-store.ts';
import { createSecret, LIFETIMES } from '../protocol/tokens.ts';
import type { FreeGrantCap } from './free-grant-cap.ts';
import { insertGrantWithCode, type NewGrant } from './grant-store.ts';

export interface Decision {
  readonly decision: 'key' | 'free' | 'deny';
  readonly apiKey: string;
  /** The person's address. */
  readonly address: string;
}

export interface ConsentRequest extends Pick<NewGrant, 'redirectUri' | 'codeChallenge' | 'resources'> {
  readonly client: { readonly id: string };
  readonly scopes: readonly Scope[];
}

export interface ConsentContext extends OAuthContext {
  readonly keyForm: KeyForm;
  readonly sharedKeys: () => Promise<SharedKeys>;
  /** By address. */
  readonly freeGrantThrottle: ServiceThrottle;
  readonly freeGrantCap: FreeGrantCap;
}

/**
 * Carries out a decision. Returns the code for the client, which is stored as a hash only; null if the person denied. Throws
 * what KeyForm.checkKey throws, MISSING_API_KEY, DATABASE_UNAVAILABLE, and ErrorPage after too many grants without a key.
 */
export async function decide(
  context: ConsentContext,
  { client, redirectUri, codeChallenge, scopes, resources }: ConsentRequest,
  decision: Decision,
): Promise<string | null> {
  const { database, clock, audit, freeGrantCap } = context;
  if (decision.decision === 'deny') {
    audit('consent_denied', { client: client.id });
    return null;
  }
  const account = await resolveAccount(context, decision);
  const code = createSecret('ac');
  const now = clock.now();
  const row = {
    clientId: client.id,
    redirectUri,
    scope: scopes.join(' '),
    resources,
    ...account,
    codeHash: hashSecret(code),
    codeChallenge,
    createdAt: new Date(now),
    expiresAt: new Date(now + LIFETIMES.code),
  };
  const grant = await database.writeByDeadline((sql, deadline) => insertGrantWithCode(sql, row, deadline));
  if (account.addressHash !== null) await freeGrantCap.enforce(account.addressHash);
  audit('consent_granted', { grant, client: client.id, tier: account.tier });
  return code;
}

/** What the client may use: the key's subscription, or the Free tier that an address has once. */
async function resolveAccount(
  { keyForm, sharedKeys, freeGrantThrottle }: ConsentContext,
  { decision, apiKey, address }: Decision,
): Promise<Pick<NewGrant, 'tier' | 'subscription' | 'customer' | 'addressHash'>> {
  if (decision === 'free') {
    const group = addressGroup(address);
    const wait = await freeGrantThrottle.take(group);
    if (wait > 0) throw tooManyGrants(wait);
    const { address: key } = await sharedKeys();
    const addressHash = createHmac('sha256', key).update(group).digest();
    return { tier: 'free', subscription: null, customer: null, addressHash };
  }
  if (apiKey.trim() === '') throw new Problem('MISSING_API_KEY', 'Enter an API key.');
  const { tier, subscription, customer } = await keyForm.checkKey(apiKey, address);
  return { tier, subscription, customer, addressHash: null };
}

function tooManyGrants(retryAfter: number): ErrorPage {
  const detail =
    'Very many apps were given access from your network just now. Wait a minute, then try again.';
  return new ErrorPage('temporarily_unavailable', 'Too many requests', detail, { status: 429, retryAfter });
}
