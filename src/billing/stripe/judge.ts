// Judge of subscriptions at Stripe: what a subscription means with its plan and its key.

import { ProviderUnavailable } from '../../access/tiers/provider.ts';
import type { Plan } from '../../access/tiers/tiers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ProviderSubscription } from '../payment-service.ts';
import type { IssuedKeys } from './issued-keys.ts';
import { highestPlan, planOfItems } from './plan-names.ts';
import type { Asking, StripeClient } from './stripe-client.ts';
import type { SubscriptionRecord } from './stripe-records.ts';
import { isOver, statusOf } from './subscription-rules.ts';

export interface JudgeOptions {
  readonly client: StripeClient;
  readonly keys: IssuedKeys;
  readonly clock: Clock;
  /** Days for which a subscription with a failed payment stays in force. */
  readonly graceDays: number;
}

/** The plan that the features of a product name. */
export type FindFeaturePlan = (product: string) => Promise<Plan | null>;

/** Subscriptions that are asked for before the account is taken for another one. */
const PROBES = 5;

export class Judge {
  readonly #options: JudgeOptions;
  /** Set once a subscription with a key was found: the account of a secret key never changes. */
  #isOwnAccount = false;

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  /** Judges a subscription by its id; null: Stripe does not know it, or it is not ours. */
  async find(reference: string, asking: Asking): Promise<ProviderSubscription | null> {
    const { client, keys } = this.#options;
    const subscription = await client.findSubscription(reference, asking);
    if (subscription !== null) return this.judge(subscription, asking);
    if ((await keys.findHashes([reference])).has(reference)) await this.requireOwnAccount(asking);
    return null;
  }

  /**
   * Throws ProviderUnavailable unless Stripe knows a subscription that has a key of ours. For the secret key of another
   * account nothing is there, and without this every key would be refused.
   */
  async requireOwnAccount(asking: Asking): Promise<void> {
    const { client, keys } = this.#options;
    for (const reference of this.#isOwnAccount ? [] : await keys.findNewest(PROBES)) {
      if ((await client.findSubscription(reference, asking)) === null) continue;
      this.#isOwnAccount = true;
      break;
    }
    if (this.#isOwnAccount) return;
    const why =
      'Stripe knows none of the subscriptions that have keys: is STRIPE_SECRET_KEY of another account?';
    throw new ProviderUnavailable(new Error(why));
  }

  /** Null: neither its plan nor its key is ours. */
  async judge(subscription: SubscriptionRecord, asking: Asking): Promise<ProviderSubscription | null> {
    const plan = await planOf(subscription, this.findFeaturePlan(asking));
    // After the plan: a key that was bound meanwhile must not be missed.
    const hash = (await this.#findHashes([subscription])).get(subscription.id) ?? null;
    return this.describe(subscription, plan, hash);
  }

  /** Those of a list that are ours. One with prices that are not known is left to a request for it alone. */
  async describeListed(
    subscriptions: readonly SubscriptionRecord[],
    plans: ReadonlyMap<string, Plan | null>,
  ): Promise<readonly ProviderSubscription[]> {
    const hashes = await this.#findHashes(subscriptions);
    return subscriptions.flatMap((each) => {
      const named = plansOf(each, plans);
      const hash = hashes.get(each.id) ?? null;
      if (named === undefined || (hash === null && isOver(each.state))) return [];
      return this.describe(each, highestPlan(named), hash) ?? [];
    });
  }

  describe(
    subscription: SubscriptionRecord,
    plan: Plan | null,
    keyHash: Buffer | null,
  ): ProviderSubscription | null {
    if (plan === null && keyHash === null) return null;
    const { graceDays, clock } = this.#options;
    const status = statusOf(subscription, plan, { graceDays, now: clock.now() });
    return { reference: subscription.id, keyHash, status };
  }

  async #findHashes(subscriptions: readonly SubscriptionRecord[]): Promise<ReadonlyMap<string, Buffer>> {
    const hashes = await this.#options.keys.findHashes(subscriptions.map(({ id }) => id));
    this.#isOwnAccount ||= hashes.size > 0;
    return hashes;
  }

  /** Plans by the features of products, each product asked for once. */
  findFeaturePlan(asking: Asking): FindFeaturePlan {
    const plans = new Map<string, Plan | null>();
    return async (product) => {
      const known = plans.get(product);
      if (known !== undefined) return known;
      const plan = await this.#options.client.findFeaturePlan(product, asking);
      plans.set(product, plan);
      return plan;
    };
  }
}

/** The plan that a subscription names, or else the features of its products. */
export async function planOf(
  { items }: SubscriptionRecord,
  findFeaturePlan: FindFeaturePlan,
): Promise<Plan | null> {
  const named = planOfItems(items);
  if (named !== null) return named;
  const plans: (Plan | null)[] = [];
  for (const product of new Set(items.map(({ price }) => price.product.id))) {
    plans.push(await findFeaturePlan(product));
  }
  return highestPlan(plans);
}

/** The plans of the items; undefined: it has prices that are not known, or more than are shown. */
function plansOf(
  { items, hasMoreItems }: SubscriptionRecord,
  plans: ReadonlyMap<string, Plan | null>,
): readonly (Plan | null)[] | undefined {
  if (hasMoreItems || items.some(({ price }) => !plans.has(price.id))) return undefined;
  return items.map(({ price }) => plans.get(price.id) ?? null);
}
