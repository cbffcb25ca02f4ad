// Currency of a search: prices are compared, sorted and summed in one currency only.

import { type Static, Type } from 'typebox';
import type { Reach } from '../../access/tiers/reach.ts';
import { currencyOfCursor } from '../../http/input/cursor.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { QueryCache, type QueryCacheOptions } from '../../lib/query-cache.ts';
import type { SortKey } from '../../listings/common-parameters.ts';
import { nullable, oneOf } from '../../listings/record.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Condition, RangeColumn } from '../query/condition.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { ResolvedSearch, SearchPlan } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';
import { findTypedCurrencies, type TypedCurrency } from '../sql/provenance-store.ts';
import { isMoney, metricOf } from './metrics.ts';

const MONEY_COLUMNS: ReadonlySet<RangeColumn> = new Set<RangeColumn>([
  'price',
  'closePrice',
  'pricePerArea',
  'moveInCost',
  'netEffectivePrice',
  'monthlyCost',
  'associationFee',
  'tax',
] as const);
const MONEY_SORTS: ReadonlySet<SortKey> = new Set<SortKey>(['price', 'pricePerArea']);

const isMoneyBound = (condition: Condition): boolean =>
  condition.kind === 'range' && MONEY_COLUMNS.has(condition.column);

/** Whether money decides which listings a plan finds, or in which order. */
export const comparesMoney = ({ conditions, order }: SearchPlan): boolean =>
  conditions.some(isMoneyBound) || order.some(({ key }) => MONEY_SORTS.has(key));

/** The currencies that listings of this type within reach have or had: ISO 4217. `fresh` bypasses the cache. */
export type FindCurrencies = (
  type: ListingType,
  reach: Pick<Reach, 'isWhole' | 'has'>,
  fresh: boolean,
) => Promise<readonly string[]>;

export function createFindCurrencies(
  database: Database,
  memory: Pick<QueryCacheOptions<object>, 'version' | 'monotonic'>,
): FindCurrencies {
  const cache = new QueryCache<readonly TypedCurrency[]>({ ...memory, max: 1 });
  const read = () => findTypedCurrencies(database);
  return async (type, reach, fresh) => {
    const all = await (fresh ? read() : cache.get('currencies', read));
    return all.flatMap(({ listingType, currency, licenceNo }) =>
      listingType === type && (reach.isWhole || reach.has(licenceNo)) ? [currency] : [],
    );
  };
}

export interface CurrencyOptions {
  readonly backend: Pick<SearchBackend, 'currencies' | 'count'>;
  readonly findCurrencies: FindCurrencies;
  /** The one of the configuration (ISO 4217), preferred where a scope has several; null: none is. */
  readonly defaultCurrency: string | null;
  readonly fresh: boolean;
  /** False: several currencies are always refused, since the answer has no place to name the choice. Default true. */
  readonly mayChoose?: boolean;
  /** True: the most frequent one is taken where none is clearly meant, for pages, which say so and offer the others. Default false. */
  readonly choosesMost?: boolean;
}

/** A search with the name of its place for the error message; default: here. */
type PlacedSearch = ResolvedSearch & { readonly place?: string };

/** Why one of several currencies was chosen: by the configuration, as the only one in every area, or as that of nearly all. */
const REASONS = ['default', 'areas', 'majority'] as const;

export const CurrencyChoiceSchema = nullable(
  Type.Object(
    {
      reason: oneOf(
        REASONS,
        '`default`: the default currency of this service. `areas`: the only one that every area of the request has. `majority`: ' +
          'that of more than nine tenths of the listings.',
      ),
      excluded: Type.Integer({
        description:
          'Listings that are left out because they are priced in other currencies, whatever their prices.',
      }),
      otherCurrencies: Type.Array(Type.String(), {
        description: 'Theirs (ISO 4217): request one with `currency`.',
      }),
    },
    { $id: 'CurrencyChoice' },
  ),
);
export type CurrencyChoice = NonNullable<Static<typeof CurrencyChoiceSchema>>;

export interface ResolvedCurrency {
  /** ISO 4217; null if nothing is found. */
  readonly currency: string | null;
  /** Currencies that listings of the searched types have or had. */
  readonly available: readonly string[];
  /** Null: the request or its cursor names the currency, or there is only one. */
  readonly choice: CurrencyChoice | null;
}

/**
 * The one currency of these searches: the one that a plan names, else the only one among their results whatever the
 * price filters, else the best choice. Throws INVALID_PARAMETER if there are several and none is clearly meant.
 */
export async function resolveCurrency(
  options: CurrencyOptions,
  searches: readonly PlacedSearch[],
): Promise<ResolvedCurrency> {
  const lists = await Promise.all(
    searches.map(({ plan }) => options.findCurrencies(plan.listingType, plan.reach, options.fresh)),
  );
  const available = [...new Set(lists.flat())].sort();
  const named = searches.find(({ plan }) => plan.currency !== null)?.plan.currency ?? null;
  if (named !== null) return { available, currency: named, choice: null };
  if (available.length <= 1) return { available, currency: available[0] ?? null, choice: null };
  const scopes = searches.map(withoutPrices);
  const present = await presentCurrencies(options.backend, scopes, available);
  const [only = null, ...others] = present;
  if (others.length === 0) return { available, currency: only, choice: null };
  if (options.mayChoose !== false) {
    const chosen = await chooseCurrency(options, scopes, present);
    if (chosen !== null) return { available, ...chosen };
  }
  const names = `${present.slice(0, -1).join(', ')} and ${present.at(-1)}`;
  throw invalidParameter(
    'currency',
    `is required: prices ${searches[0]?.place ?? 'here'} are in ${names}, and prices are compared and summed ` +
      'in one currency only',
  );
}

