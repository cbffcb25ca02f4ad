// Scope of a request for statistics: its filters, areas, time zone and currency.

import { findNamedAreas } from '../areas/lookup-store.ts';
import { parameterProblem } from '../http/input/query.ts';
import { UNKNOWN_ZONE } from '../listings/place-time.ts';
import type { ListingType, UnitSystem } from '../listings/vocabulary.ts';
import { resolveQuery } from '../search/http/resolve-query.ts';
import type { Condition } from '../search/query/conditions.ts';
import type { SearchQuery } from '../search/query/parameters.ts';
import { planSearch, type SearchPlan } from '../search/query/plan.ts';
import type { ResolvedQuery } from '../search/query/resolved-query.ts';
import { lifeSql } from '../search/sql/condition-sql.ts';
import {
  type CurrencyOptions,
  comparesMoney,
  resolveCurrency,
  withCurrency,
} from '../search/summaries/currency.ts';
import { startOf, today } from './calendar.ts';
import type { CachedScope } from './figure-cache-store.ts';
import type { Place } from './paging.ts';
import { FILTERS, type MarketQuery } from './parameters.ts';
import { type Field, findTimeZones, type Grouping } from './store.ts';

export interface Scope {
  readonly listingType: ListingType;
  readonly resolved: ResolvedQuery;
  readonly timeZone: string;
  readonly units: UnitSystem;
  /** The filters as they were asked, for the answer. */
  readonly filters: Readonly<Record<string, unknown>>;
  /** Without a status: a listing counts by what it was in the period, not by what it is today. */
  readonly plan: SearchPlan;
}

/** What a scope is read with. */
export interface ScopeRequest extends CurrencyOptions {
  readonly asked: MarketQuery;
}

/**
 * The scope of a request about listings of this type. `now` in milliseconds is what durations in filters count from.
 * Throws INVALID_PARAMETER or INVALID_GEOMETRY.
 */
export async function resolveScope(
  { database, asked }: ScopeRequest,
  listingType: ListingType,
  now: number,
): Promise<Scope> {
  const filters = filtersOf(asked, listingType);
  const units = asked.units ?? 'imperial';
  const plan = planSearch(listingType, { ...filters, units } as SearchQuery, 1, now);
  const resolved = await resolveQuery({ database, named: (ids) => findNamedAreas(database, ids) }, plan);
  const { areaNos } = resolved;
  const zones = areaNos.length === 0 ? null : await findTimeZones(database, areaNos);
  const [zone, ...others] = new Set(areaNos.map((no) => zones?.get(no)));
  return {
    ...{ listingType, resolved, units, filters },
    timeZone: others.length === 0 && zone !== undefined ? zone : UNKNOWN_ZONE,
    plan: { ...plan, conditions: plan.conditions.filter(({ kind }) => kind !== 'statuses') },
  };
}

/**
 * The scope in one currency, where money is told of it or compared in its filters: the one that is `frozen`, asked for, or
 * the only one there is. Throws INVALID_PARAMETER where there are several.
 */
export async function inOneCurrency(
  request: ScopeRequest,
  scope: Scope,
  { tellsMoney, frozen, place }: { tellsMoney: boolean; frozen: string | null; place?: string },
): Promise<Scope> {
  const plan = { ...scope.plan, currency: scope.plan.currency ?? frozen };
  if (!tellsMoney && plan.currency === null && !comparesMoney(plan)) return scope;
  const search = { plan, resolved: scope.resolved, ...(place !== undefined && { place }) };
  return { ...scope, plan: withCurrency(plan, await resolveCurrency(request, [search])) };
}

/** Rentals and sales of the same filters, in one currency. Throws INVALID_PARAMETER where they are in several. */
export async function resolvePair(
  request: ScopeRequest,
  { now, currency: frozen }: Pick<Place, 'now' | 'currency'>,
): Promise<{ readonly rentals: Scope; readonly sales: Scope }> {
  const [rentals, sales] = [
    await resolveScope(request, 'rental', now),
    await resolveScope(request, 'sale', now),
  ];
  const searches = [rentals, sales].map(({ plan, resolved }) => ({
    ...{ plan: { ...plan, currency: plan.currency ?? frozen }, resolved },
  }));
  const resolved = await resolveCurrency(request, searches);
  const inCurrency = (scope: Scope): Scope => ({ ...scope, plan: withCurrency(scope.plan, resolved) });
  return { rentals: inCurrency(rentals), sales: inCurrency(sales) };
}

/** The filters that were sent. Throws INVALID_PARAMETER where one is for the other kind of listings only. */
function filtersOf(asked: MarketQuery, listingType: ListingType): Record<string, unknown> {
  const [own, other] = [FILTERS[listingType], FILTERS[listingType === 'sale' ? 'rental' : 'sale']];
  const sent = Object.entries(asked).filter(([, value]) => value !== undefined);
  const foreign = sent.filter(([name]) => other.includes(name) && !own.includes(name));
  if (foreign.length > 0) {
    const detail = `does not exist for listingType=${listingType}`;
    throw parameterProblem(foreign.map(([parameter]) => ({ parameter, detail })));
  }
  return Object.fromEntries(sent.filter(([name]) => own.includes(name)));
}

/** Where the figures of a scope are read from. */
export function fieldOf(scope: Scope, groupBy: readonly Grouping[] = []): Field {
  const { listingType, plan, resolved, timeZone } = scope;
  const where: Field['where'] = (sql) => lifeSql(sql, plan, resolved);
  return { listingType, timeZone, groupBy, where, cached: groupBy.length === 0 ? cachedScope(scope) : null };
}

/** Figures are cached of everything and of single areas, in one currency or in all, as the public sees them. */
function cachedScope({ listingType, plan, resolved, timeZone }: Scope): CachedScope | null {
  const isCurrency = (condition: Condition): boolean =>
    condition.kind === 'words' && condition.column === 'currency' && condition.values.length === 1;
  const [place, ...others] = plan.conditions.filter((condition) => !isCurrency(condition));
  const areaNo = place === undefined ? EVERYWHERE : onlyArea(place, resolved);
  if (plan.ignoreDisplayRules || areaNo === null || others.length > 0) return null;
  const currency = plan.conditions.some(isCurrency) ? (plan.currency ?? '') : '';
  const until = startOf(today(plan.startedAt, timeZone), 'month');
  return { areaNo, listingType, currency, timeZone, until };
}

/** The number that stands for all areas together. */
const EVERYWHERE = 0;

function onlyArea({ kind }: Condition, { areaNos }: ResolvedQuery): number | null {
  return kind === 'areas' && areaNos.length === 1 ? (areaNos[0] ?? null) : null;
}

/** The scope as it is answered. */
export function formatScope({ listingType, resolved, timeZone, filters, plan: { currency } }: Scope) {
  const areas = resolved.areas.map(({ id, name }) => ({ id, name }));
  return { listingType, areas, timeZone, currency, filters };
}
