// Events of payment services as tests send them: signed by the services' own packages.

import { webhooks } from '@polar-sh/sdk/2026-10';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';

/** A secret of Polar as it has made them since 8 September 2026, and one as it did before. */
export const POLAR_SECRET = 'whsec_c2VjcmV0IG9mIHRoZSB3ZWJob29rLCAzMiBieXRlcyE=';
export const OLD_POLAR_SECRET = 'polar_whs_kT9wq2xV7mRr4JcYb1LhZsDfGnUoPiEa';
export const STRIPE_SECRET = 'whsec_Zq3xV7mRr4JcYb1LhZsDfGnUoPiEa0kT';

export const ORGANIZATION = '1dbfc517-0bbf-4301-9ba8-555ca42b9737';

/** Settings with which a service takes events of Polar, whose API it does not reach. */
export const POLAR_SETTINGS = {
  SUBSCRIPTIONS: 'polar',
  POLAR_ACCESS_TOKEN: 'polar_oat_0123456789abcdef0123456789abcdef',
  POLAR_ORGANIZATION_ID: ORGANIZATION,
  POLAR_WEBHOOK_SECRET: POLAR_SECRET,
  POLAR_PLANS: 'c3b5a4f0-6f1e-4f0c-9d53-9d3f1a2b7c10=pro',
  POLAR_API_URL: 'http://127.0.0.1:9',
} as const;

/** The same of Stripe. */
export const STRIPE_SETTINGS = {
  SUBSCRIPTIONS: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef0123456789abcdef',
  STRIPE_WEBHOOK_SECRET: STRIPE_SECRET,
  STRIPE_API_URL: 'http://127.0.0.1:9',
} as const;

/** A request to a webhook. */
export interface SignedEvent {
  readonly provider: 'polar' | 'stripe';
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Signing {
  readonly secret?: string;
  /** Milliseconds since the epoch; whole seconds of them are signed. */
  readonly at: number;
  /** How Polar uses its secret: decoded, or as text. Default: by its form. */
  readonly form?: 'decoded' | 'text';
}

let events = 0;

/** An event of Polar. Its id is new, unless it is given. */
export function polarEvent(
  type: string,
  data: object,
  signing: Signing & { readonly id?: string },
): SignedEvent {
  const body = JSON.stringify({ type, timestamp: new Date(signing.at).toISOString(), data });
  return signPolar(body, signing);
}

/** The text of a body, signed as Polar does. */
export function signPolar(
  body: string,
  { secret = POLAR_SECRET, at, form, id = `msg_${++events}` }: Signing & { readonly id?: string },
): SignedEvent {
  const isDecoded = (form ?? (secret.startsWith('whsec_') ? 'decoded' : 'text')) === 'decoded';
  const signer = isDecoded ? new Webhook(secret) : new Webhook(secret, { format: 'raw' });
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1_000)),
    'webhook-signature': signer.sign(id, new Date(at), body),
  };
  return { provider: 'polar', body, headers };
}

/** An event of Stripe. Its id is new, unless it is given. */
export function stripeEvent(
  type: string,
  object: object,
  signing: Signing & { readonly id?: string; readonly livemode?: boolean; readonly account?: string },
): SignedEvent {
  const { id = `evt_${++events}`, livemode = false, account, at } = signing;
  const event = {
    id,
    object: 'event',
    api_version: '2026-10-28.dahlia',
    created: Math.floor(at / 1_000),
    livemode,
    type,
    data: { object },
    pending_webhooks: 1,
    request: null,
    ...(account !== undefined && { account }),
  };
  return signStripe(JSON.stringify(event), signing);
}

/** The text of a body, signed as Stripe does. */
export function signStripe(body: string, { secret = STRIPE_SECRET, at }: Signing): SignedEvent {
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret,
    timestamp: Math.floor(at / 1_000),
  });
  return { provider: 'stripe', body, headers: { 'stripe-signature': signature } };
}

/** Whether the package of Polar takes a request that was signed within the last five minutes of this machine's clock. */
export async function isAcceptedByPolar({ body, headers }: SignedEvent, secret: string): Promise<boolean> {
  try {
    await webhooks.validateEvent(body, { ...headers }, secret);
    return true;
  } catch (error) {
    if (error instanceof webhooks.PolarWebhookVerificationError) return false;
    throw error;
  }
}

/** Whether the package of Stripe takes a request, by a clock. */
export function isAcceptedByStripe({ body, headers }: SignedEvent, secret: string, now: number): boolean {
  try {
    const { 'stripe-signature': header = '' } = headers;
    Stripe.webhooks.constructEvent(body, header, secret, undefined, undefined, now);
    return true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}

/** Sends an event to a service. */
export function deliver(
  service: { readonly url: string },
  { provider, body, headers }: SignedEvent,
  init: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  return fetch(`${service.url}/billing/webhooks/${provider}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, ...init.headers },
    body: init.body ?? body,
  });
}