/** The search whatever the prices. */
function withoutPrices({ place: _, ...search }: PlacedSearch): ResolvedSearch {
  const conditions = search.plan.conditions.filter((condition) => !isMoneyBound(condition));
  return { ...search, plan: { ...search.plan, conditions } };
}

async function presentCurrencies(
  backend: CurrencyOptions['backend'],
  scopes: readonly ResolvedSearch[],
  among: readonly string[],
): Promise<string[]> {
  const found = await Promise.all(scopes.map((scope) => backend.currencies(scope, among)));
  return [...new Set(found.flat())].sort();
}

/** More listings than this share have the currency of nearly all. */
const MAJORITY = 0.9;

/** One of several currencies; null: none of them is clearly meant. */
async function chooseCurrency(
  { backend, defaultCurrency, choosesMost = false }: CurrencyOptions,
  scopes: readonly ResolvedSearch[],
  present: readonly string[],
): Promise<Pick<ResolvedCurrency, 'currency' | 'choice'> | null> {
  const counts = await Promise.all(present.map((currency) => countIn(backend, scopes, currency)));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const chosen = (at: number, reason: CurrencyChoice['reason']) => ({
    currency: present[at] ?? null,
    choice: {
      reason,
      excluded: total - (counts[at] ?? 0),
      otherCurrencies: present.filter((_, other) => other !== at),
    },
  });
  if (defaultCurrency !== null && present.includes(defaultCurrency))
    return chosen(present.indexOf(defaultCurrency), 'default');
  const shared = await sharedByAreas(backend, scopes, present);
  if (shared !== null) return chosen(present.indexOf(shared), 'areas');
  const most = counts.indexOf(Math.max(...counts));
  return choosesMost || (counts[most] ?? 0) > MAJORITY * total ? chosen(most, 'majority') : null;
}

async function countIn(
  backend: CurrencyOptions['backend'],
  scopes: readonly ResolvedSearch[],
  currency: string,
): Promise<number> {
  const condition: Condition = { kind: 'words', column: 'currency', values: [currency] };
  const counts = await Promise.all(
    scopes.map((scope) =>
      backend.count({
        ...scope,
        plan: { ...scope.plan, currency, conditions: [...scope.plan.conditions, condition] },
      }),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The only currency that listings in each of several areas have; null: there are not several areas, or not one such currency. */
async function sharedByAreas(
  backend: CurrencyOptions['backend'],
  scopes: readonly ResolvedSearch[],
  present: readonly string[],
): Promise<string | null> {
  const { areas, areaNos } = scopes[0]?.resolved ?? { areas: [], areaNos: [] };
  if (areaNos.length < 2) return null;
  let shared = present;
  for (const [at, areaNo] of areaNos.entries()) {
    const area = areas[at];
    const inArea = scopes.map((scope) => ({
      ...scope,
      resolved: { ...scope.resolved, areas: area === undefined ? [] : [area], areaNos: [areaNo] },
    }));
    shared = await presentCurrencies(backend, inArea, shared);
    if (shared.length === 0) return null;
  }
  return shared.length === 1 ? (shared[0] ?? null) : null;
}

/** The plan in that currency. If no listing has another one, the plan needs no condition for it. */
export function withCurrency(
  plan: SearchPlan,
  { currency, available }: Pick<ResolvedCurrency, 'currency' | 'available'>,
): SearchPlan {
  if (currency === null || available.every((each) => each === currency)) return { ...plan, currency };
  const condition: Condition = { kind: 'words', column: 'currency', values: [currency] };
  return { ...plan, currency, conditions: [...plan.conditions, condition] };
}

/** A plan in one currency, or in all. */
export interface CurrencyPlan {
  readonly plan: SearchPlan;
  readonly choice: CurrencyChoice | null;
}

/**
 * The plan in one currency, if it compares money, answers with money, or names a currency (a cursor of clusters may name
 * it too). Throws INVALID_PARAMETER if there are several and none is clearly meant.
 */
export async function requireOneCurrency(
  options: CurrencyOptions,
  search: ResolvedSearch,
  query: SearchQuery,
): Promise<CurrencyPlan> {
  const { plan: requested } = search;
  const plan = { ...requested, currency: requested.currency ?? currencyOfCursor(query.cursor) };
  if (plan.currency === null && !comparesMoney(plan) && !answersMoney(query)) return { plan, choice: null };
  const resolved = await resolveCurrency(options, [{ ...search, plan }]);
  return { plan: withCurrency(plan, resolved), choice: resolved.choice };
}

const answersMoney = ({ cluster, facets, stats = [] }: SearchQuery): boolean =>
  cluster === true ||
  facets?.includes('priceBucket') === true ||
  stats.flatMap((id) => metricOf(id) ?? []).some(isMoney);
