// Records of Polar's API as they go over the wire. Their types are those of Polar's own package, which proves the shapes.

import type { models, webhooks } from '@polar-sh/sdk/2026-10';
import type {
  Happening,
  PolarBenefit,
  PolarCheckout,
  PolarCustomer,
  PolarGrant,
  PolarKey,
  PolarProduct,
  PolarSubscription,
} from './polar-objects.ts';
import type { PolarWorld } from './polar-world.ts';

/** Writes the records of one organization. */
export class PolarWire {
  readonly #world: PolarWorld;
  /** Where the checkout pages are. */
  readonly #url: () => string;

  constructor(world: PolarWorld, url: () => string) {
    this.#world = world;
    this.#url = url;
  }

  key(key: PolarKey): models.LicenseKeyRead {
    return {
      id: key.id,
      ...this.#stamps(key.createdAt),
      organization_id: this.#world.organization,
      customer_id: key.customer.id,
      customer: this.customer(key.customer),
      member_id: null,
      member: null,
      benefit_id: key.benefit.id,
      key: key.key,
      display_key: `****-${key.key.slice(-6)}`,
      status: key.status,
      limit_activations: null,
      usage: 0,
      limit_usage: null,
      validations: key.validations,
      last_validated_at: time(key.lastValidatedAt),
      expires_at: time(key.expiresAt),
    };
  }

  keyWithActivations(key: PolarKey): models.LicenseKeyWithActivations {
    return { ...this.key(key), activations: [] };
  }

  validatedKey(key: PolarKey): models.ValidatedLicenseKey {
    return { ...this.key(key), status: 'granted', activation: null };
  }

  customer(customer: PolarCustomer): models.CustomerIndividual {
    return {
      id: customer.id,
      ...this.#stamps(0),
      metadata: {},
      external_id: null,
      email: customer.email,
      email_verified: true,
      type: 'individual',
      name: customer.name,
      billing_name: null,
      billing_address: null,
      tax_id: null,
      locale: null,
      organization_id: this.#world.organization,
      default_payment_method_id: null,
      deleted_at: null,
      first_user_event_at: null,
      avatar_url: null,
    };
  }

  benefit(benefit: PolarBenefit): models.BenefitLicenseKeys | models.BenefitCustom {
    const common = {
      id: benefit.id,
      ...this.#stamps(0),
      description: 'Access to the API',
      selectable: true,
      deletable: true,
      is_deleted: false,
      metadata: {},
      organization_id: this.#world.organization,
      visibility: 'public' as const,
      visibility_configurable: true,
    };
    if (benefit.type === 'custom') return { ...common, type: 'custom', properties: { note: null } };
    const properties = { prefix: benefit.prefix, expires: null, activations: null, limit_usage: null };
    return { ...common, type: 'license_keys', properties };
  }

  grant(grant: PolarGrant): models.BenefitGrant {
    const { customer, benefit } = grant;
    return {
      id: grant.id,
      ...this.#stamps(grant.createdAt),
      granted_at: time(grant.grantedAt),
      is_granted: grant.grantedAt !== null,
      revoked_at: time(grant.revokedAt),
      is_revoked: grant.revokedAt !== null,
      subscription_id: grant.subscription?.id ?? null,
      order_id: grant.order,
      customer_id: customer.id,
      member_id: null,
      benefit_id: benefit.id,
      error: null,
      customer: this.customer(customer),
      member: null,
      benefit: this.benefit(benefit),
      properties: this.#grantProperties(grant),
    };
  }

