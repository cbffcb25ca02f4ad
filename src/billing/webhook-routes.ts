// Webhooks of payment services: `POST /billing/webhooks/polar` and `/billing/webhooks/stripe`. The bytes are verified, then read.

import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { RequestThrottle } from '../access/limits/request-throttle.ts';
import { FAILURES_PER_MINUTE, type Principal } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import type { Clock } from '../lib/clock.ts';
import { addressGroup } from '../lib/ip-address.ts';
import { withoutByteOrderMark } from '../lib/parse.ts';
import { Problem } from '../lib/problem.ts';
import type { Database } from '../postgres/client/database.ts';
import type { BillingMetrics } from './billing-metrics.ts';
import { insertEvent, type ProviderName } from './event-store.ts';
import { type BillingEvent, isLiveKey, readPolarEvent, readStripeEvent } from './event-subjects.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { faultOfPolar, faultOfStripe, type SignatureFault, type SignedRequest } from './signatures.ts';

export interface WebhookRouteOptions {
  readonly settings: ProviderSettings;
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: BillingMetrics;
}

/** Events are a few kilobytes; one of a large invoice can be a hundred. */
const BODY_BYTES = 262_144;

/** A payment service as its webhook needs it. */
interface Sender {
  readonly provider: ProviderName;
  /** For people. */
  readonly title: string;
  readonly secrets: readonly string[];
  readonly signatureHeaders: string;
  faultOf(request: SignedRequest): SignatureFault | null;
  /** Null: it is no event of the service. */
  read(body: unknown, headers: IncomingHttpHeaders): BillingEvent | null;
}

/** The webhook of the service that keeps the subscriptions; none if that is this service itself. */
export function billingWebhookRoutes(options: WebhookRouteOptions): readonly Route<Principal>[] {
  const sender = senderOf(options.settings);
  return sender === null ? [] : [webhookRoute(options, sender)];
}

function senderOf(settings: ProviderSettings): Sender | null {
  if (settings.kind === 'local') return null;
  const common = { provider: settings.kind, secrets: settings.webhookSecrets };
  if (settings.kind === 'polar')
    return {
      ...common,
      title: 'Polar',
      faultOf: faultOfPolar,
      signatureHeaders: 'webhook-id, webhook-timestamp and webhook-signature',
      read: (body, headers) => readPolarEvent(headers['webhook-id'], body, settings.organizationId),
    };
  const isLive = isLiveKey(settings.secretKey);
  return {
    ...common,
    title: 'Stripe',
    faultOf: faultOfStripe,
    signatureHeaders: 'Stripe-Signature, with t and v1',
    read: (body) => readStripeEvent(body, isLive),
  };
}

function webhookRoute({ database, clock, metrics }: WebhookRouteOptions, sender: Sender): Route<Principal> {
  const { provider, title } = sender;
  const throttle = new RequestThrottle(clock, FAILURES_PER_MINUTE);

  /** Throws RATE_LIMITED for an address that has sent too many bad signatures, and INVALID_SIGNATURE for one more. */
  function requireSignature(address: string, headers: IncomingHttpHeaders, body: Uint8Array): void {
    const caller = addressGroup(address);
    const wait = throttle.take(caller);
    if (wait > 0) {
      metrics.countRefusal('throttled');
      throw tooMany(wait);
    }
    const fault = sender.faultOf({ headers, body, secrets: sender.secrets, now: clock.now() });
    if (fault !== null) {
      metrics.countRefusal(fault);
      throw new Problem('INVALID_SIGNATURE', explain(fault, sender));
    }
    throttle.giveBack(caller);
  }

  function readEvent(headers: IncomingHttpHeaders, body: Buffer): BillingEvent {
    const event = sender.read(parse(body), headers);
    if (event !== null) return event;
    metrics.countRefusal('invalid');
    throw new Problem(
      'INVALID_BODY',
      `The body is no event of ${title}: a JSON object with an id and a type.`,
    );
  }

  return route<Principal>()({
    method: 'POST',
    path: `/billing/webhooks/${provider}`,
    operation: `${provider}Webhook`,
    tag: 'Service',
    summary: `Receive the events of ${title}`,
    page: true,
    access: { credentials: 'none', counts: 'nothing' },
    ownQuery: true,
    anyAccept: true,
    bodyBytes: BODY_BYTES,
    body: Type.Unknown(),
    ownBody: 'bytes',
    answer: { description: 'The event is stored, or was before' },
    async handle({ address, headers, body: sent }) {
      const body = Buffer.isBuffer(sent) ? sent : Buffer.alloc(0);
      requireSignature(address, headers, body);
      const { id, type, subjects, isForeign } = readEvent(headers, body);
      if (isForeign || subjects.length === 0) {
        metrics.countEvent(type, isForeign ? 'foreign' : 'ignored');
      } else {
        const isNew = await database.write((sql) => insertEvent(sql, { provider, id, type, subjects }));
        metrics.countEvent(type, isNew ? 'received' : 'repeated');
      }
      return { json: { received: true } };
    },
  });
}

/** Undefined for what is not JSON. Nothing but ids and types of it is read, so its members may have any names. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(body.toString('utf8')));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function explain(fault: SignatureFault, { provider, title, signatureHeaders }: Sender): string {
  if (fault === 'missing') return `The request has no signature of ${title}: ${signatureHeaders}.`;
  if (fault === 'time')
    return `The signature is more than 5 minutes older or newer than the clock of this service. Check that clock.`;
  return (
    `The signature fits none of the secrets of this service. Set ${provider.toUpperCase()}_WEBHOOK_SECRET to the secret that ` +
    `${title} shows for this URL.`
  );
}

function tooMany(wait: number): Problem {
  return new Problem(
    'RATE_LIMITED',
    `An address may send ${FAILURES_PER_MINUTE} bad signatures in any 60 seconds. Try again in ${wait} s.`,
    { headers: { 'retry-after': String(wait) }, members: { violatedPolicies: ['signatures'] } },
  );
}
