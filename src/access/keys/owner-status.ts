// Status of the owners of background work: whether the subscription or grant behind it is in force.

import type { Plan } from '../tiers/tiers.ts';
import type { SubscriptionCache } from './subscription-cache.ts';

/** `ended` and `revoked`: work for it stops. `unavailable`: nobody can tell, so that work waits, and nothing is lost. */
export type BackingStatus =
  | { readonly state: 'active'; readonly plan: Plan }
  | { readonly state: 'ended' | 'revoked' | 'unavailable'; readonly plan: null };

/** State of a grant without a key: `ended` when it has expired or is not known any more. */
export type GrantState = 'active' | 'ended' | 'revoked';

export interface OwnerStatusOptions {
  readonly subscriptions: Pick<SubscriptionCache, 'find'>;
  /** Called with the first error of an outage. */
  readonly report: (error: unknown) => void;
  /** State of a grant without a key, by its id. */
  readonly findGrantState: (grant: string) => Promise<GrantState>;
}

/** What may have changed. */
export type OwnerHint = { readonly subscription: string } | { readonly grant: string };

export interface OwnerStatus {
  check(subscription: string): Promise<BackingStatus>;
  /** The same for a grant without a key. */
  checkGrant(grant: string): Promise<BackingStatus>;
  /** Passes a hint on to all listeners. */
  hint(hint: OwnerHint): void;
  /** Calls back after each hint, so that a check can follow at once. Returns the function that stops it. */
  onHint(listener: (hint: OwnerHint) => void): () => void;
}

export function createOwnerStatus(options: OwnerStatusOptions): OwnerStatus {
  const { subscriptions, findGrantState, report } = options;
  const listeners = new Set<(hint: OwnerHint) => void>();
  let isFailing = false;

  async function orUnavailable(status: Promise<BackingStatus>): Promise<BackingStatus> {
    try {
      const found = await status;
      isFailing = false;
      return found;
    } catch (error) {
      if (!isFailing) report(error);
      isFailing = true;
      return { state: 'unavailable', plan: null };
    }
  }

  return {
    check: (subscription) => orUnavailable(checkSubscription(subscriptions, subscription)),
    checkGrant: (grant) =>
      orUnavailable(
        findGrantState(grant).then((state) =>
          state === 'active' ? { state, plan: 'free' } : { state, plan: null },
        ),
      ),
    hint(hint) {
      for (const listener of listeners) listener(hint);
    },
    onHint(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

async function checkSubscription(
  subscriptions: Pick<SubscriptionCache, 'find'>,
  subscription: string,
): Promise<BackingStatus> {
  const status = await subscriptions.find(subscription);
  if (status.state === 'active') return { state: 'active', plan: status.tier };
  return { state: status.state === 'expired' ? 'ended' : 'revoked', plan: null };
}
