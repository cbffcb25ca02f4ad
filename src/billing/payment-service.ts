// Port to payment services: what they say of subscriptions, and the checkouts that they offer.

import type { ActiveSubscription, SubscriptionStatus } from '../access/tiers/provider.ts';
import type { Plan } from '../access/tiers/tiers.ts';

/** A subscription as a payment service describes it. */
export interface ProviderSubscription {
  /** As the service names the subscription (Stripe) or its license key (Polar): it never changes. 200 characters at most. */
  readonly reference: string;
  /** SHA-256 of the upper-case key that opens it now; null: no key does. */
  readonly keyHash: Buffer | null;
  /** An active one names `reference` as its subscription. */
  readonly status: SubscriptionStatus;
}

/** What a service says of a key that it refuses without naming its subscription. */
export interface KeyRefusal {
  readonly reference: null;
  readonly status: Exclude<SubscriptionStatus, ActiveSubscription>;
}

/** A plan that can be bought. */
export interface OfferedPlan {
  readonly plan: Plan;
  /** What `createCheckout` takes; of Polar the id of the product. */
  readonly priceId: string;
  readonly name: string;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  /** ISO 4217, in lower case. */
  readonly currency: string;
  readonly interval: 'day' | 'week' | 'month' | 'year';
  /** Intervals that the amount pays for. */
  readonly intervalCount: number;
}

export interface WantedCheckout {
  readonly priceId: string;
  /** Where the payment page leads afterwards, and from where it was left. */
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

export interface Checkout {
  /** The payment page, at the service. */
  readonly url: string;
  /** Wall-clock milliseconds. */
  readonly expiresAt: number;
  /** The key that works as soon as the payment is complete; null where the service issues it. Shown once, stored as a hash. */
  readonly key: string | null;
  /** Of the issued key. */
  readonly keyId: string | null;
}

export type CheckoutState = 'open' | 'complete' | 'expired' | 'unknown';

/**
 * A payment service. Every method throws ProviderUnavailable when it cannot tell: limited, failing, late, talking nonsense or
 * of another organisation. What it cannot tell is never reported as `unknown` or null.
 */
export interface PaymentService {
  readonly name: 'polar' | 'stripe';
  /** Asks about a key that was never seen; null: it belongs to nothing. */
  findKey(key: string, signal: AbortSignal): Promise<ProviderSubscription | KeyRefusal | null>;
  /** Asks about a subscription or key by its reference; null: the service does not know it. */
  find(reference: string, signal: AbortSignal): Promise<ProviderSubscription | null>;
  /**
   * Hands over every subscription that can open something, page by page as they come. Complete when it ends without an error;
   * pages that cannot be had are requested again.
   */
  listAll(
    onPage: (page: readonly ProviderSubscription[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Plans that can be bought, the cheapest first. */
  listPlans(signal: AbortSignal): Promise<readonly OfferedPlan[]>;
  /** Makes a payment page; null: no such price is offered. */
  createCheckout(wanted: WantedCheckout, signal: AbortSignal): Promise<Checkout | null>;
  /** State of a checkout by the id that the return URL carries. Tells nothing about its key. */
  findCheckout(session: string, signal: AbortSignal): Promise<CheckoutState>;
  /**
   * References of the subscriptions that a subject concerns: `subscription:<id>`, `customer:<id>`, of Stripe `checkout:<id>`, of Polar
   * `key:<license key id>`. Activates a pending key whose payment is complete.
   */
  resolveSubject(subject: string, signal: AbortSignal): Promise<readonly string[]>;
}
