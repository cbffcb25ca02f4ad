// Offers: which prices can be bought on the page of plans, and as what.

import type { Plan } from '../../access/tiers/tiers.ts';
import type { OfferedPlan } from '../payment-service.ts';
import type { FindFeaturePlan } from './judge.ts';
import { highestPlan, planOfPrice } from './plan-names.ts';
import type { Asking, StripeClient } from './stripe-client.ts';
import type { PriceRecord } from './stripe-records.ts';

/** Days of an interval, to compare prices. */
const DAYS: Readonly<Record<OfferedPlan['interval'], number>> = {
  day: 1,
  week: 7,
  month: 365 / 12,
  year: 365,
};

/** What can be bought, the cheapest first. */
export async function listOffers(
  client: StripeClient,
  findFeaturePlan: FindFeaturePlan,
  asking: Asking,
): Promise<readonly OfferedPlan[]> {
  const prices = await client.listPrices(asking);
  const isUnnamed = (price: PriceRecord) => planOfPrice(price) === null;
  // Without a feature that names a plan, other products of the account need not be asked for theirs.
  const asksFeatures = prices.some(isUnnamed) && (await client.hasPlanFeatures(asking));
  const offers: (OfferedPlan | null)[] = [];
  for (const price of prices) {
    const asks = asksFeatures && isUnnamed(price);
    offers.push(offerOf(price, asks ? await findFeaturePlan(price.product.id) : null));
  }
  return offers.filter((offer) => offer !== null).toSorted(byPrice);
}

/** Whether a price can be bought; false for a price that is none. */
export async function isOffered(
  client: StripeClient,
  findFeaturePlan: FindFeaturePlan,
  { price: id, asking }: { readonly price: string; readonly asking: Asking },
): Promise<boolean> {
  const price = await client.findPrice(id, asking);
  if (price === null) return false;
  const isNamed = planOfPrice(price) !== null;
  return offerOf(price, isNamed ? null : await findFeaturePlan(price.product.id)) !== null;
}

/**
 * The plan that a price is offered as; null: it cannot be bought here. Internal is for the operator's own programs, and what
 * is paid by use has no amount that could be shown.
 * @param featurePlan by the features of the product
 */
function offerOf(price: PriceRecord, featurePlan: Plan | null): OfferedPlan | null {
  const { id, active, amount, currency, recurring, product } = price;
  const plan = planOfPrice(price) ?? featurePlan;
  const interval = Object.keys(DAYS).find(
    (name): name is OfferedPlan['interval'] => name === recurring?.interval,
  );
  if (!active || plan === null || plan === 'internal' || amount === null || interval === undefined)
    return null;
  if (recurring === null || recurring.metered || product.expanded?.active !== true) return null;
  const { intervalCount } = recurring;
  return { plan, priceId: id, name: product.expanded.name, amount, currency, interval, intervalCount };
}

/** The cheapest by the day first; of equal ones the lower plan. */
function byPrice(left: OfferedPlan, right: OfferedPlan): number {
  const difference = perDay(left) - perDay(right);
  if (difference !== 0) return difference;
  if (left.plan === right.plan) return left.priceId < right.priceId ? -1 : 1;
  return highestPlan([left.plan, right.plan]) === left.plan ? 1 : -1;
}

function perDay({ amount, interval, intervalCount }: OfferedPlan): number {
  return amount / (DAYS[interval] * intervalCount);
}
