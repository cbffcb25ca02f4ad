// What a Polar organization holds in a test, and what its customers and staff do to it, with the steps that Polar itself takes.

import { randomUUID } from 'node:crypto';
import type {
  Happening,
  NewSubscription,
  PolarBenefit,
  PolarCheckout,
  PolarCustomer,
  PolarGrant,
  PolarKey,
  PolarProduct,
  PolarSubscription,
} from './polar-objects.ts';

const MONTH = 30 * 86_400_000;

export class PolarWorld {
  readonly organization = randomUUID();
  readonly customers: PolarCustomer[] = [];
  readonly products: PolarProduct[] = [];
  readonly subscriptions: PolarSubscription[] = [];
  readonly grants: PolarGrant[] = [];
  readonly keys: PolarKey[] = [];
  readonly checkouts: PolarCheckout[] = [];
  readonly now: () => number;
  readonly #tell: (happening: Happening) => void;

  constructor(now: () => number, tell: (happening: Happening) => void) {
    this.now = now;
    this.#tell = tell;
  }

  addBenefit(type: PolarBenefit['type'] = 'license_keys', prefix: string | null = 'SERVICE'): PolarBenefit {
    return { id: randomUUID(), type, prefix: type === 'custom' ? null : prefix };
  }

  addProduct(name: string, amount: number, benefits: readonly PolarBenefit[]): PolarProduct {
    const product = { id: randomUUID(), name, amount, benefits, isArchived: false };
    this.products.push(product);
    return product;
  }

  addCustomer(name = `Customer ${this.customers.length + 1}`): PolarCustomer {
    const id = randomUUID();
    const customer = { id, name, email: `${id}@example.com` };
    this.customers.push(customer);
    return customer;
  }

  subscribe(product: PolarProduct, { customer, status = 'active' }: NewSubscription = {}): PolarSubscription {
    const now = this.now();
    const subscription: PolarSubscription = {
      id: randomUUID(),
      customer: customer ?? this.addCustomer(),
      product,
      status,
      startedAt: now,
      periodStart: now,
      periodEnd: now + MONTH,
      cancelAtPeriodEnd: false,
      canceledAt: null,
      endsAt: null,
      endedAt: null,
      pastDueAt: null,
      pausedAt: null,
    };
    this.subscriptions.push(subscription);
    this.#tell({ type: 'subscription.created', subscription });
    this.#updated(subscription, 'active');
    return subscription;
  }

  /** A purchase without a subscription, and its key. */
  order(product: PolarProduct, customer = this.addCustomer()): PolarKey {
    const order = randomUUID();
    for (const benefit of product.benefits) this.#grant({ customer, benefit, subscription: null, order });
    return this.#keyOf((grant) => grant.order === order);
  }

  /** The key that a subscription has now, in force or not. */
  keyOf(subscription: PolarSubscription): PolarKey {
    return this.#keyOf((grant) => grant.subscription === subscription);
  }

  changePlan(subscription: PolarSubscription, product: PolarProduct): void {
    subscription.product = product;
    this.#updated(subscription);
  }

  /** @param endsAt wall-clock milliseconds; default: the end of the period */
  cancelAtPeriodEnd(subscription: PolarSubscription, endsAt = subscription.periodEnd): void {
    subscription.periodEnd = endsAt;
    Object.assign(subscription, { cancelAtPeriodEnd: true, canceledAt: this.now(), endsAt });
    this.#updated(subscription, 'canceled');
  }

  uncancel(subscription: PolarSubscription): void {
    Object.assign(subscription, { cancelAtPeriodEnd: false, canceledAt: null, endsAt: null });
    this.#updated(subscription, 'uncanceled');
  }

  /** Ends it now. */
  revoke(subscription: PolarSubscription): void {
    const now = this.now();
    const canceledAt = subscription.canceledAt ?? now;
    Object.assign(subscription, { status: 'canceled', canceledAt, endsAt: now, endedAt: now });
    this.#updated(subscription, 'canceled', 'revoked');
  }

  /** What Polar does at the end of a period. */
  cycle(subscription: PolarSubscription): void {
    if (subscription.cancelAtPeriodEnd) {
      this.revoke(subscription);
      return;
    }
    subscription.periodStart = subscription.periodEnd;
    subscription.periodEnd += MONTH;
    this.#updated(subscription, 'cycled');
  }

  /** @param hasGrace whether the organization lets customers go on while payment is tried again */
  missPayment(subscription: PolarSubscription, hasGrace: boolean): void {
    Object.assign(subscription, { status: 'past_due', pastDueAt: this.now() });
    this.#tell({ type: 'subscription.updated', subscription });
    this.#tell({ type: 'subscription.past_due', subscription });
    if (!hasGrace) this.#syncGrants(subscription);
  }

  /** What Polar does when its grace is over: the state stays, the keys go. */
  endGrace(subscription: PolarSubscription): void {
    this.#syncGrants(subscription);
  }

