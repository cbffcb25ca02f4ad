// Webhooks: whether a delivery comes from the service, by the rules of Standard Webhooks.

import type { Event } from './generated/types.gen.ts';

/** Why a delivery is refused: answer it with 400. */
export class WebhookError extends Error {
  override name = 'WebhookError';
}

/** Seconds that a delivery may be old, or ahead of this clock. */
const TOLERANCE = 300;

/**
 * The event of a delivery. Give all secrets while one is replaced by another; reads the body.
 * Throws WebhookError where none of them signed it, or it is more than five minutes old.
 */
export async function verifyWebhook(
  request: Request,
  secrets: string | readonly string[],
  now: number = Date.now(),
): Promise<Event> {
  const [id, time, sent] = ['id', 'timestamp', 'signature'].map((name) =>
    request.headers.get(`webhook-${name}`),
  );
  if (!id || !time || !sent) throw new WebhookError('The delivery is not signed');
  if (!(Math.abs(now / 1_000 - Number(time)) <= TOLERANCE))
    throw new WebhookError('The delivery is too old, or a clock is wrong');
  const body = await request.text();
  const signed = new TextEncoder().encode(`${id}.${time}.${body}`);
  const signatures = sent
    .split(' ')
    .flatMap((each) => (each.startsWith('v1,') ? [bytesOf(each.slice(3))] : []));
  for (const secret of [secrets].flat()) {
    const key = await crypto.subtle.importKey(
      'raw',
      bytesOf(secret.replace(/^whsec_/, '')),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    );
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(body) as Event;
  }
  throw new WebhookError('The signature is of another secret, or the body was changed');
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw new WebhookError('A secret or signature is not base64');
  }
}
