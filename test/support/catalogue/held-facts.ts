// Facts of the market in memory: a service that computes figures from them, and how often it did.

import { readMetric } from '../billing/read-metric.ts';
import { until } from '../check/until.ts';
import type { TestService } from '../service/service.ts';

/** Asks a service for a figure, and resolves once others are computed in memory; at once where none ever is. */
export async function untilFactsHeld(service: TestService): Promise<void> {
  if (process.env.TEST_SEARCH_ENGINE === 'postgres') return;
  await service.json('/v1/market/stats?listingType=sale&bedrooms=1&metrics=inventory', service.keys.internal);
  await until('figures are computed in memory', async () => (await factMetric(service, 'ready')) === 1);
}

export const factMetric = (service: { readonly url: string }, name: string): Promise<number> =>
  readMetric(service, `freehold_market_facts_${name}`);
