// Owns what a request's figures are of: its filters as a plan, its areas, and the calendar of the place.

import { findNamedAreas } from '../catalogue/area-lookup-store.ts';
import { lifeSql } from '../catalogue/condition-sql.ts';
import { UNKNOWN_ZONE } from '../catalogue/place-time.ts';
import { planSearch, type SearchPlan } from '../catalogue/search.ts';
import { type LookedUp, lookUp } from '../catalogue/search-lookup.ts';
import type { SearchQuery } from '../catalogue/search-parameters.ts';
import type { ListingType, UnitSystem } from '../catalogue/vocabulary.ts';
import { refuse } from '../http/query.ts';
import type { Database } from '../postgres/database.ts';
import { FILTERS, type MarketQuery } from './parameters.ts';
import { type Field, findTimeZones, type Grouping } from './store.ts';

export interface Scope {
  readonly listingType: ListingType;
  readonly lookedUp: LookedUp;
  readonly timeZone: string;
  readonly units: UnitSystem;
  /** The filters as they were asked, for the answer. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly plan: SearchPlan;
}

/**
 * The scope of a request about listings of this type. `now` in milliseconds is what durations in filters count from.
 * Throws INVALID_PARAMETER or INVALID_GEOMETRY.
 */
export async function readScope(
  database: Database,
  asked: MarketQuery,
  listingType: ListingType,
  now: number,
): Promise<Scope> {
  const filters = filtersOf(asked, listingType);
  const units = asked.units ?? 'imperial';
  const plan = planSearch(listingType, { ...filters, units } as SearchQuery, 1, now);
  const lookedUp = await lookUp({ database, named: (ids) => findNamedAreas(database, ids) }, plan);
  const { areaNos } = lookedUp.meanings;
  const zones = areaNos.length === 0 ? null : await findTimeZones(database, areaNos);
  const [zone, ...others] = new Set(areaNos.map((no) => zones?.get(no)));
  return {
    ...{ listingType, lookedUp, units, filters },
    timeZone: others.length === 0 && zone !== undefined ? zone : UNKNOWN_ZONE,
    // A listing counts by what it was in the period, not by what it is today.
    plan: { ...plan, conditions: plan.conditions.filter(({ kind }) => kind !== 'statuses') },
  };
}

/** The filters that were sent. Throws INVALID_PARAMETER where one is for the other kind of listings only. */
function filtersOf(asked: MarketQuery, listingType: ListingType): Record<string, unknown> {
  const [own, other] = [FILTERS[listingType], FILTERS[listingType === 'sale' ? 'rental' : 'sale']];
  const sent = Object.entries(asked).filter(([, value]) => value !== undefined);
  const foreign = sent.filter(([name]) => other.includes(name) && !own.includes(name));
  if (foreign.length > 0) {
    const detail = `cannot be asked of listingType=${listingType}`;
    throw refuse(foreign.map(([parameter]) => ({ parameter, detail })));
  }
  return Object.fromEntries(sent.filter(([name]) => own.includes(name)));
}

/** Where the figures of a scope are read from. */
export function fieldOf(scope: Scope, groupBy: readonly Grouping[] = []): Field {
  const { listingType, plan, lookedUp, timeZone } = scope;
  return { listingType, timeZone, groupBy, where: (sql) => lifeSql(sql, plan, lookedUp.meanings) };
}

/** The scope as it is answered. */
export function shownScope({ listingType, lookedUp, timeZone, filters }: Scope) {
  return { listingType, areas: lookedUp.areas.map(({ id, name }) => ({ id, name })), timeZone, filters };
}
