// Account at Stripe as tests control it: products, prices, sessions, subscriptions, and the events about them.

import type { Stripe } from 'stripe';
import type { Plan } from '../../../../src/access/tiers/tiers.ts';
import type { Clock } from '../../../../src/lib/clock.ts';
import {
  featureObject,
  itemObject,
  type NewPrice,
  priceObject,
  productFeatureObject,
  productObject,
  type Seconds,
  stripeId,
  subscriptionObject,
  type WireFeature,
  type WireItem,
  type WirePrice,
  type WireProduct,
  type WireSession,
  type WireSubscription,
} from './stripe-objects.ts';

const DAY: Seconds = 86_400;
const VERSION = '2026-10-28.endive';

/** An event as its webhook carries it. */
export interface WireEvent {
  readonly id: string;
  readonly object: 'event';
  readonly api_version: string;
  readonly created: Seconds;
  readonly data: { readonly object: object };
  readonly livemode: boolean;
  readonly pending_webhooks: number;
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null };
  readonly type: string;
}

export interface NewPlan extends Partial<Omit<NewPrice, 'product' | 'lookupKey'>> {
  /** How it is named: by the price, the product, or a feature of the product; default by the price. */
  readonly by?: 'lookup key' | 'metadata' | 'feature';
  /** Behind the plan in the lookup key. */
  readonly suffix?: string;
}

export interface NewSubscription {
  /** Ids of prices, each an item. */
  readonly prices: readonly string[];
  readonly customer?: string;
  readonly status?: Stripe.Subscription.Status;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly cancelAt?: Seconds;
}

/** A session, and what it is for. */
interface Sale {
  readonly session: WireSession;
  readonly price: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export class StripeAccount {
  readonly livemode: boolean;
  readonly products = new Map<string, WireProduct>();
  readonly prices = new Map<string, WirePrice>();
  readonly features = new Map<string, WireFeature>();
  readonly productFeatures = new Map<string, Stripe.ProductFeature[]>();
  readonly sales = new Map<string, Sale>();
  readonly items = new Map<string, readonly WireItem[]>();
  /** Every event so far, the oldest first. */
  readonly events: WireEvent[] = [];
  readonly #subscriptions = new Map<string, WireSubscription>();
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'>, livemode: boolean) {
    this.#clock = clock;
    this.livemode = livemode;
  }

  get now(): Seconds {
    return Math.floor(this.#clock.now() / 1000);
  }

  get #common() {
    return { livemode: this.livemode, created: this.now };
  }

  addProduct(name: string, metadata: Record<string, string> = {}, features: readonly string[] = []): string {
    const product = productObject(this.#common, { name, metadata });
    this.products.set(product.id, product);
    for (const lookupKey of features) {
      const known = [...this.features.values()].find((each) => each.lookup_key === lookupKey);
      const feature = known ?? featureObject(this.#common, lookupKey);
      this.features.set(feature.id, feature);
      const given = this.productFeatures.get(product.id) ?? [];
      this.productFeatures.set(product.id, [...given, productFeatureObject(feature)]);
    }
    return product.id;
  }

  addPrice(product: string, wanted: Partial<Omit<NewPrice, 'product'>> = {}): string {
    const price = priceObject(this.#common, {
      product,
      lookupKey: null,
      amount: 1_000,
      currency: 'usd',
      interval: 'month',
      intervalCount: 1,
      usage: 'licensed',
      ...wanted,
    });
    this.prices.set(price.id, price);
    return price.id;
  }

  /** A product with a price that stands for a plan; gives the id of the price. */
  addPlan(plan: Plan, { by = 'lookup key', suffix = '', ...wanted }: NewPlan = {}): string {
    const metadata = by === 'metadata' ? { freehold_plan: plan } : {};
    const features = by === 'feature' ? [`freehold_${plan}`] : [];
    const product = this.addProduct(`Freehold ${plan}`, metadata, features);
    const lookupKey = by === 'lookup key' ? `freehold_${plan}${suffix}` : null;
    return this.addPrice(product, { ...wanted, lookupKey });
  }

  subscribe(wanted: NewSubscription): WireSubscription {
    const { prices, customer = stripeId('cus'), status = 'active', metadata = {} } = wanted;
    const id = stripeId('sub');
    const items = this.#itemsOf(id, prices);
    const subscription = subscriptionObject(
      this.#common,
      { id, customer, status, metadata: { ...metadata }, currency: 'usd' },
      items,
    );
    subscription.cancel_at = wanted.cancelAt ?? null;
    this.items.set(id, items);
    this.#subscriptions.set(id, subscription);
    this.#tell('customer.subscription.created', subscription);
    return subscription;
  }

  /** A subscription as it is now. */
  subscription(id: string): WireSubscription | undefined {
    const found = this.#subscriptions.get(id);
    if (found !== undefined) this.#cancelIfDue(found);
    return found;
  }

  /** The newest first. */
  subscriptions(): readonly WireSubscription[] {
    return [...this.#subscriptions.values()].reverse().map((each) => {
      this.#cancelIfDue(each);
      return each;
    });
  }

