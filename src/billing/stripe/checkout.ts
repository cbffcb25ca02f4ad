// Checkout: a key and the session in which it is paid for.

import { randomUUID } from 'node:crypto';
import { ProviderUnavailable } from '../../access/tiers/provider.ts';
import type { Checkout, WantedCheckout } from '../payment-service.ts';
import { type IssuedKeys, makeKey } from './issued-keys.ts';
import { type Asking, type CheckoutForm, KEY_METADATA, type StripeClient } from './stripe-client.ts';
import type { CheckoutRecord } from './stripe-records.ts';

/** Attempts with one idempotency key: an answer that got lost on its way comes again. */
const ATTEMPTS = 3;

/**
 * Makes a key and a session of its own. The hash is stored before anybody sees the key or the payment page, so that no
 * payment is without its key; if it cannot be stored, nobody can pay.
 */
export async function createCheckout(
  client: StripeClient,
  keys: IssuedKeys,
  wanted: WantedCheckout,
  asking: Asking,
): Promise<Checkout> {
  const fresh = makeKey();
  const form: CheckoutForm = {
    price: wanted.priceId,
    returnUrl: withSession(wanted.returnUrl),
    cancelUrl: wanted.cancelUrl,
    keyId: fresh.id,
  };
  const { id, url, expiresAt, metadata } = await createSession(client, form, asking);
  if (url === null || metadata[KEY_METADATA] !== fresh.id) {
    throw new ProviderUnavailable(new Error('Stripe made another session than the one that was wanted'));
  }
  await keys.savePending(fresh, id, expiresAt);
  return { url, expiresAt, key: fresh.key, keyId: fresh.id };
}

async function createSession(
  client: StripeClient,
  form: CheckoutForm,
  asking: Asking,
): Promise<CheckoutRecord> {
  const idempotencyKey = randomUUID();
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.createCheckout(form, idempotencyKey, asking);
    } catch (error) {
      if (!(error instanceof ProviderUnavailable) || attempt === ATTEMPTS || asking.signal.aborted)
        throw error;
    }
  }
}

/** Stripe puts the session's id in the place of the braces, which must not be encoded. */
function withSession(returnUrl: string): string {
  const url = new URL(returnUrl);
  return `${url}${url.search === '' ? '?' : '&'}session={CHECKOUT_SESSION_ID}`;
}
