// Verifier of API keys: their form, and what the status of their subscription means for a request.

import { Problem } from '../../lib/problem.ts';
import type { CredentialAttempt } from '../limits/failure-throttle.ts';
import {
  type ActiveSubscription,
  ProviderUnavailable,
  type RefusalReason,
  type SubscriptionStatus,
} from '../tiers/provider.ts';
import { NOTHING } from '../tiers/reach.ts';
import { ownerOf, type Principal } from '../tiers/tiers.ts';
import type { SubscriptionCache } from './subscription-cache.ts';

const KEY_FORM = /^SERVICE-[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}$/;
/** Seconds, while a key cannot be checked. */
const RETRY_AFTER = '1';

export class KeyVerifier implements CredentialVerifier {
  readonly #subscriptions: SubscriptionCache;

  constructor(subscriptions: SubscriptionCache) {
    this.#subscriptions = subscriptions;
  }

  matches(credential: string): boolean {
    return /^service-/i.test(credential);
  }

  /** Throws INVALID_API_KEY, EXPIRED_API_KEY, SUBSCRIPTIONS_UNAVAILABLE, or RATE_LIMITED before a payment service is asked. */
  async verify(credential: string, attempt: CredentialAttempt): Promise<Principal> {
    const key = requireForm(credential);
    return principalOf(await requireActive(this.#subscriptions.findByKey(key, () => attempt.begin())));
  }

  /** The subscription of a key at this moment, for decisions that must see a revocation at once. Throws as `verify` does. */
  async verifyFresh(
    credential: string,
    attempt: CredentialAttempt | null = null,
  ): Promise<ActiveSubscription> {
    const key = requireForm(credential);
    return requireActive(this.#subscriptions.fetchByKey(key, () => attempt?.begin()));
  }

  /** The current status of a subscription, as `verifyFresh` gives that of a key. */
  verifySubscription(subscription: string): Promise<ActiveSubscription> {
    return requireActive(this.#subscriptions.fetch(subscription));
  }
}

/** The key in upper case; throws INVALID_API_KEY for what cannot be one. */
function requireForm(credential: string): string {
  const key = credential.toUpperCase();
  if (KEY_FORM.test(key)) return key;
  throw new Problem('INVALID_API_KEY', 'The API key is malformed: it must have the form SERVICE-<UUID>.');
}

/** The caller with a key of this subscription. */
export function principalOf(status: ActiveSubscription): Principal {
  const { subscription, tier } = status;
  const owner = ownerOf(status);
  return {
    kind: 'key',
    tier,
    account: `sub:${subscription}`,
    subscription,
    owner,
    grant: null,
    scopes: null,
    reach: NOTHING,
  };
}

const REASONS: Readonly<Record<RefusalReason, string>> = {
  unpaid: 'The subscription of this API key is not paid for. Pay its open invoice, then use the key again.',
  paused: 'The subscription of this API key is paused. Resume it, then use the key again.',
  pending: 'This API key works as soon as its payment is complete.',
  replaced: 'This API key was replaced by another one of the same subscription. Use that one.',
};

function refusalProblem(status: Exclude<SubscriptionStatus, ActiveSubscription>): Problem {
  if (status.state === 'unknown') {
    const { reason } = status;
    const detail = reason === undefined ? 'The API key belongs to no active subscription.' : REASONS[reason];
    return new Problem('INVALID_API_KEY', detail, reason === undefined ? {} : { members: { reason } });
  }
  return new Problem(
    'EXPIRED_API_KEY',
    'The subscription of this API key has ended. Renew it, or use another key.',
  );
}

/** The active subscription; throws the refusal, or SUBSCRIPTIONS_UNAVAILABLE where nobody can tell. */
async function requireActive(lookup: Promise<SubscriptionStatus>): Promise<ActiveSubscription> {
  const status = await lookup.catch((error: unknown) => {
    throw error instanceof ProviderUnavailable ? unavailable(error) : error;
  });
  if (status.state === 'active') return status;
  throw refusalProblem(status);
}

function unavailable(cause: ProviderUnavailable): Problem {
  const detail = 'The API key cannot be checked at the moment; it may be valid. Try again later.';
  return new Problem('SUBSCRIPTIONS_UNAVAILABLE', detail, {
    headers: { 'retry-after': RETRY_AFTER },
    cause,
  });
}

/** Verifies one kind of credential. */
export interface CredentialVerifier {
  /** Whether this credential is of its kind; the first verifier that says so decides alone. */
  matches(credential: string): boolean;
  /**
   * The caller; throws a Problem with a 401 code when the credential is not valid. Calls `attempt.begin()` before it asks
   * anything outside this process about a credential that was never valid before.
   * @param resource path of the protected resource that is called, below the public URL; absent: the API itself
   */
  verify(credential: string, attempt: CredentialAttempt, resource?: string): Principal | Promise<Principal>;
}
