// Scope of a request for statistics: its filters, areas, time zone and currency.

import { EVERYTHING, type Reach } from '../access/tiers/reach.ts';
import type { AreaIdCache } from '../areas/area-cache.ts';
import { Faults } from '../http/input/faults.ts';
import { parameterProblem } from '../http/input/parameter-problem.ts';
import type { RunTask } from '../lib/scheduler.ts';
import { DEFAULT_TIME_ZONE } from '../listings/local-time.ts';
import type { ListingType, UnitSystem } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { requireAreas, resolveQuery } from '../search/http/resolve-query.ts';
import type { Condition } from '../search/query/condition.ts';
import type { SearchQuery } from '../search/query/parameters.ts';
import { planSearch, type ResolvedQuery, type SearchPlan } from '../search/query/plan.ts';
import { lifeSql } from '../search/sql/condition-sql.ts';
import { countAll } from '../search/sql/count-store.ts';
import { requireAffordable } from '../search/sql/polygon-cost-store.ts';
import { findCurrenciesAmong } from '../search/sql/provenance-store.ts';
import {
  type CurrencyChoice,
  type CurrencyOptions,
  comparesMoney,
  resolveCurrency,
  withCurrency,
} from '../search/summaries/currency.ts';
import { startOf, today } from './calendar.ts';
import type { FactSource } from './facts/market-facts.ts';
import type { Offset } from './offset-paging.ts';
import { FILTERS, type MarketQuery } from './parameters.ts';
import type { CachedScope, Grouping, ListingScope } from './store.ts';

export interface Scope {
  readonly listingType: ListingType;
  readonly resolved: ResolvedQuery;
  readonly timeZone: string;
  readonly units: UnitSystem;
  /** The filters of the request, repeated in the response. */
  readonly filters: Readonly<Record<string, unknown>>;
  /** Has no status filter: a listing counts by its status during the period, not by its current one. */
  readonly plan: SearchPlan;
  /** Why the scope is in one of several currencies; null: there was nothing to choose. */
  readonly currencyChoice: CurrencyChoice | null;
}

/** What market statistics are read with. */
export interface MarketReads extends Pick<CurrencyOptions, 'findCurrencies' | 'defaultCurrency' | 'fresh'> {
  readonly database: Database;
  readonly areas: Pick<AreaIdCache, 'named' | 'zonesOf'>;
  readonly facts: FactSource;
  /** Runs scans of memory, which may turn out to be expensive; absent: they never are. */
  readonly scan?: RunTask;
  /** Ends computations whose client has left. */
  readonly signal?: AbortSignal;
}

/** What figures are computed with. */
export type FigureReads = Pick<MarketReads, 'database' | 'facts' | 'scan' | 'signal'>;

export interface ScopeRequest extends MarketReads {
  readonly query: MarketQuery;
  /** What is open to the reader. */
  readonly reach: Reach;
  /** Whether the most frequent currency is taken where none is clearly meant; default: that is refused. */
  readonly choosesMost?: boolean;
}

/** The time and currency that all pages of a request share; the currency is null until the first page has determined it. */
type SharedByPages = Pick<Offset, 'now' | 'currency'>;

/**
 * The scope of a request. It is in one currency if `needsCurrency` or its filters need one: the requested currency, else
 * that of the first page, else the only one of the listings, else the best choice. `place` names the scope in errors.
 * Throws INVALID_PARAMETER if no currency is clearly meant, or a filter does not fit; INVALID_GEOMETRY.
 */
export async function resolveScope(
  request: ScopeRequest,
  { now, currency }: SharedByPages,
  needsCurrency: boolean,
  place?: string,
): Promise<Scope> {
  const scope = await resolveFilters(request, request.query.listingType ?? 'sale', now);
  const plan = { ...scope.plan, currency: scope.plan.currency ?? currency };
  if (!needsCurrency && plan.currency === null && !comparesMoney(plan)) return scope;
  const search = { plan, resolved: scope.resolved, ...(place !== undefined && { place }) };
  const resolved = await resolveCurrency(currencyOptions(request), [search]);
  return { ...scope, plan: withCurrency(plan, resolved), currencyChoice: resolved.choice };
}

/** Listings of every status tell the currency, so PostgreSQL is asked. */
const currencyOptions = ({
  database,
  findCurrencies,
  defaultCurrency,
  fresh,
  choosesMost = false,
}: MarketReads & Pick<ScopeRequest, 'choosesMost'>): CurrencyOptions => ({
  backend: {
    currencies: (search, among) => findCurrenciesAmong(database, search, among),
    count: (search) => countAll(database, search),
  },
  findCurrencies,
  defaultCurrency,
  fresh,
  choosesMost,
});

