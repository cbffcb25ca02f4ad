// Binding of keys to the subscriptions that were bought with them: by an event, at the first use, or at the latest when tidying.

import { type Clock, DAY, HOUR, MINUTE } from '../../lib/clock.ts';
import type { ProviderSubscription } from '../payment-service.ts';
import { type IssuedKey, isKeyId } from './issued-key-store.ts';
import type { IssuedKeys } from './issued-keys.ts';
import type { Judge } from './judge.ts';
import { type Asking, KEY_METADATA, type StripeClient } from './stripe-client.ts';
import type { SubscriptionRecord } from './stripe-records.ts';
import { isOver, wasInForce } from './subscription-rules.ts';

/** Milliseconds after the end of a session before its key is looked at: a payment of the last second has been reported by then. */
const SETTLING = 10 * MINUTE;
/** Milliseconds after which a key is deleted whose session Stripe does not know. */
const LOST = 30 * DAY;
const TIDY_BATCH = 100;

export interface KeyBindingOptions {
  readonly client: StripeClient;
  readonly keys: IssuedKeys;
  readonly judge: Judge;
  readonly clock: Clock;
}

/** What becomes of a key: its session is `open`, `expired` or `missing` at Stripe, or there is a subscription. */
type Settled = 'open' | 'expired' | 'missing' | SubscriptionRecord;

export class KeyBinding {
  readonly #options: KeyBindingOptions;

  constructor(options: KeyBindingOptions) {
    this.#options = options;
  }

  /** What a key gives that was shown before its payment: its session tells whether that is complete. */
  async findPending(row: IssuedKey, keyHash: Buffer, asking: Asking): Promise<ProviderSubscription | null> {
    const { judge } = this.#options;
    const settled = await this.#settle(row, asking);
    if (settled === 'missing') await judge.requireOwnAccount(asking);
    if (settled === 'expired' || settled === 'missing') return null;
    if (settled === 'open') {
      return { reference: row.id, keyHash, status: { state: 'unknown', reason: 'pending' } };
    }
    // One that was never in force has no key: the answer is about this one all the same.
    return wasInForce(settled.state) ? judge.judge(settled, asking) : judge.describe(settled, null, keyHash);
  }

  /**
   * References of what a subject is about, with their keys bound: `subscription:<id>`, `checkout:<session>` or
   * `customer:<id>`. None where it is not ours; of a customer all.
   */
  async resolve(subject: string, asking: Asking): Promise<readonly string[]> {
    const { client, keys } = this.#options;
    const [, kind, id = ''] = /^(\w+):([\w-]{1,200})$/.exec(subject) ?? [];
    if (kind === 'subscription') {
      // One with a key has nothing to be bound.
      if ((await keys.findHashes([id])).has(id)) return [id];
      return this.#resolveRecord(await client.findSubscription(id, asking), asking);
    }
    if (kind === 'checkout') {
      const checkout = await client.findCheckout(id, asking);
      if (checkout === null || checkout.subscription === null) return [];
      const subscription = await client.findSubscription(checkout.subscription, asking);
      return this.#resolveRecord(subscription, asking, checkout.metadata[KEY_METADATA]);
    }
    if (kind !== 'customer') return [];
    const subscriptions = await client.listCustomerSubscriptions(id, asking);
    for (const each of subscriptions) await this.#bind(each, each.metadata[KEY_METADATA]);
    return subscriptions.map((each) => each.id);
  }

  /** Binds keys whose sessions are over and were paid, and deletes those that nobody paid for. */
  async tidy(asking: Asking): Promise<void> {
    const { keys, clock } = this.#options;
    for (const row of await keys.findOverdue(clock.now() - SETTLING, TIDY_BATCH)) {
      await this.#tidyKey(row, asking);
    }
  }

  async #tidyKey(row: IssuedKey, asking: Asking): Promise<void> {
    const { keys, clock } = this.#options;
    const now = clock.now();
    const settled = await this.#settle(row, asking);
    if (settled === 'open') return keys.postpone(row.id, now + HOUR);
    if (settled === 'expired') return keys.deletePending(row.id);
    if (settled === 'missing') {
      const isLost = now - Date.parse(row.createdAt) > LOST;
      return isLost ? keys.deletePending(row.id) : keys.postpone(row.id, now + DAY);
    }
    if (wasInForce(settled.state)) return;
    return isOver(settled.state) ? keys.deletePending(row.id) : keys.postpone(row.id, now + HOUR);
  }

  /** A subscription comes with the key bound, if it was ever in force. */
  async #settle(row: IssuedKey, asking: Asking): Promise<Settled> {
    const { client } = this.#options;
    const checkout = row.checkout === null ? null : await client.findCheckout(row.checkout, asking);
    if (checkout === null) return 'missing';
    if (checkout.state === 'expired') return 'expired';
    if (checkout.subscription === null) return 'open';
    const subscription = await client.findSubscription(checkout.subscription, asking);
    if (subscription === null) return 'missing';
    await this.#bind(subscription, row.id);
    return subscription;
  }

  async #bind({ id, state }: SubscriptionRecord, keyId: string | undefined): Promise<void> {
    if (keyId === undefined || !isKeyId(keyId) || !wasInForce(state)) return;
    await this.#options.keys.activate(keyId, id);
  }

  async #resolveRecord(
    subscription: SubscriptionRecord | null,
    asking: Asking,
    keyId = subscription?.metadata[KEY_METADATA],
  ): Promise<readonly string[]> {
    if (subscription === null) return [];
    await this.#bind(subscription, keyId);
    return (await this.#options.judge.judge(subscription, asking)) === null ? [] : [subscription.id];
  }
}
