// Endpoints of the Stripe API that the tests' server has: what each takes, and what it answers.

import type { StripeAccount } from './stripe-account.ts';
import { sessionObject, stripeId, type WireSubscription } from './stripe-objects.ts';
import {
  expandAll,
  invalid,
  listParam,
  metadataParam,
  missing,
  type Params,
  pageOf,
  rangeParam,
  requireKnown,
  StripeFault,
  textParam,
} from './stripe-wire.ts';

export interface StripeCall {
  readonly method: string;
  readonly path: string;
  /** Of the query or of the form. */
  readonly params: Params;
  /** The server's own address, for pages of payments. */
  readonly origin: string;
}

type Endpoint = (account: StripeAccount, call: StripeCall, id: string) => object;

const PAGING = ['limit', 'starting_after', 'ending_before'];
/** Seconds that a session lasts. */
const SESSION = 86_400;

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  'GET /v1/subscriptions'(account, { params }) {
    requireKnown(params, [...PAGING, 'status', 'customer', 'price', 'created']);
    const [status, customer, price] = ['status', 'customer', 'price'].map((name) => textParam(params, name));
    const { gte = 0, lte = Number.POSITIVE_INFINITY } = rangeParam(params, 'created');
    const wanted = (each: WireSubscription) =>
      (customer === undefined || each.customer === customer) &&
      (price === undefined || account.items.get(each.id)?.some((item) => item.price.id === price) === true) &&
      each.created >= gte &&
      each.created <= lte &&
      (status === undefined ? each.status !== 'canceled' : [each.status, 'all'].includes(status));
    const place = { url: '/v1/subscriptions', what: 'subscription' };
    return pageOf(account.subscriptions().filter(wanted), params, place);
  },
  'GET /v1/subscriptions/:id'(account, { params }, id) {
    requireKnown(params, []);
    return account.subscription(id) ?? fail(missing('subscription', id));
  },
  'GET /v1/subscription_items'(account, { params }) {
    requireKnown(params, [...PAGING, 'subscription']);
    const subscription = textParam(params, 'subscription') ?? fail(required('subscription'));
    const items = account.items.get(subscription) ?? fail(missing('subscription', subscription));
    return pageOf(items, params, { url: '/v1/subscription_items', what: 'subscription item' });
  },
  'GET /v1/prices'(account, { params }) {
    requireKnown(params, [...PAGING, 'active', 'type', 'product', 'lookup_keys', 'currency']);
    const [active, type] = [textParam(params, 'active'), textParam(params, 'type')];
    const wanted = [...account.prices.values()].filter(
      (price) =>
        (active === undefined || String(price.active) === active) &&
        (type === undefined || price.type === type),
    );
    return pageOf(wanted.reverse(), params, { url: '/v1/prices', what: 'price' });
  },
  'GET /v1/prices/:id'(account, { params }, id) {
    requireKnown(params, []);
    return account.prices.get(id) ?? fail(missing('price', id, 'price'));
  },
  'GET /v1/products'(account, { params }) {
    requireKnown(params, [...PAGING, 'active', 'ids']);
    const ids = params.ids === undefined ? null : listParam(params, 'ids');
    const wanted = [...account.products.values()].filter(({ id }) => ids === null || ids.includes(id));
    return pageOf(wanted.reverse(), params, { url: '/v1/products', what: 'product' });
  },
  'GET /v1/products/:id'(account, { params }, id) {
    requireKnown(params, []);
    return account.products.get(id) ?? fail(missing('product', id));
  },
  'GET /v1/products/:id/features'(account, { params }, id) {
    requireKnown(params, PAGING);
    if (!account.products.has(id)) throw missing('product', id);
    const features = account.productFeatures.get(id) ?? [];
    return pageOf(features, params, { url: `/v1/products/${id}/features`, what: 'product feature' });
  },
  'GET /v1/entitlements/features'(account, { params }) {
    requireKnown(params, [...PAGING, 'lookup_key', 'archived']);
    const features = [...account.features.values()].reverse();
    return pageOf(features, params, { url: '/v1/entitlements/features', what: 'feature' });
  },
  'POST /v1/checkout/sessions': createSession,
  'GET /v1/checkout/sessions/:id'(account, { params }, id) {
    requireKnown(params, []);
    return account.session(id) ?? fail(missing('checkout.session', id, 'session'));
  },
};