  /** Changes members of a subscription. */
  update(id: string, changes: Partial<WireSubscription>): void {
    const subscription = this.#known(id);
    Object.assign(subscription, changes);
    const over = subscription.status === 'canceled' ? 'deleted' : 'updated';
    this.#tell(`customer.subscription.${over}`, subscription);
  }

  /** Changes what is subscribed to. */
  changePrices(id: string, prices: readonly string[]): void {
    const items = this.#itemsOf(id, prices);
    this.items.set(id, items);
    const list = this.#known(id).items;
    this.update(id, { items: { ...list, data: items.slice(0, 10), has_more: items.length > 10 } });
  }

  /** Begins the next period of all items, of thirty days, and charges for it. */
  renew(id: string, paid: boolean): void {
    for (const item of this.items.get(id) ?? []) {
      item.current_period_start = this.now;
      item.current_period_end = this.now + 30 * DAY;
    }
    this.update(id, { status: paid ? 'active' : 'past_due', latest_invoice: stripeId('in') });
  }

  cancel(id: string): void {
    this.update(id, { status: 'canceled', canceled_at: this.now, ended_at: this.now });
  }

  /** Removes a subscription as if it had never been. */
  forget(id: string): void {
    this.#subscriptions.delete(id);
  }

  /**
   * Pays in a session. Money that is on its way makes it complete but unpaid, and the subscription incomplete, until
   * `receiveMoney`.
   */
  complete(
    session: string,
    {
      status = 'active',
      customer = stripeId('cus'),
    }: Partial<Pick<NewSubscription, 'status' | 'customer'>> = {},
  ): WireSubscription {
    const { session: open, price, metadata } = this.#sale(session);
    if (open.status !== 'open') throw new Error(`The session is ${open.status}`);
    const subscription = this.subscribe({ prices: [price], customer, status, metadata });
    const payment: Stripe.Checkout.Session.PaymentStatus = status === 'incomplete' ? 'unpaid' : 'paid';
    Object.assign(open, {
      status: 'complete',
      url: null,
      customer,
      subscription: subscription.id,
      payment_status: status === 'trialing' ? 'no_payment_required' : payment,
    });
    this.#tell('checkout.session.completed', open);
    return subscription;
  }

  receiveMoney(session: string): void {
    const { session: complete } = this.#sale(session);
    complete.payment_status = 'paid';
    this.update(String(complete.subscription), { status: 'active' });
    this.#tell('checkout.session.async_payment_succeeded', complete);
  }

  expire(session: string): void {
    const { session: open } = this.#sale(session);
    Object.assign(open, { status: 'expired', url: null });
    this.#tell('checkout.session.expired', open);
  }

  /** A session as it is now. */
  session(id: string): WireSession | undefined {
    const sale = this.sales.get(id);
    if (sale?.session.status === 'open' && sale.session.expires_at <= this.now) this.expire(id);
    return sale?.session;
  }

  /** Whatever has this id, for references that are expanded. */
  find(id: string): object | undefined {
    const place = { prod: this.products, price: this.prices, feat: this.features }[id.split('_')[0] ?? ''];
    return place?.get(id) ?? this.subscription(id) ?? this.session(id);
  }

  event(type: string, object: object): WireEvent {
    return {
      id: stripeId('evt'),
      object: 'event',
      api_version: VERSION,
      created: this.now,
      data: { object: structuredClone(object) },
      livemode: this.livemode,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    };
  }

  #tell(type: string, object: object): void {
    this.events.push(this.event(type, object));
  }

  #cancelIfDue(subscription: WireSubscription): void {
    const { cancel_at: due, status } = subscription;
    if (due !== null && due <= this.now && !['canceled', 'incomplete_expired'].includes(status)) {
      Object.assign(subscription, { status: 'canceled', canceled_at: due, ended_at: due });
      this.#tell('customer.subscription.deleted', subscription);
    }
  }

  #itemsOf(subscription: string, prices: readonly string[]): readonly WireItem[] {
    const [start, end] = [this.now, this.now + 30 * DAY];
    return prices.map((id) => {
      const price = this.prices.get(id);
      if (price === undefined) throw new Error(`There is no price ${id}`);
      return itemObject(this.#common, { subscription, price, start, end });
    });
  }

  #known(id: string): WireSubscription {
    const found = this.#subscriptions.get(id);
    if (found === undefined) throw new Error(`There is no subscription ${id}`);
    return found;
  }

  #sale(session: string): Sale {
    const sale = this.sales.get(session);
    if (sale === undefined) throw new Error(`There is no session ${session}`);
    return sale;
  }
}