  pay(subscription: PolarSubscription): void {
    Object.assign(subscription, { status: 'active', pastDueAt: null });
    this.#updated(subscription, 'active');
  }

  pause(subscription: PolarSubscription): void {
    Object.assign(subscription, { status: 'paused', pausedAt: this.now() });
    this.#updated(subscription, 'paused');
  }

  resume(subscription: PolarSubscription): void {
    Object.assign(subscription, { status: 'active', pausedAt: null });
    this.#updated(subscription, 'resumed');
  }

  /** The staff takes a key back, whatever its subscription says. */
  takeBack(key: PolarKey): void {
    for (const grant of this.grants) if (grant.key === key) this.#takeBack(grant);
  }

  /** Polar tells nobody of the following three: they are found by asking. */
  disable(key: PolarKey): void {
    key.status = 'disabled';
  }

  expire(key: PolarKey, at: number): void {
    key.expiresAt = at;
  }

  /** Another text for the same key. */
  rotate(key: PolarKey): string {
    key.key = newKey(key.benefit.prefix);
    return key.key;
  }

  addCheckout(product: PolarProduct, successUrl: string, returnUrl: string | null): PolarCheckout {
    const id = randomUUID();
    const now = this.now();
    const checkout: PolarCheckout = {
      id,
      product,
      status: 'open',
      createdAt: now,
      expiresAt: now + 3_600_000,
      subscription: null,
      successUrl: successUrl.replace(/(?:\{|%7B)CHECKOUT_ID(?:\}|%7D)/i, id),
      returnUrl,
    };
    this.checkouts.push(checkout);
    return checkout;
  }

  /** The customer pays. */
  completeCheckout(checkout: PolarCheckout): PolarSubscription {
    checkout.subscription ??= this.subscribe(checkout.product);
    checkout.status = 'succeeded';
    return checkout.subscription;
  }

  #keyOf(isMeant: (grant: PolarGrant) => boolean): PolarKey {
    const grants = this.grants.filter((grant) => grant.key !== null && isMeant(grant));
    const key = (grants.find((grant) => grant.grantedAt !== null) ?? grants.at(-1))?.key;
    if (!key) throw new Error('There is no license key');
    return key;
  }

  #updated(subscription: PolarSubscription, ...types: readonly string[]): void {
    for (const type of ['updated', ...types]) this.#tell({ type: `subscription.${type}`, subscription });
    this.#syncGrants(subscription);
  }

  /** Grants what the product has, and takes back what it has not or what is not paid any more. */
  #syncGrants(subscription: PolarSubscription): void {
    const { customer, product, status } = subscription;
    const wanted = status === 'active' || status === 'trialing' ? product.benefits : [];
    for (const grant of this.grants) {
      if (
        grant.subscription === subscription &&
        grant.grantedAt !== null &&
        !wanted.includes(grant.benefit)
      ) {
        this.#takeBack(grant);
      }
    }
    for (const benefit of wanted) this.#grant({ customer, benefit, subscription, order: null });
    this.#tell({ type: 'customer.state_changed', customer });
  }

  #grant(scope: Pick<PolarGrant, 'customer' | 'benefit' | 'subscription' | 'order'>): void {
    const known = this.grants.find(
      ({ benefit, subscription, order }) =>
        benefit === scope.benefit && subscription === scope.subscription && order === scope.order,
    );
    if (known?.grantedAt) return;
    const now = this.now();
    const grant = known ?? {
      id: randomUUID(),
      ...scope,
      createdAt: now,
      grantedAt: null,
      revokedAt: null,
      key: null,
    };
    if (known === undefined) this.grants.push(grant);
    if (scope.benefit.type === 'license_keys') grant.key ??= this.#addKey(scope.customer, scope.benefit);
    if (grant.key?.status === 'revoked') grant.key.status = 'granted';
    Object.assign(grant, { grantedAt: now, revokedAt: null });
    this.#tell({ type: 'benefit_grant.created', grant });
  }

  #takeBack(grant: PolarGrant): void {
    if (grant.key !== null) grant.key.status = 'revoked';
    Object.assign(grant, { grantedAt: null, revokedAt: this.now() });
    this.#tell({ type: 'benefit_grant.revoked', grant });
  }

  #addKey(customer: PolarCustomer, benefit: PolarBenefit): PolarKey {
    const key: PolarKey = {
      id: randomUUID(),
      customer,
      benefit,
      key: newKey(benefit.prefix),
      status: 'granted',
      expiresAt: null,
      createdAt: this.now(),
      validations: 0,
      lastValidatedAt: null,
    };
    this.keys.push(key);
    return key;
  }
}

function newKey(prefix: string | null): string {
  return `${prefix === null ? '' : `${prefix}-`}${randomUUID()}`.toUpperCase();
}
