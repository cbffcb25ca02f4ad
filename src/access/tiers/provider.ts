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
  /** Milliseconds, rounded up, since the provider was asked what it says; absent: it was asked now. */
  readonly age?: number;
}

/**
 * Why a key that is known opens nothing. `unpaid`, `paused`: its subscription. `pending`: it was not paid for yet.
 * `replaced`: its subscription has another key.
 */
export type RefusalReason = 'unpaid' | 'paused' | 'pending' | 'replaced';

/** `expired`: the key was good and its subscription has ended. `unknown`: no subscription goes with it, or none any more. */
export type SubscriptionStatus =
  | ActiveSubscription
  | { readonly state: 'expired' }
  | { readonly state: 'unknown'; readonly reason?: RefusalReason };

/** How a provider is asked. */
export interface Question {
  readonly signal: AbortSignal;
  /** True: past every cache, for decisions that must see a revocation at once. */
  readonly fresh?: boolean;
}

/** A source of truth about subscriptions. `validate` and `refresh` throw ProviderUnavailable when they cannot tell, never guess. */
export interface SubscriptionProvider {
  /** Checks a key of the form SERVICE-<UUID>, written in upper case. */
  validate(key: string, question: Question): Promise<SubscriptionStatus>;
  /** Checks a subscription again by the reference that an earlier status gave. */
  refresh(subscription: string, question: Question): Promise<SubscriptionStatus>;
  /**
   * Whether a key, written in upper case, was active when anybody last asked about it, by what is stored here: cheap, but no
   * statement about now. Rejects when the store cannot be read. Absent: nothing is stored.
   */
  recognizes?(key: string): Promise<boolean>;
}

/** The provider gave no answer that could be trusted: it says nothing about the key. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';

  constructor(cause: unknown) {
    super('The subscription provider gave no usable answer', { cause });
  }
}
