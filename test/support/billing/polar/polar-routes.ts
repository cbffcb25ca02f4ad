// Routes of a test's Polar API: what each call of it answers.

import type { IncomingHttpHeaders } from 'node:http';
import { parseJson } from '../../../../src/lib/parse.ts';
import type { PolarKey } from './polar-objects.ts';
import type { PolarServer } from './polar-server.ts';

export interface PolarRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Monotonic milliseconds of arrival. */
  readonly at: number;
}

export interface PolarAnswer {
  readonly status: number;
  /** Sent as JSON; a text as it is. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Polar = Pick<PolarServer, 'world' | 'wire' | 'accessToken' | 'url'>;

const VERSIONS = ['2026-04', '2026-10', '2027-01'];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const MAX_LIMIT = 100;

/** What Polar answers when nothing goes wrong. */
export function answerPolar(polar: Polar, request: PolarRequest): PolarAnswer {
  const { method, path } = request;
  if (path.startsWith('/checkout/')) return checkoutPage(polar, request);
  const version = request.headers['polar-version'] ?? '2026-10';
  if (!VERSIONS.includes(String(version))) return { status: 404, body: { detail: 'Not Found' } };
  if (request.headers.authorization !== `Bearer ${polar.accessToken}`) {
    return {
      status: 401,
      body: { error: 'invalid_token', error_description: 'The access token is invalid' },
    };
  }
  const [, version1, collection = '', id] = path.split('/');
  if (version1 !== 'v1') return { status: 404, body: { detail: 'Not Found' } };
  if (id === undefined) return { status: 307, body: '', headers: { location: `${polar.url}${path}/` } };
  if (method === 'POST' && collection === 'license-keys' && id === 'validate')
    return validate(polar, request);
  if (method === 'POST' && collection === 'checkouts' && id === '') return createCheckout(polar, request);
  if (method !== 'GET') return { status: 405, body: { detail: 'Method Not Allowed' } };
  return id === '' ? listRecords(polar, collection, request.query) : findRecord(polar, collection, id);
}

function validate({ world, wire }: Polar, { body }: PolarRequest): PolarAnswer {
  const wanted = parseJson(body) as { key?: unknown; organization_id?: unknown } | undefined;
  if (typeof wanted?.key !== 'string' || !UUID.test(String(wanted.organization_id))) return invalid('body');
  if (wanted.organization_id !== world.organization) return missing();
  // Polar compares the text as it is stored.
  const key = world.keys.find((each) => each.key === wanted.key);
  if (key === undefined) return missing();
  if (key.status !== 'granted') return missing('License key is no longer active.');
  if (key.expiresAt !== null && world.now() >= key.expiresAt) return missing('License key has expired.');
  key.validations++;
  key.lastValidatedAt = world.now();
  return { status: 200, body: wire.validatedKey(key) };
}

function createCheckout({ world, wire }: Polar, { body }: PolarRequest): PolarAnswer {
  const wanted = parseJson(body) as
    | { products?: unknown; success_url?: unknown; return_url?: unknown }
    | undefined;
  const [id] = Array.isArray(wanted?.products) ? wanted.products : [];
  const product = world.products.find((each) => each.id === id && !each.isArchived);
  if (product === undefined || typeof wanted?.success_url !== 'string') return invalid('products');
  const returnUrl = typeof wanted.return_url === 'string' ? wanted.return_url : null;
  return { status: 201, body: wire.checkout(world.addCheckout(product, wanted.success_url, returnUrl)) };
}

function findRecord({ world, wire }: Polar, collection: string, id: string): PolarAnswer {
  if (!UUID.test(id)) return invalid('path');
  const byId = (each: { readonly id: string }) => each.id === id.toLowerCase();
  switch (collection) {
    case 'license-keys':
      return found(world.keys.find(byId), (key) => wire.keyWithActivations(key));
    case 'subscriptions':
      return found(world.subscriptions.find(byId), (subscription) => wire.subscription(subscription));
    case 'products':
      return found(world.products.find(byId), (product) => wire.product(product));
    case 'checkouts':
      return found(world.checkouts.find(byId), (checkout) => wire.checkout(checkout));
    default:
      return { status: 404, body: { detail: 'Not Found' } };
  }
}

function listRecords({ world, wire }: Polar, collection: string, query: URLSearchParams): PolarAnswer {
  const isAsked = (name: string, value: string | boolean) => {
    const asked = query.getAll(name);
    return asked.length === 0 || asked.includes(String(value));
  };
  if (!isAsked('organization_id', world.organization)) return page(query, []);
  switch (collection) {
    case 'license-keys': {
      const keys = world.keys.filter(
        (key: PolarKey) => isAsked('status', key.status) && isAsked('benefit_id', key.benefit.id),
      );
      return page(
        query,
        keys.map((key) => wire.key(key)),
      );
    }
    case 'benefit-grants': {
      const grants = world.grants.filter(
        (grant) =>
          isAsked('customer_id', grant.customer.id) && isAsked('is_granted', grant.grantedAt !== null),
      );
      return page(
        query,
        sorted(
          query,
          grants.map((grant) => wire.grant(grant)),
          '-created_at',
        ),
      );
    }
    case 'subscriptions': {
      const subscriptions = world.subscriptions.filter(
        (each) =>
          isAsked('customer_id', each.customer.id) &&
          isAsked('product_id', each.product.id) &&
          isAsked('status', each.status) &&
          isAsked('active', each.status === 'active' || each.status === 'trialing'),
      );
      return page(
        query,
        sorted(
          query,
          subscriptions.map((each) => wire.subscription(each)),
          '-started_at',
        ),
      );
    }
    case 'products': {
      const products = world.products.filter(
        (each) =>
          isAsked('id', each.id) && isAsked('is_archived', each.isArchived) && isAsked('is_recurring', true),
      );
      return page(
        query,
        products.map((product) => wire.product(product)),
      );
    }
    default:
      return { status: 404, body: { detail: 'Not Found' } };
  }
}

/** Records are kept in the order of their making. */
function sorted<T>(query: URLSearchParams, items: readonly T[], usual: string): readonly T[] {
  return (query.get('sorting') ?? usual).startsWith('-') ? items.toReversed() : items;
}

function page(query: URLSearchParams, items: readonly unknown[]): PolarAnswer {
  const number = Number(query.get('page') ?? 1);
  const limit = Math.min(MAX_LIMIT, Number(query.get('limit') ?? 10));
  if (!(Number.isInteger(number) && number > 0 && Number.isInteger(limit) && limit > 0))
    return invalid('query');
  const start = (number - 1) * limit;
  const pagination = { total_count: items.length, max_page: Math.ceil(items.length / limit) };
  return { status: 200, body: { items: items.slice(start, start + limit), pagination } };
}

function found<T>(record: T | undefined, write: (record: T) => unknown): PolarAnswer {
  return record === undefined ? missing() : { status: 200, body: write(record) };
}

function missing(detail = 'Not found'): PolarAnswer {
  return { status: 404, body: { error: 'ResourceNotFound', detail } };
}

function invalid(place: string): PolarAnswer {
  const fault = { type: 'value_error', loc: [place], msg: 'Input is not valid', input: null };
  return { status: 422, body: { error: 'RequestValidationError', detail: [fault] } };
}

/** The page that a checkout's URL leads to: people pay there, or go back. */
function checkoutPage({ world }: Polar, { method, path }: PolarRequest): PolarAnswer {
  const [, , secret = '', action] = path.split('/');
  const checkout = world.checkouts.find((each) => `polar_c_${each.id}` === secret);
  if (checkout === undefined) return { status: 404, body: '<h1>No such checkout</h1>' };
  if (method !== 'POST') {
    const form = (name: string, label: string) =>
      `<form method="post" action="/checkout/${secret}/${name}"><button>${label}</button></form>`;
    const title = `<!doctype html><title>Checkout</title><h1>${checkout.product.name}</h1>`;
    return { status: 200, body: `${title}${form('pay', 'Pay')}${form('cancel', 'Cancel')}` };
  }
  if (action === 'pay') world.completeCheckout(checkout);
  const location = action === 'pay' ? checkout.successUrl : (checkout.returnUrl ?? '/');
  return { status: 303, body: '', headers: { location } };
}
