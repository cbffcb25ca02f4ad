// Stripe as a payment service: subscriptions are its own, keys are ours.

import { keyHash } from '../../access/providers/subscription-store.ts';
import type { Plan } from '../../access/tiers/tiers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { PaymentApi } from '../payment-api.ts';
import type { PaymentService } from '../payment-service.ts';
import { createCheckout } from './checkout.ts';
import { type FreshKey, IssuedKeys } from './issued-keys.ts';
import { Judge, planOf } from './judge.ts';
import { KeyBinding } from './key-binding.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { isOffered, listOffers } from './offers.ts';
import { type Asking, KEY_METADATA, StripeClient } from './stripe-client.ts';
import { isOver } from './subscription-rules.ts';

export interface StripeServiceOptions {
  /** Sends `stripeHeaders` with every call. */
  readonly api: PaymentApi;
  readonly secretKey: string;
  readonly database: Database;
  readonly clock: Clock;
  /** Days for which a subscription with a failed payment stays in force. */
  readonly graceDays: number;
}

/** `missing`: Stripe knows no such subscription. `foreign`: it names no plan of ours. `over`: it has ended for ever. */
export type IssueFault = 'missing' | 'foreign' | 'over';

export interface StripeService extends PaymentService {
  readonly name: 'stripe';
  /**
   * Issues a key of a subscription that was made elsewhere; an earlier key of it ends. Whoever calls it renews the row of
   * the subscription afterwards.
   */
  issueKey(
    subscription: string,
    signal: AbortSignal,
  ): Promise<(FreshKey & { readonly plan: Plan; readonly customer: string }) | IssueFault>;
  /** Deletes pending keys whose sessions ended unpaid. Any number of processes may do so at once. */
  tidy(signal: AbortSignal): Promise<void>;
}

export function createStripeService(options: StripeServiceOptions): StripeService {
  const { clock, graceDays } = options;
  const client = new StripeClient(options.api, options.secretKey);
  const keys = new IssuedKeys(options.database, clock);
  const judge = new Judge({ client, keys, clock, graceDays });
  const binding = new KeyBinding({ client, keys, judge, clock });
  return {
    name: 'stripe',
    async findKey(key, signal) {
      const row = await keys.findByKey(key);
      if (row === undefined) return null;
      // A key that is stored here was bought, or its purchase has started.
      const asking: Asking = { signal, urgency: 'known' };
      if (row.subscription === null) return binding.findPending(row, keyHash(key), asking);
      if (row.state === 'ended') return { reference: null, status: { state: 'unknown', reason: 'replaced' } };
      return judge.find(row.subscription, asking);
    },
    find: (reference, signal) => judge.find(reference, { signal, urgency: 'known' }),
    listAll: (onPage, signal) =>
      listSubscriptions({ client, judge, clock }, onPage, { signal, urgency: 'background' }),
    listPlans(signal) {
      const asking: Asking = { signal, urgency: 'known' };
      return listOffers(client, judge.findFeaturePlan(asking), asking);
    },
    async createCheckout(wanted, signal) {
      const asking: Asking = { signal, urgency: 'known' };
      const question = { price: wanted.priceId, asking };
      if (!(await isOffered(client, judge.findFeaturePlan(asking), question))) return null;
      return createCheckout(client, keys, wanted, asking);
    },
    async findCheckout(session, signal) {
      if (!/^cs_\w{1,190}$/.test(session)) return 'unknown';
      const urgency = (await keys.hasCheckout(session)) ? 'known' : 'stranger';
      const checkout = await client.findCheckout(session, { signal, urgency });
      if (checkout === null || checkout.metadata[KEY_METADATA] === undefined) return 'unknown';
      return checkout.state === 'complete' && !checkout.paid ? 'open' : checkout.state;
    },
    resolveSubject: (subject, signal) => binding.resolve(subject, { signal, urgency: 'known' }),
    async issueKey(reference, signal) {
      const asking: Asking = { signal, urgency: 'known' };
      const subscription = await client.findSubscription(reference, asking);
      if (subscription === null) return 'missing';
      if (isOver(subscription.state)) return 'over';
      const plan = await planOf(subscription, judge.findFeaturePlan(asking));
      if (plan === null) return 'foreign';
      return { ...(await keys.issue(subscription.id)), plan, customer: subscription.customer };
    },
    tidy: (signal) => binding.tidy({ signal, urgency: 'background' }),
  };
}
