// Webhook of a watcher: its record, its secret, and what its owner sees.

import { randomBytes } from 'node:crypto';
import { DAY } from '../../lib/clock.ts';

/** Webhooks of one watcher. */
export const MAX_WEBHOOKS = 3;

export const WEBHOOK_STATUSES = ['unverified', 'active', 'failing', 'disabled'] as const;

export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** A webhook as its owner sees it. */
export interface Webhook {
  readonly id: string;
  readonly type: 'webhook';
  readonly url: string;
  readonly status: WebhookStatus;
  /** RFC 3339; null: there was none. */
  readonly lastSuccessAt: string | null;
}

export const newWebhookId = (): string => `whk_${randomBytes(12).toString('hex')}`;

/** Bytes of a secret. */
const SECRET_BYTES = { min: 24, default: 32, max: 64 } as const;
const SECRET_FORM = /^whsec_([A-Za-z0-9+/]+)={0,2}$/;

/** Milliseconds for which a replaced secret signs besides the new one. */
export const SECRET_OVERLAP = DAY;

export const newSecret = (): Buffer => randomBytes(SECRET_BYTES.default);

/** A secret in the form of Standard Webhooks. */
export const formatSecret = (secret: Buffer): string => `whsec_${secret.toString('base64')}`;

/** The bytes of a secret, or why it is none, as the rest of a sentence. */
export function parseSecret(text: string): Buffer | { readonly fault: string } {
  const [, base64] = SECRET_FORM.exec(text) ?? [];
  const secret = Buffer.from(base64 ?? '', 'base64');
  const isCanonical = secret.toString('base64').replace(/=+$/, '') === base64;
  if (isCanonical && secret.length >= SECRET_BYTES.min && secret.length <= SECRET_BYTES.max) return secret;
  const { min, max } = SECRET_BYTES;
  return {
    fault: `must be whsec_ and ${min} to ${max} random bytes in base64; leave it out to get a new one`,
  };
}
