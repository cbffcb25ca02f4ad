// Objects of a Polar organization, as tests hold them.

export interface PolarBenefit {
  readonly id: string;
  readonly type: 'license_keys' | 'custom';
  readonly prefix: string | null;
}

export interface PolarProduct {
  readonly id: string;
  readonly name: string;
  /** In the smallest unit of US dollars, for a month. */
  readonly amount: number;
  readonly benefits: readonly PolarBenefit[];
  readonly isArchived: boolean;
}

export interface PolarCustomer {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** Times are wall-clock milliseconds. */
export interface PolarSubscription {
  readonly id: string;
  readonly customer: PolarCustomer;
  product: PolarProduct;
  status: 'trialing' | 'active' | 'past_due' | 'canceled' | 'unpaid' | 'paused';
  readonly startedAt: number;
  periodStart: number;
  periodEnd: number;
  cancelAtPeriodEnd: boolean;
  canceledAt: number | null;
  endsAt: number | null;
  endedAt: number | null;
  pastDueAt: number | null;
  pausedAt: number | null;
}

export interface PolarKey {
  readonly id: string;
  readonly customer: PolarCustomer;
  readonly benefit: PolarBenefit;
  key: string;
  status: 'granted' | 'revoked' | 'disabled';
  expiresAt: number | null;
  readonly createdAt: number;
  validations: number;
  lastValidatedAt: number | null;
}

export interface PolarGrant {
  readonly id: string;
  readonly customer: PolarCustomer;
  readonly benefit: PolarBenefit;
  readonly subscription: PolarSubscription | null;
  /** Id of the order of a purchase without subscription. */
  readonly order: string | null;
  readonly createdAt: number;
  grantedAt: number | null;
  revokedAt: number | null;
  key: PolarKey | null;
}

export interface PolarCheckout {
  readonly id: string;
  readonly product: PolarProduct;
  status: 'open' | 'expired' | 'confirmed' | 'succeeded' | 'failed';
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly successUrl: string;
  readonly returnUrl: string | null;
  /** Of the subscription that it led to. */
  subscription: PolarSubscription | null;
}

/** Something that Polar would send to the webhooks of the organization. */
export type Happening =
  | { readonly type: `subscription.${string}`; readonly subscription: PolarSubscription }
  | { readonly type: `benefit_grant.${string}`; readonly grant: PolarGrant }
  | { readonly type: 'customer.state_changed'; readonly customer: PolarCustomer };

export interface NewSubscription {
  readonly customer?: PolarCustomer;
  readonly status?: 'trialing' | 'active';
}