  #grantProperties({ key }: PolarGrant): models.BenefitGrantLicenseKeysProperties {
    return key === null ? {} : { license_key_id: key.id, display_key: `****-${key.key.slice(-6)}` };
  }

  subscription(subscription: PolarSubscription): models.Subscription {
    const { product, customer } = subscription;
    return {
      id: subscription.id,
      ...this.#stamps(subscription.startedAt),

      amount: product.amount,
      currency: 'usd',
      recurring_interval: 'month',
      recurring_interval_count: 1,
      status: subscription.status,
      current_period_start: stamp(subscription.periodStart),
      current_period_end: stamp(subscription.periodEnd),
      current_meter_period_start: null,
      current_meter_period_end: null,
      trial_start: null,
      trial_end: null,
      cancel_at_period_end: subscription.cancelAtPeriodEnd,
      canceled_at: time(subscription.canceledAt),
      started_at: stamp(subscription.startedAt),
      ends_at: time(subscription.endsAt),
      ended_at: time(subscription.endedAt),
      past_due_at: time(subscription.pastDueAt),
      pause_at_period_end: false,
      paused_at: time(subscription.pausedAt),
      resumes_at: null,
      customer_id: customer.id,
      product_id: product.id,
      discount_id: null,
      checkout_id: null,
      seats: null,
      units: null,
      customer_cancellation_reason: null,
      customer_cancellation_comment: null,
      metadata: {},
      custom_field_data: {},
      customer: this.customer(customer),
      product: this.product(product),
      discount: null,
      prices: [this.#price(product)],
      meters: [],
      pending_update: null,
    };
  }

  product(product: PolarProduct): models.Product {
    return {
      ...this.#productBase(product),
      metadata: {},
      is_deletable: false,
      benefits: product.benefits.map((benefit) => this.benefit(benefit)),
      attached_custom_fields: [],
    };
  }

  #productBase(product: PolarProduct) {
    return {
      id: product.id,
      ...this.#stamps(0),

      trial_interval: null,
      trial_interval_count: null,
      meter_interval: null,
      meter_interval_count: null,
      name: product.name,
      description: null,
      visibility: 'public',
      recurring_interval: 'month',
      recurring_interval_count: 1,
      is_recurring: true,
      is_archived: product.isArchived,
      organization_id: this.#world.organization,
      prices: [this.#price(product)],
      medias: [],
    } satisfies Partial<models.Product>;
  }

  #price(product: PolarProduct): models.ProductPriceFixed {
    return {
      id: product.id,
      ...this.#stamps(0),
      source: 'catalog',
      amount_type: 'fixed',
      price_currency: 'usd',
      tax_behavior: null,
      is_archived: false,
      product_id: product.id,
      price_amount: product.amount,
    };
  }

  checkout(checkout: PolarCheckout): models.Checkout {
    const { product } = checkout;
    const { amount } = product;
    const publicProduct: models.CheckoutProduct = { ...this.#productBase(product), benefits: [] };
    const secret = `polar_c_${checkout.id}`;
    return {
      id: checkout.id,
      ...this.#stamps(checkout.createdAt),

      custom_field_data: {},
      payment_processor: 'stripe',
      status: checkout.status,
      client_secret: secret,
      url: `${this.#url()}/checkout/${secret}`,
      expires_at: stamp(checkout.expiresAt),
      success_url: checkout.successUrl,
      return_url: checkout.returnUrl,
      embed_origin: null,
      amount,
      discount_amount: 0,
      net_amount: amount,
      tax_amount: null,
      total_amount: amount,
      tax_behavior: null,
      currency: 'usd',
      allow_trial: true,
      trial_end: null,
      seats: null,
      min_seats: null,
      max_seats: null,
      units: null,
      min_units: null,
      max_units: null,
      active_trial_interval: null,
      active_trial_interval_count: null,
      trial_interval: null,
      trial_interval_count: null,
      organization_id: this.#world.organization,
      product_id: product.id,
      product_price_id: product.id,
      discount_id: null,
      discount: null,
      allow_discount_codes: true,
      require_billing_address: false,
      is_discount_applicable: true,
      is_free_product_price: false,
      is_payment_required: true,
      is_payment_setup_required: true,
      is_payment_form_required: true,
      is_business_customer: false,
      payment_processor_metadata: {},
      customer_id: null,
      customer_name: null,
      customer_email: null,
      customer_ip_address: null,
      customer_billing_name: null,
      customer_billing_address: null,
      customer_tax_id: null,
      locale: null,
      payment_method_type: null,
      metadata: {},
      external_customer_id: null,
      customer_metadata: {},
      billing_address_fields: {
        country: 'required',
        state: 'optional',
        city: 'optional',
        postal_code: 'optional',
        line1: 'optional',
        line2: 'optional',
      },
      products: [publicProduct],
      product: publicProduct,
      product_price: this.#price(product),
      prices: null,
      subscription_id: checkout.subscription?.id ?? null,
      attached_custom_fields: [],
    };
  }

  /** The body of a webhook. */
  event(happening: Happening, timestamp: number): webhooks.WebhookPayload {
    const common = { timestamp: stamp(timestamp), api_version: '2026-10' };
    const type = happening.type as never;
    if ('subscription' in happening) {
      return { ...common, type, data: this.subscription(happening.subscription) };
    }
    if ('grant' in happening) {
      const { grant } = happening;
      const data = { ...this.grant(grant), benefit: this.benefit(grant.benefit), previous_properties: null };
      return { ...common, type, data: data as models.BenefitGrantLicenseKeysWebhook };
    }
    return { ...common, type, data: this.#customerState(happening.customer) };
  }

  #customerState(customer: PolarCustomer): models.CustomerStateIndividual {
    const { subscriptions, grants } = this.#world;
    const active = subscriptions.filter(
      (each) => each.customer === customer && (each.status === 'active' || each.status === 'trialing'),
    );
    const granted = grants.filter((each) => each.customer === customer && each.grantedAt !== null);
    return {
      ...this.customer(customer),
      active_subscriptions: active.map((each) => ({
        ...this.subscription(each),
        // The package states the wrong list of states here.
        status: each.status as unknown as models.CustomerStateSubscription['status'],
        seats: null,
        units: null,
        meters: [],
      })),
      granted_benefits: granted.map((each) => ({
        id: each.id,
        ...this.#stamps(each.createdAt),
        granted_at: stamp(each.grantedAt ?? 0),
        benefit_id: each.benefit.id,
        benefit_type: each.benefit.type,
        benefit_metadata: {},
        properties: this.#grantProperties(each),
      })),
      active_meters: [],
    };
  }

  #stamps(createdAt: number) {
    return { created_at: stamp(createdAt), modified_at: null };
  }
}

/** As Polar writes times: with microseconds. */
function stamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}

function time(milliseconds: number | null): string | null {
  return milliseconds === null ? null : stamp(milliseconds);
}
