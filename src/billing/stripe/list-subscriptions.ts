// List of all subscriptions to our plans at Stripe: by each price that names a plan, in parallel by when they were created.

import type { Plan } from '../../access/tiers/tiers.ts';
import { type Clock, DAY } from '../../lib/clock.ts';
import { retryPage } from '../payment-api.ts';
import type { ProviderSubscription } from '../payment-service.ts';
import type { FindFeaturePlan, Judge } from './judge.ts';
import { planOfPrice } from './plan-names.ts';
import type { Asking, CreatedRange, StripeClient } from './stripe-client.ts';

export interface ListOptions {
  readonly client: StripeClient;
  readonly judge: Judge;
  readonly clock: Clock;
}

/** Pages at once: as many as there are calls for in a second, however long each of them takes. */
const PARALLEL = 8;
/** No subscription is older than Stripe. */
const OLDEST = Date.UTC(2011) / 1_000;

/**
 * Hands over those that are not cancelled. Prices that are archived count too: people who bought them keep them. What is
 * subscribed to or made while the list is read may be missing.
 */
export async function listSubscriptions(
  { client, judge, clock }: ListOptions,
  onPage: (page: readonly ProviderSubscription[]) => Promise<void>,
  asking: Asking,
): Promise<void> {
  const { signal } = asking;
  const plans = await plansByPrice(client, judge.findFeaturePlan(asking), asking);
  const ours = [...plans].filter(([, plan]) => plan !== null).map(([price]) => price);
  const to = Math.ceil((clock.now() + DAY) / 1_000);
  const queue = ours.map((price): CreatedRange => ({ price, from: OLDEST, to }));

  async function readPage(range: CreatedRange): Promise<CreatedRange | null> {
    const { items, hasMore } = await retryPage(clock, signal, () =>
      client.listSubscriptionPage(range, asking),
    );
    await onPage(await judge.describeListed(items, plans));
    const last = items.at(-1);
    return hasMore && last !== undefined ? { ...range, to: last.created, after: last.id } : null;
  }

  while (queue.length > 0) {
    const read = await Promise.all(queue.splice(0, PARALLEL).map(readPage));
    for (const rest of read.filter((range) => range !== null))
      queue.push(...(queue.length < PARALLEL ? halves(rest) : [rest]));
  }
}

/** The newer and the older half of a range. */
function halves(range: CreatedRange): readonly CreatedRange[] {
  const middle = Math.floor((range.from + range.to) / 2);
  if (middle >= range.to) return [range];
  return [
    { ...range, from: middle + 1 },
    { price: range.price, from: range.from, to: middle },
  ];
}

/** The plan of each price that is charged again and again, archived ones included; null: it names none. */
async function plansByPrice(
  client: StripeClient,
  findFeaturePlan: FindFeaturePlan,
  asking: Asking,
): Promise<ReadonlyMap<string, Plan | null>> {
  const prices = await client.listPrices(asking, { archived: true });
  const hasFeatures =
    prices.some((price) => planOfPrice(price) === null) && (await client.hasPlanFeatures(asking));
  const plans = new Map<string, Plan | null>();
  for (const price of prices) {
    const named = planOfPrice(price);
    const plan = named ?? (hasFeatures ? await findFeaturePlan(price.product.id) : null);
    plans.set(price.id, plan);
  }
  return plans;
}
