// Currency of a search: prices are compared, sorted and summed in one currency only.

import { currencyOfCursor } from '../../http/input/cursor.ts';
import { FoundCache, type FoundCacheOptions } from '../../lib/found-cache.ts';
import { invalidParameter } from '../../lib/problem.ts';
import type { SortKey } from '../../listings/common-parameters.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Condition, RangeColumn } from '../query/condition.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { ResolvedSearch, SearchPlan } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import { findTypedCurrencies, type TypedCurrency } from '../sql/provenance-store.ts';
import { isMoney, metricOf } from './metrics.ts';

const MONEY_COLUMNS: ReadonlySet<RangeColumn> = new Set<RangeColumn>([
  ...(['price', 'closePrice', 'pricePerArea', 'moveInCost', 'netEffectivePrice'] as const),
  ...(['monthlyCost', 'associationFee', 'tax'] as const),
]);
const MONEY_SORTS: ReadonlySet<SortKey> = new Set<SortKey>(['price', 'pricePerArea']);

const isMoneyBound = (condition: Condition): boolean =>
  condition.kind === 'range' && MONEY_COLUMNS.has(condition.column);

/** Whether money decides which listings a plan finds, or in which order. */
export const comparesMoney = ({ conditions, order }: SearchPlan): boolean =>
  conditions.some(isMoneyBound) || order.some(({ key }) => MONEY_SORTS.has(key));

/** The currencies that listings of this type have or had: ISO 4217, sorted. `fresh` bypasses the cache. */
export type FindCurrencies = (type: ListingType, fresh: boolean) => Promise<readonly string[]>;

export function createFindCurrencies(
  database: Database,
  memory: Pick<FoundCacheOptions<object>, 'version' | 'monotonic'>,
): FindCurrencies {
  const cache = new FoundCache<readonly TypedCurrency[]>({ ...memory, most: 1 });
  const read = () => findTypedCurrencies(database);
  return async (type, fresh) => {
    const all = await (fresh ? read() : cache.get('currencies', read));
    return all.flatMap(({ listingType, currency }) => (listingType === type ? [currency] : []));
  };
}

export interface CurrencyOptions {
  readonly backend: Pick<SearchBackend, 'currencies'>;
  readonly findCurrencies: FindCurrencies;
  readonly fresh: boolean;
}

/** A search with the name of its place for the error message; default: here. */
type PlacedSearch = ResolvedSearch & { readonly place?: string };

interface ResolvedCurrency {
  /** ISO 4217; null if nothing is found. */
  readonly currency: string | null;
  /** Currencies that listings of the searched types have or had. */
  readonly available: readonly string[];
}

/**
 * The one currency of these searches: the one that a plan names, else the only one among their results whatever the
 * price filters. Throws INVALID_PARAMETER if there are several.
 */
export async function resolveCurrency(
  { backend, findCurrencies, fresh }: CurrencyOptions,
  searches: readonly PlacedSearch[],
): Promise<ResolvedCurrency> {
  const types = [...new Set(searches.map(({ plan }) => plan.listingType))];
  const lists = await Promise.all(types.map((type) => findCurrencies(type, fresh)));
  const available = [...new Set(lists.flat())].sort();
  const named = searches.find(({ plan }) => plan.currency !== null)?.plan.currency ?? null;
  return { available, currency: named ?? (await onlyCurrency(backend, searches, available)) };
}

async function onlyCurrency(
  backend: CurrencyOptions['backend'],
  searches: readonly PlacedSearch[],
  available: readonly string[],
): Promise<string | null> {
  if (available.length <= 1) return available[0] ?? null;
  const matches = await Promise.all(
    searches.map(({ place: _, ...search }) => {
      const { plan } = search;
      const conditions = plan.conditions.filter((condition) => !isMoneyBound(condition));
      return backend.currencies({ ...search, plan: { ...plan, conditions } }, available);
    }),
  );
  const currencies = [...new Set(matches.flat())].sort();
  const [only = null, ...others] = currencies;
  if (only === null || others.length === 0) return only;
  const names = `${currencies.slice(0, -1).join(', ')} and ${currencies.at(-1)}`;
  throw invalidParameter(
    'currency',
    `is required: prices ${searches[0]?.place ?? 'here'} are in ${names}, and prices are compared and summed ` +
      'in one currency only',
  );
}

/** The plan in that currency. If no listing has another one, the plan needs no condition for it. */
export function withCurrency(plan: SearchPlan, { currency, available }: ResolvedCurrency): SearchPlan {
  if (currency === null || available.every((each) => each === currency)) return { ...plan, currency };
  const condition: Condition = { kind: 'words', column: 'currency', values: [currency] };
  return { ...plan, currency, conditions: [...plan.conditions, condition] };
}

/**
 * The plan in one currency, if it compares money, answers with money, or names a currency (a cursor of clusters may name
 * it too). Throws INVALID_PARAMETER if there are several.
 */
export async function requireOneCurrency(
  options: CurrencyOptions,
  search: ResolvedSearch,
  query: SearchQuery,
): Promise<SearchPlan> {
  const { plan: requested } = search;
  const plan = { ...requested, currency: requested.currency ?? currencyOfCursor(query.cursor) };
  if (plan.currency === null && !comparesMoney(plan) && !answersMoney(query)) return plan;
  return withCurrency(plan, await resolveCurrency(options, [{ ...search, plan }]));
}

const answersMoney = ({ cluster, facets, stats = [] }: SearchQuery): boolean =>
  cluster === true ||
  facets?.includes('priceBucket') === true ||
  stats.flatMap((id) => metricOf(id) ?? []).some(isMoney);
