// Webhooks of a test's Polar: signed as Polar signs them, with its secrets of both kinds.

import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { Happening } from './polar-objects.ts';
import type { PolarServer } from './polar-server.ts';

/** A webhook as it goes over the wire. */
export interface PolarWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookOptions {
  readonly secret: string;
  /** `standard`: signs with the bytes after whsec_, decoded. `whole`: as older secrets do, with the UTF-8 bytes of all of it. */
  readonly signing?: 'standard' | 'whole';
  /** The same over all attempts of one event. */
  readonly id?: string;
  /** Wall-clock milliseconds; default: now. */
  readonly timestamp?: number;
}

/** A new secret, as Polar shows it. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The webhook about something that happened. Its content is what holds when it is made, not when it happened. */
export function webhookOf(
  { wire, world }: Pick<PolarServer, 'wire' | 'world'>,
  happening: Happening,
  options: WebhookOptions,
): PolarWebhook {
  const timestamp = options.timestamp ?? world.now();
  return signWebhook(JSON.stringify(wire.event(happening, timestamp)), { timestamp, ...options });
}

export function signWebhook(body: string, options: WebhookOptions): PolarWebhook {
  const { secret, signing = 'standard', id = randomUUID(), timestamp = Date.now() } = options;
  const seconds = Math.floor(timestamp / 1_000);
  const key =
    signing === 'whole' ? Buffer.from(secret) : Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'polar.sh webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${signature}`,
    },
    body,
  };
}

/** Sends a webhook as Polar does. */
export function sendWebhook(url: string, { headers, body }: PolarWebhook): Promise<Response> {
  return fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
}
