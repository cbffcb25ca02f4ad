// Objects of the Stripe API as they stand on the wire, typed by the official package, with everything that tests do not care about.

import { randomBytes } from 'node:crypto';
import type { Stripe } from 'stripe';

/** Decimals are texts on the wire, and numbers of a class of its own in the package. */
export type WirePrice = Omit<Stripe.Price, 'unit_amount_decimal'> & {
  unit_amount_decimal: string | null;
};
type WirePlan = Omit<Stripe.Plan, 'amount_decimal'> & { amount_decimal: string | null };
export type WireItem = Omit<Stripe.SubscriptionItem, 'price' | 'plan'> & {
  price: WirePrice;
  plan: WirePlan;
};
export type WireSubscription = Omit<Stripe.Subscription, 'items'> & { items: Stripe.ApiList<WireItem> };
export type WireProduct = Stripe.Product;
export type WireFeature = Stripe.Entitlements.Feature;
export type WireSession = Stripe.Checkout.Session;

/** An id in Stripe's form: `sub_` and letters and digits. */
export function stripeId(prefix: string): string {
  return `${prefix}_1${randomBytes(12).toString('hex')}`;
}

/** Seconds since the epoch. */
export type Seconds = number;

interface Common {
  readonly livemode: boolean;
  readonly created: Seconds;
}

export function productObject(
  { livemode, created }: Common,
  { name, metadata }: Pick<WireProduct, 'name' | 'metadata'>,
): WireProduct {
  return {
    id: stripeId('prod'),
    object: 'product',
    active: true,
    created,
    default_price: null,
    description: null,
    images: [],
    livemode,
    marketing_features: [],
    metadata,
    name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: created,
    url: null,
  };
}

export interface NewPrice {
  readonly product: string;
  readonly lookupKey: string | null;
  /** Null: by tiers. */
  readonly amount: number | null;
  readonly currency: string;
  readonly interval: 'day' | 'week' | 'month' | 'year';
  readonly intervalCount: number;
  readonly usage: 'licensed' | 'metered';
}

export function priceObject({ livemode, created }: Common, wanted: NewPrice): WirePrice {
  const { product, lookupKey, amount, currency, interval, intervalCount, usage } = wanted;
  return {
    id: stripeId('price'),
    object: 'price',
    active: true,
    created,
    currency,
    livemode,
    billing_scheme: amount === null ? 'tiered' : 'per_unit',
    custom_unit_amount: null,
    lookup_key: lookupKey,
    metadata: {},
    nickname: null,
    product,
    recurring: {
      interval,
      interval_count: intervalCount,
      meter: null,
      trial_period_days: null,
      usage_type: usage,
    },
    tax_behavior: 'unspecified',
    tiers_mode: amount === null ? 'graduated' : null,
    transform_quantity: null,
    type: 'recurring',
    unit_amount: amount,
    unit_amount_decimal: amount === null ? null : String(amount),
  };
}

export function itemObject(
  { created }: Pick<Common, 'created'>,
  {
    subscription,
    price,
    start,
    end,
  }: { subscription: string; price: WirePrice; start: Seconds; end: Seconds },
): WireItem {
  return {
    id: stripeId('si'),
    object: 'subscription_item',
    billing_thresholds: null,
    created,
    current_period_end: end,
    current_period_start: start,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planObject(price),
    price: structuredClone(price),
    quantity: 1,
    subscription,
    tax_rates: [],
  };
}

/** The older form of a price, which items still carry beside it. */
function planObject(price: WirePrice): WirePlan {
  const { id, active, created, currency, livemode, metadata, nickname, product, recurring } = price;
  return {
    id,
    object: 'plan',
    active,
    created,
    currency,
    livemode,
    metadata,
    nickname,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    interval: recurring?.interval ?? 'month',
    interval_count: recurring?.interval_count ?? 1,
    meter: null,
    product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: recurring?.usage_type ?? 'licensed',
  };
}

export function subscriptionObject(
  { livemode, created }: Common,
  wanted: Pick<WireSubscription, 'id' | 'customer' | 'metadata' | 'status' | 'currency'>,
  items: readonly WireItem[],
): WireSubscription {
  const invoice = { account_tax_ids: null, custom_fields: null, description: null, footer: null };
  return {
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    livemode,
    created,
    ...wanted,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: created,
    billing_cycle_anchor_config: null,
    billing_schedules: [],
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    customer_account: null,
    days_until_due: null,
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: null,
    latest_invoice: stripeId('in'),
    managed_payments: null,
    invoice_settings: { ...invoice, issuer: { type: 'self' } },
    items: listObject('/v1/subscription_items', items),
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: created,
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_start: null,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' },
    },
  };
}

export interface NewSession {
  readonly url: string;
  readonly price: WirePrice;
  readonly expiresAt: Seconds;
  readonly successUrl: string;
  readonly cancelUrl: string | null;
  readonly clientReference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export function sessionObject(
  id: string,
  { livemode, created }: Common,
  { url, price, expiresAt, successUrl, cancelUrl, clientReference, metadata }: NewSession,
): WireSession {
  const amount = price.unit_amount;
  return {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: amount,
    amount_total: amount,
    cancel_url: cancelUrl,
    client_reference_id: clientReference,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created,
    currency: price.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: null,
    customer_account: null,
    customer_creation: 'always',
    customer_details: null,
    customer_email: null,
    discounts: [],
    expires_at: expiresAt,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode,
    locale: null,
    managed_payments: null,
    metadata: { ...metadata },
    mode: 'subscription',
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'always',
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    success_url: successUrl,
    ui_mode: 'hosted_page',
    url,
    wallet_options: null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  };
}

export function featureObject({ livemode }: Pick<Common, 'livemode'>, lookupKey: string): WireFeature {
  return {
    id: stripeId('feat'),
    object: 'entitlements.feature',
    active: true,
    livemode,
    lookup_key: lookupKey,
    metadata: {},
    name: lookupKey,
  };
}

export function productFeatureObject(feature: WireFeature): Stripe.ProductFeature {
  const { livemode } = feature;
  return { id: stripeId('prodft'), object: 'product_feature', entitlement_feature: feature, livemode };
}

/** Lists inside of objects end after ten. */
const EMBEDDED = 10;

function listObject<Item>(url: string, all: readonly Item[]): Stripe.ApiList<Item> {
  return { object: 'list', data: all.slice(0, EMBEDDED), has_more: all.length > EMBEDDED, url };
}
