// The whole market as groups of homes: the box around them, and how many stand where.

import { Problem } from '../../lib/problem.ts';
import type { MapBox } from '../../page/map/mercator.ts';
import { withSession } from '../../search/query/search-backend.ts';
import { boxOf, clusterOf, gridOf, type ViewCluster } from './map-parts.ts';
import type { ExploreState } from './state.ts';
import { prepareSearch, type ViewParts } from './view.ts';

export interface MarketGroups {
  readonly box: MapBox;
  /** Empty where prices in several currencies have no median. */
  readonly groups: readonly ViewCluster[];
}

/** Of single homes nothing is in it. Throws what searches throw. */
export async function readGroups(parts: ViewParts, state: ExploreState): Promise<MarketGroups> {
  const { search } = await prepareSearch(parts, state, parts.visitor);
  const whole = { ...search, plan: { ...search.plan, cursor: null } };
  return withSession(parts.backend, { caller: '' }, async (session) => {
    const box = await boxOf(parts.database, session, whole, state, []);
    const { cells } = await session.points(whole, gridOf(box, 0)).catch((error: unknown) => {
      if (error instanceof Problem && error.status < 500) return { cells: [] };
      throw error;
    });
    return { box, groups: cells.map(clusterOf) };
  });
}
