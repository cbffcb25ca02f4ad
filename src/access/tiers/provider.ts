// Port to the provider of subscriptions: our own tables or a payment service.
import type { Plan } from './tiers.ts';

/** An active subscription. */
export interface ActiveSubscription {
  readonly state: 'active';
  /** The provider's reference: stable over renewals and changes of plan. */
  readonly subscription: string;
  /** Whoever holds the subscription, the same over all of theirs; null when the provider does not know. Never changes. */
  readonly customer: string | null;
  readonly tier: Plan;
  /** Wall-clock milliseconds at which it ends; null when no end is known. */
  readonly endsAt: number | null;
  readonly age?: Age;
}

/** Milliseconds since the provider was asked, or a little more; absent where nothing that grows old is stored. */
type Age = number;

/**
 * Why a key that is known opens nothing. `unpaid`, `paused`: its subscription. `pending`: it was not paid for yet.
 * `replaced`: its subscription has another key.
 */
export type RefusalReason = 'unpaid' | 'paused' | 'pending' | 'replaced';

/** `expired`: the key was good and its subscription has ended. `unknown`: no subscription goes with it, or none any more. */
export type SubscriptionStatus =
  | ActiveSubscription
  | { readonly state: 'expired'; readonly age?: Age }
  | { readonly state: 'unknown'; readonly reason?: RefusalReason; readonly age?: Age };

export interface StatusRequest {
  readonly signal: AbortSignal;
  /** Milliseconds: an older status is fetched again; 0 for decisions that must see a revocation at once. Default 600 s. */
  readonly maxAge?: number;
  /** Called before a payment service is asked about a key of which nothing is stored; throws where that must not be. */
  readonly onUnknown?: (() => Promise<void> | undefined) | undefined;
}

/** A source of truth about subscriptions. Throws ProviderUnavailable when it cannot tell, never guesses. */
export interface SubscriptionProvider {
  /** The status of the subscription of a key of the form SERVICE-<UUID>, written in upper case. */
  validate(key: string, request: StatusRequest): Promise<SubscriptionStatus>;
  /** The status of a subscription by the reference that an earlier status gave. */
  refresh(subscription: string, request: StatusRequest): Promise<SubscriptionStatus>;
}

/** The provider gave no answer that could be trusted: it says nothing about the key. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';

  constructor(cause: unknown) {
    super('The subscription provider gave no usable answer', { cause });
  }
}