/** The object of the answer. Throws StripeFault. */
export function answerOf(account: StripeAccount, call: StripeCall): object {
  const [endpoint, id] = endpointOf(call);
  const answer = structuredClone(endpoint(account, call, id));
  expandAll(answer, listParam(call.params, 'expand'), (reference) => account.find(reference));
  return answer;
}

function endpointOf({ method, path }: StripeCall): [Endpoint, string] {
  for (const [route, endpoint] of Object.entries(ENDPOINTS)) {
    const [verb = '', pattern = ''] = route.split(' ');
    const found = new RegExp(`^${pattern.replace(':id', '([^/]+)')}$`).exec(path);
    if (verb === method && found !== null) return [endpoint, decodeURIComponent(found[1] ?? '')];
  }
  throw new StripeFault(404, {
    message: `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs.`,
  });
}

function createSession(account: StripeAccount, { params, origin }: StripeCall): object {
  const known = ['mode', 'line_items', 'success_url', 'cancel_url', 'client_reference_id', 'metadata'];
  requireKnown(params, [...known, 'subscription_data', 'expires_at']);
  if (textParam(params, 'mode') !== 'subscription') throw invalid('mode', 'Invalid mode');
  const [line] = Array.isArray(params.line_items) ? params.line_items : [];
  if (line === undefined || typeof line === 'string' || Array.isArray(line)) throw required('line_items');
  const priceId = textParam(line, 'price') ?? fail(required('line_items[0][price]'));
  const price = account.prices.get(priceId) ?? fail(missing('price', priceId, 'line_items[0][price]', 400));
  if (!price.active) throw invalid('line_items[0][price]', 'The price specified is inactive.');
  if (textParam(line, 'quantity') === undefined) throw required('line_items[0][quantity]');
  const successUrl = textParam(params, 'success_url') ?? fail(required('success_url'));
  if (!URL.canParse(successUrl)) throw invalid('success_url', 'Not a valid URL', 'url_invalid');
  const id = stripeId(`cs_${account.livemode ? 'live' : 'test'}`);
  const session = sessionObject(
    id,
    { livemode: account.livemode, created: account.now },
    {
      url: `${origin}/c/pay/${id}`,
      price,
      expiresAt: account.now + SESSION,
      successUrl,
      cancelUrl: textParam(params, 'cancel_url') ?? null,
      clientReference: textParam(params, 'client_reference_id') ?? null,
      metadata: metadataParam(params),
    },
  );
  const data = params.subscription_data ?? {};
  const metadata = typeof data === 'string' || Array.isArray(data) ? {} : metadataParam(data);
  account.sales.set(id, { session, price: priceId, metadata });
  return session;
}

function required(param: string): StripeFault {
  return invalid(param, `Missing required param: ${param}.`, 'parameter_missing');
}

function fail(fault: StripeFault): never {
  throw fault;
}

/** The object as versions before 2025-03-31 show it: periods on the subscription, none on its items. */
export function inOldVersion(answer: object): object {
  const old = (subscription: Record<string, unknown>) => {
    const items = subscription.items as { data: Record<string, unknown>[] };
    const [{ current_period_start, current_period_end } = {}] = items.data;
    const data = items.data.map(({ current_period_start: _, current_period_end: __, ...item }) => item);
    return { ...subscription, current_period_start, current_period_end, items: { ...items, data } };
  };
  const members = answer as Record<string, unknown>;
  if (members.object === 'subscription') return old(members);
  if (members.object !== 'list' || members.url !== '/v1/subscriptions') return answer;
  return { ...members, data: (members.data as Record<string, unknown>[]).map(old) };
}
