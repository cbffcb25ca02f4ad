// Currency of the answer to a search request.

import { currencyOfCursor } from '../../http/input/cursor.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { SearchPlan } from '../query/plan.ts';
import {
  type CurrencyOptions,
  comparesMoney,
  type PlannedSearch,
  resolveCurrency,
  withCurrency,
} from '../summaries/currency-store.ts';
import { isMoney, metricOf } from '../summaries/metrics.ts';

/**
 * The plan in one currency, where money is compared or told, or its currency is named. A cursor of clusters, which is read
 * later, names it too. Throws INVALID_PARAMETER where there are several.
 */
export async function requireOneCurrency(
  options: CurrencyOptions,
  { plan: requested, resolved }: PlannedSearch,
  query: SearchQuery,
): Promise<SearchPlan> {
  const plan = { ...requested, currency: requested.currency ?? currencyOfCursor(query.cursor) };
  if (plan.currency === null && !comparesMoney(plan) && !answersMoney(query)) return plan;
  return withCurrency(plan, await resolveCurrency(options, [{ plan, resolved }]));
}

/** Whether the answer has figures of money. */
const answersMoney = ({ cluster, facets, stats }: SearchQuery): boolean =>
  cluster === true || facets?.includes('priceBucket') === true || stats?.some(isMoneyMetric) === true;

function isMoneyMetric(id: string): boolean {
  const metric = metricOf(id);
  return metric !== undefined && isMoney(metric);
}
