// Judge of subscriptions at Stripe: the verdict that follows from a subscription, its plan and its key.

import { ProviderUnavailable } from '../../access/tiers/provider.ts';
import type { Plan } from '../../access/tiers/tiers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Verdict } from '../payment-service.ts';
import type { IssuedKeys } from './issued-keys.ts';
import { highestPlan, planOfItems } from './plan-names.ts';
import type { Asking, StripeClient } from './stripe-client.ts';
import type { SubscriptionRecord } from './stripe-records.ts';
import { statusOf } from './subscription-rules.ts';

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
  async find(reference: string, asking: Asking): Promise<Verdict | null> {
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
  async judge(subscription: SubscriptionRecord, asking: Asking): Promise<Verdict | null> {
    const [verdict] = await this.judgeAll([subscription], this.findFeaturePlan(asking));
    return verdict ?? null;
  }

  /** Verdicts on those that are ours. */
  async judgeAll(
    subscriptions: readonly SubscriptionRecord[],
    findFeaturePlan: FindFeaturePlan,
  ): Promise<readonly Verdict[]> {
    const plans = new Map<string, Plan | null>();
    for (const each of subscriptions) plans.set(each.id, await planOf(each, findFeaturePlan));
    // After the plans: a key that was bound meanwhile must not be missed.
    const hashes = await this.#options.keys.findHashes([...plans.keys()]);
    this.#isOwnAccount ||= hashes.size > 0;
    const verdicts = subscriptions.map((each) =>
      this.verdict(each, plans.get(each.id) ?? null, hashes.get(each.id) ?? null),
    );
    return verdicts.filter((verdict) => verdict !== null);
  }

  verdict(subscription: SubscriptionRecord, plan: Plan | null, keyHash: Buffer | null): Verdict | null {
    if (plan === null && keyHash === null) return null;
    const { graceDays, clock } = this.#options;
    const status = statusOf(subscription, plan, { graceDays, now: clock.now() });
    return { reference: subscription.id, keyHash, status };
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