/** Rentals and sales with the same filters, in one currency. Throws INVALID_PARAMETER if there are several. */
export async function resolveRentalsAndSales(
  request: ScopeRequest,
  { now, currency }: SharedByPages,
): Promise<{ readonly rentals: Scope; readonly sales: Scope }> {
  const rentals = await resolveFilters(request, 'rental', now);
  const sales = await resolveFilters(request, 'sale', now);
  const searches = [rentals, sales].map(({ plan, resolved }) => ({
    plan: { ...plan, currency: plan.currency ?? currency },
    resolved,
  }));
  const shared = await resolveCurrency(currencyOptions(request), searches);
  const inCurrency = (scope: Scope): Scope => ({
    ...scope,
    plan: withCurrency(scope.plan, shared),
    currencyChoice: shared.choice,
  });
  return { rentals: inCurrency(rentals), sales: inCurrency(sales) };
}

/** The scope of listings of this type, in any currency. Durations in filters count from `now`, in milliseconds. */
async function resolveFilters(
  { database, areas, fresh, query, reach }: ScopeRequest,
  listingType: ListingType,
  now: number,
): Promise<Scope> {
  const filters = filtersOf(query, listingType);
  const units = query.units ?? 'imperial';
  const planned = planSearch(listingType, { ...filters, units } as SearchQuery, 1, now, reach);
  const plan = { ...planned, conditions: planned.conditions.filter(({ kind }) => kind !== 'statuses') };
  const resolved = await resolveQuery({ database, named: (ids) => areas.named(ids, fresh) }, plan);
  // Whatever else is in memory, PostgreSQL is asked for currencies and sources.
  await requireAffordable(database, { plan, resolved });
  const [zone = null, ...others] = new Set(await areas.zonesOf(resolved.areaNos, fresh));
  return {
    listingType,
    resolved,
    units,
    filters,
    plan,
    currencyChoice: null,
    timeZone: others.length === 0 && zone !== null ? zone : DEFAULT_TIME_ZONE,
  };
}

/**
 * Throws all faults of a request in one problem: those of its filters and areas, and those that `read` finds. A filter that does
 * not exist for the listing type hides the faults of the others.
 */
export async function checkScope(
  { database, areas }: Pick<MarketReads, 'database' | 'areas'>,
  query: MarketQuery,
  now: number,
  read: readonly (() => unknown)[],
): Promise<void> {
  const faults = new Faults();
  for (const part of read) faults.attempt(part);
  const type = query.listingType ?? 'sale';
  faults.attempt(() => planSearch(type, filtersOf(query, type) as SearchQuery, 1, now, EVERYTHING));
  const named = (ids: readonly string[]) => areas.named(ids, false);
  await requireAreas({ database, named }, [...new Set(query.areaId ?? [])]).catch((error) =>
    faults.add(error),
  );
  faults.report();
}

/** The filters of the request. Throws INVALID_PARAMETER if one does not exist for this listing type. */
function filtersOf(query: MarketQuery, listingType: ListingType): Record<string, unknown> {
  const [own, other] = [FILTERS[listingType], FILTERS[listingType === 'sale' ? 'rental' : 'sale']];
  const sent = Object.entries(query).filter(([, value]) => value !== undefined);
  const foreign = sent.filter(([name]) => other.includes(name) && !own.includes(name));
  if (foreign.length > 0) {
    const detail = `does not exist for listingType=${listingType}`;
    throw parameterProblem(foreign.map(([parameter]) => ({ parameter, detail })));
  }
  return Object.fromEntries(sent.filter(([name]) => own.includes(name)));
}

/** The listings of a scope, as the store reads them. */
export function listingScopeOf(scope: Scope, groupBy: readonly Grouping[] = []): ListingScope {
  const { listingType, plan, resolved, timeZone } = scope;
  const where: ListingScope['where'] = (sql) => lifeSql(sql, plan, resolved);
  const cached = groupBy.length === 0 ? cachedScope(scope) : null;
  return { listingType, timeZone, groupBy, where, search: { plan, resolved }, cached };
}

/** Cached are only figures of all areas or of a single one, in one currency or in all, under the display rules. */
function cachedScope({ listingType, plan, resolved, timeZone }: Scope): CachedScope | null {
  const isCurrency = (condition: Condition): boolean =>
    condition.kind === 'words' && condition.column === 'currency' && condition.values.length === 1;
  const [areaFilter, ...others] = plan.conditions.filter((condition) => !isCurrency(condition));
  const areaNo = areaFilter === undefined ? EVERYWHERE : singleAreaNo(areaFilter, resolved);
  if (plan.ignoreDisplayRules || areaNo === null || others.length > 0) return null;
  const currency = plan.conditions.some(isCurrency) ? (plan.currency ?? '') : '';
  const until = startOf(today(plan.startedAt, timeZone), 'month');
  return { areaNo, listingType, currency, timeZone, until };
}

/** The area number that stands for all areas. */
const EVERYWHERE = 0;

function singleAreaNo({ kind }: Condition, { areaNos }: ResolvedQuery): number | null {
  return kind === 'areas' && areaNos.length === 1 ? (areaNos[0] ?? null) : null;
}

/** The scope as the response shows it. */
export function formatScope({ listingType, resolved, timeZone, filters, plan, currencyChoice }: Scope) {
  const areas = resolved.areas.map(({ id, name }) => ({ id, name }));
  return { listingType, areas, timeZone, currency: plan.currency, currencyChoice, filters };
}
