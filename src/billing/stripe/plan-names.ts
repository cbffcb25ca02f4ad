// Plans by name at Stripe: which plan a price, a product or a feature stands for.

import { ProviderUnavailable } from '../../access/tiers/provider.ts';
import { atLeast, isPlan, type Plan } from '../../access/tiers/tiers.ts';
import type { ItemRecord, PriceRecord } from './stripe-records.ts';

/** Key of a product's metadata whose value is a plan. */
export const PLAN_METADATA = 'freehold_plan';

/** The plan in a lookup key such as `freehold_pro` or `freehold_pro_yearly`; null: none of ours. */
export function planOfLookupKey(lookupKey: string | null): Plan | null {
  const [, name = ''] = /^freehold_([a-z]+)(?:[_-].*)?$/s.exec(lookupKey ?? '') ?? [];
  return isPlan(name) ? name : null;
}

/** The plan that a price names by its lookup key or its product, the higher one of both; null: neither does. */
export function planOfPrice({ lookupKey, product }: PriceRecord): Plan | null {
  if (product.expanded === null) {
    throw new ProviderUnavailable(new Error('Stripe did not say which product a price is for'));
  }
  const name = product.expanded.metadata[PLAN_METADATA] ?? '';
  return highestPlan([planOfLookupKey(lookupKey), isPlan(name) ? name : null]);
}

/** The highest plan that the items name; null: none does. */
export function planOfItems(items: readonly ItemRecord[]): Plan | null {
  return highestPlan(items.map(({ price }) => planOfPrice(price)));
}

export function highestPlan(plans: Iterable<Plan | null>): Plan | null {
  let highest: Plan | null = null;
  for (const plan of plans) {
    if (plan !== null && (highest === null || atLeast(plan, highest))) highest = plan;
  }
  return highest;
}
