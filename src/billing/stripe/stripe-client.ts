// Client of the Stripe API: the calls that are needed, in the one version whose answers are read, as records.

import { ProviderUnavailable } from '../../access/tiers/provider.ts';
import type { Plan } from '../../access/tiers/tiers.ts';
import type { Urgency } from '../call-budget.ts';
import type { PaymentAnswer, PaymentApi } from '../payment-api.ts';
import { highestPlan, planOfLookupKey } from './plan-names.ts';
import {
  type CheckoutRecord,
  type ItemRecord,
  type ListPage,
  membersOf,
  type PriceRecord,
  RecordReader,
  type SubscriptionRecord,
} from './stripe-records.ts';

/** Since 2025-03-31 periods stand on the items of a subscription: another version would be read wrongly. */
export const STRIPE_VERSION = '2026-10-28.endive';

/** Headers of every call. */
export function stripeHeaders(secretKey: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${secretKey}`, 'stripe-version': STRIPE_VERSION };
}

/** Who waits for an answer, and until when. */
export interface Asking {
  readonly signal: AbortSignal;
  readonly urgency: Urgency;
}

export interface CheckoutForm {
  readonly price: string;
  readonly returnUrl: string;
  readonly cancelUrl: string;
  /** The issued key's: in the metadata of session and subscription, by which both lead back to it. */
  readonly keyId: string;
}

/** Subscriptions that contain a price, and were created within these seconds; the newest first. */
export interface CreatedRange {
  readonly price: string;
  /** Seconds since the epoch, both included. */
  readonly from: number;
  readonly to: number;
  /** The subscription after which the range begins; absent: at its end. */
  readonly after?: string | undefined;
}

/** Key of the metadata that names an issued key. */
export const KEY_METADATA = 'freehold_key';

const PAGE = 100;

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export class StripeClient {
  readonly #api: PaymentApi;
  readonly #read: RecordReader;

  /** @param api sends `stripeHeaders` with every call */
  constructor(api: PaymentApi, secretKey: string) {
    this.#api = api;
    const [, mode] = /_(live|test)_/.exec(secretKey) ?? [];
    this.#read = new RecordReader(mode === undefined ? null : mode === 'live');
  }

  /** With all its items and their products; null: there is none. */
  async findSubscription(id: string, asking: Asking): Promise<SubscriptionRecord | null> {
    const query = { 'expand[]': ['items.data.price.product'] };
    const place = { path: '/v1/subscriptions', id, query };
    const subscription = await this.#find(place, this.#read.subscription, asking);
    return subscription === null ? null : this.#withAllItems(subscription, asking);
  }

  /** The subscriptions of a customer in any state; products are not expanded. */
  async listCustomerSubscriptions(customer: string, asking: Asking): Promise<readonly SubscriptionRecord[]> {
    const query = { status: 'all', customer };
    const pages = this.#pages('/v1/subscriptions', query, this.#read.subscription, asking);
    const subscriptions = (await Array.fromAsync(pages)).flat();
    if (subscriptions.some((each) => each.customer !== customer))
      throw unusable('subscriptions of another customer');
    return subscriptions;
  }

  /** One page of the subscriptions of a range that are not cancelled, the newest first; products are not expanded. */
  async listSubscriptionPage(
    { price, from, to, after }: CreatedRange,
    asking: Asking,
  ): Promise<ListPage<SubscriptionRecord>> {
    const query = {
      price,
      'created[gte]': String(from),
      'created[lte]': String(to),
      limit: String(PAGE),
      starting_after: after,
    };
    const answer = await this.#api.call({ method: 'GET', path: '/v1/subscriptions', query, ...asking });
    return this.#read.list(requireSuccess(answer), this.#read.subscription);
  }

  findPrice(id: string, asking: Asking): Promise<PriceRecord | null> {
    const place = { path: '/v1/prices', id, query: { 'expand[]': ['product'] } };
    return this.#find(place, this.#read.price, asking);
  }

  /** Prices that are charged again and again: those that can be bought, or archived ones too. */
  async listPrices(
    asking: Asking,
    { archived = false }: { readonly archived?: boolean } = {},
  ): Promise<readonly PriceRecord[]> {
    const active = archived ? undefined : 'true';
    const query = { active, type: 'recurring', 'expand[]': ['data.product'] };
    const pages = await Array.fromAsync(this.#pages('/v1/prices', query, this.#read.price, asking));
    return pages.flat();
  }

  /** The highest plan among the features that entitle buyers of a product; null: none names a plan, or there is no product. */
  async findFeaturePlan(product: string, asking: Asking): Promise<Plan | null> {
    const path = `/v1/products/${encodeURIComponent(product)}/features`;
    let plan: Plan | null = null;
    for await (const page of this.#pages(path, {}, this.#read.productFeature, asking, true)) {
      plan = highestPlan([plan, ...page.map(planOfLookupKey)]);
    }
    return plan;
  }

  /** Whether any feature names a plan: where none does, no product need be asked for its own. */
  async hasPlanFeatures(asking: Asking): Promise<boolean> {
    const path = '/v1/entitlements/features';
    for await (const page of this.#pages(path, {}, this.#read.feature, asking)) {
      if (page.some((lookupKey) => planOfLookupKey(lookupKey) !== null)) return true;
    }
    return false;
  }

  findCheckout(id: string, asking: Asking): Promise<CheckoutRecord | null> {
    return this.#find({ path: '/v1/checkout/sessions', id }, this.#read.checkout, asking);
  }

  /** @param idempotencyKey the same for every attempt, so that one session is made at most */
  async createCheckout(form: CheckoutForm, idempotencyKey: string, asking: Asking): Promise<CheckoutRecord> {
    const body = new URLSearchParams({
      mode: 'subscription',
      'line_items[0][price]': form.price,
      'line_items[0][quantity]': '1',
      success_url: form.returnUrl,
      cancel_url: form.cancelUrl,
      client_reference_id: form.keyId,
      [`metadata[${KEY_METADATA}]`]: form.keyId,
      [`subscription_data[metadata][${KEY_METADATA}]`]: form.keyId,
    });
    const answer = await this.#api.call({
      method: 'POST',
      path: '/v1/checkout/sessions',
      isWrite: true,
      body,
      ...asking,
      headers: { 'idempotency-key': idempotencyKey },
    });
    return this.#read.checkout(requireSuccess(answer));
  }

  /** The object with this id; null if Stripe says that there is none. */
  async #find<Item extends { readonly id: string }>(
    { path, id, query = {} }: { readonly path: string; readonly id: string; readonly query?: Query },
    read: (body: unknown) => Item,
    asking: Asking,
  ): Promise<Item | null> {
    const whole = `${path}/${encodeURIComponent(id)}`;
    const answer = await this.#api.call({ method: 'GET', path: whole, query, ...asking });
    if (isMissing(answer)) return null;
    const item = read(requireSuccess(answer));
    if (item.id !== id) throw unusable('it is about another object');
    return item;
  }

  /** Pages of a list, each starting behind the last object of the one before. */
  async *#pages<Item>(
    path: string,
    query: Query,
    read: (item: unknown) => Item,
    asking: Asking,
    mayBeMissing = false,
  ): AsyncGenerator<readonly Item[], void> {
    let last: string | undefined;
    for (;;) {
      const paging = { ...query, limit: String(PAGE), starting_after: last };
      const answer = await this.#api.call({ method: 'GET', path, query: paging, ...asking });
      if (mayBeMissing && isMissing(answer)) return;
      const page = this.#read.list(requireSuccess(answer), (item) => [idOf(item), read(item)] as const);
      yield page.items.map(([, item]) => item);
      if (!page.hasMore) return;
      const next = page.items.at(-1)?.[0];
      if (next === undefined || next === last) throw unusable('a list does not go on');
      last = next;
    }
  }

  /** A subscription may have more items than stand in it. */
  async #withAllItems(subscription: SubscriptionRecord, asking: Asking): Promise<SubscriptionRecord> {
    if (!subscription.hasMoreItems) return subscription;
    const query = { subscription: subscription.id, 'expand[]': ['data.price.product'] };
    const items: ItemRecord[] = [];
    for await (const page of this.#pages('/v1/subscription_items', query, this.#read.item, asking)) {
      items.push(...page);
    }
    if (items.length === 0) throw unusable('a subscription without items');
    return { ...subscription, items, hasMoreItems: false };
  }
}

/** Whether Stripe says that there is no such object. One of the other mode is there: the secret key is the wrong one. */
function isMissing({ status, body }: PaymentAnswer): boolean {
  if (status !== 404) return false;
  const { code, type, message } = membersOf(membersOf(body, 'error').error, 'error');
  if (code !== 'resource_missing' || type !== 'invalid_request_error')
    throw unusable('a 404 of another kind');
  if (typeof message === 'string' && /\b(?:live|test) mode\b/.test(message)) {
    throw unusable('what was asked for is of another mode than the secret key');
  }
  return true;
}

function requireSuccess({ status, body }: PaymentAnswer): unknown {
  if (status !== 200) throw unusable(`status ${status}`);
  return body;
}

function idOf(item: unknown): string {
  const { id } = membersOf(item, 'object');
  if (typeof id !== 'string' || id === '') throw unusable('an object without an id');
  return id;
}

function unusable(why: string): ProviderUnavailable {
  return new ProviderUnavailable(new Error(`Stripe's answer is unusable: ${why}`));
}
