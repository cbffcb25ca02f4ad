// Reading of a search request: its format and its plan, with all faults in one problem.

import { type Principal, pageSize, type TierPlan, type Tiers } from '../../access/tiers/tiers.ts';
import type { AreaIdCache } from '../../areas/area-cache.ts';
import { Faults } from '../../http/input/faults.ts';
import type { Clock } from '../../lib/clock.ts';
import { invalidParameter } from '../../lib/problem.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Format, SearchQuery } from '../query/parameters.ts';
import { planSearch, type SearchPlan } from '../query/plan.ts';
import { withoutClusterCursor } from '../summaries/clusters.ts';
import { parseStats } from '../summaries/stats.ts';
import { formatOf, reachOf, refuseLargeLimit } from './formats.ts';
import { requireAreas } from './resolve-query.ts';

/** The parts of a request that are read. */
export interface ReadRequest {
  readonly type: ListingType;
  readonly query: SearchQuery;
  readonly caller: Principal;
  readonly mediaType: string;
}

export interface CheckOptions {
  readonly database: Database;
  readonly areas: AreaIdCache;
  readonly clock: Clock;
  readonly tiers: Tiers;
}

/** Throws all faults of a query, or of a part of it, in one problem. */
export async function checkSearch(
  { areas, clock, database, tiers }: CheckOptions,
  request: ReadRequest,
): Promise<void> {
  const { query, caller } = request;
  const plan = tiers[caller.tier];
  const faults = new Faults();
  faults.attempt(() => readSearch(request, plan, pageSize(plan, query.limit), clock.now()));
  const named = (ids: readonly string[]) => areas.named(ids, false);
  await requireAreas({ database, named }, [...new Set(query.areaId ?? [])]).catch((error) =>
    faults.add(error),
  );
  faults.report();
}

/** The format and the plan. Throws one problem with all faults of the query that need no look at listings. */
export function readSearch(
  { type, query, mediaType, caller }: ReadRequest,
  plan: TierPlan,
  limit: number,
  now: number,
): { readonly format: Format; readonly planned: SearchPlan } {
  const faults = new Faults();
  const format = faults.attempt(() => formatOf(query, mediaType));
  faults.attempt(() => refuseLargeLimit(format ?? 'json', caller, plan, query.limit));
  faults.attempt(() => requirePriceFacet(query));
  faults.attempt(() => parseStats(type, query.stats ?? []));
  const listed = faults.attempt(() => withoutClusterCursor(query)) ?? query;
  const planned = faults.attempt(() =>
    planSearch(type, listed, limit, now, reachOf(caller, format ?? 'json')),
  );
  faults.report();
  if (format === undefined || planned === undefined) throw new Error('A fault of the query was not reported');
  return { format, planned };
}

function requirePriceFacet({ priceBucket, facets }: SearchQuery): void {
  if (priceBucket !== undefined && facets?.includes('priceBucket') !== true)
    throw invalidParameter('priceBucket', 'needs facets=priceBucket');
}
