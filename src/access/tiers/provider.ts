// Owns the port to whoever knows the subscriptions: our own tables, or a payment provider's service.
import type { Plan } from './tiers.ts';

/** A subscription that is in force. */
export interface ActiveSubscription {
  readonly state: 'active';
  /** The provider's reference: stable over renewals and changes of plan. */
  readonly subscription: string;
  readonly tier: Plan;
  /** Wall-clock milliseconds at which it ends; null when no end is known. */
  readonly endsAt: number | null;
}

/** `expired`: the key was good and its subscription has ended. `unknown`: no subscription goes with it, or none any more. */
export type Verdict = ActiveSubscription | { readonly state: 'expired' } | { readonly state: 'unknown' };

/** A source of truth about subscriptions. Both methods throw ProviderUnavailable when they cannot tell, never guess. */
export interface SubscriptionProvider {
  /** Judges a key of the form SERVICE-<UUID>, written in upper case. */
  validate(key: string, signal: AbortSignal): Promise<Verdict>;
  /** Judges a subscription again by the reference that an earlier verdict gave. */
  refresh(subscription: string, signal: AbortSignal): Promise<Verdict>;
}

/** The provider gave no answer that could be trusted: it says nothing about the key. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';

  constructor(cause: unknown) {
    super('The subscription provider gave no usable answer', { cause });
  }
}
