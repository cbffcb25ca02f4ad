// Route of the explorer's page.

import { anonymous, type Principal } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import type { Reply } from '../http/output/reply.ts';
import { nullIfUnavailable, Problem } from '../lib/problem.ts';
import { rootFrom } from '../page/header.ts';
import { cleanQuery } from './clean-query.ts';
import { activeFilters } from './parts/filters.ts';
import { nearestWays, offersFor, waysOut } from './parts/offers.ts';
import { type ExploreOptions, filterContext, renderExplore } from './render.ts';
import { countChanges, readCounts } from './view/counts.ts';
import { NO_COUNTS } from './view/filter-counts.ts';
import { linkTo, type Parameters } from './view/parameters.ts';
import { checkKind } from './view/query.ts';
import { type ExploreState, parametersOf, stateOf } from './view/state.ts';
import { readView, type View } from './view/view.ts';

export function exploreRoutes(options: ExploreOptions): readonly Route<Principal>[] {
  return [
    route<Principal>()({
      method: 'GET',
      path: '/explore',
      page: true,
      tag: 'Service',
      operation: 'showExplorer',
      summary: 'Show the market: homes on a map and in a list',
      access: { credentials: 'none', counts: 'nothing' },
      ownQuery: true,
      accepts: ['text/html'],
      answer: { description: 'The page.', contentType: 'text/html' },
      handle: ({ url, address }) => showExplorer(options, url, anonymous(address)),
    }),
  ];
}

async function showExplorer(options: ExploreOptions, url: string, caller: Principal): Promise<Reply> {
  const query = url.split('?').slice(1).join('?');
  const { parameters, find, redirect } = cleanQuery(query);
  if (find !== null || redirect !== null) {
    const found = new Map(find === null ? parameters : [...parameters, ['q', find] as const]);
    return leadTo(found);
  }
  const state = stateOf(parameters);
  const base = { options, state, root: rootFrom(url), search: parameters.get('q') ?? '' };
  const loading = await nullIfUnavailable(options.findLoading());
  try {
    checkKind(parameters.get('for'));
    const view = await nullIfUnavailable(readView(options, state, caller));
    const counts = view === null ? null : await nullIfUnavailable(countFilters(options, state, caller, view));
    const ways = view?.total === 0 ? await findWays(options, state, caller) : [];
    return renderExplore({ ...base, loading, view, counts: counts ?? NO_COUNTS, ways, problem: null });
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return renderExplore({ ...base, loading, view: null, counts: NO_COUNTS, ways: [], problem: error });
  }
}

const leadTo = (parameters: Parameters): Reply => ({
  status: 303,
  headers: { location: linkTo(parameters), 'cache-control': 'no-store' },
});

/** How many homes each change of the filters would give. */
async function countFilters(options: ExploreOptions, state: ExploreState, caller: Principal, view: View) {
  const parameters = parametersOf(state);
  return readCounts(options, state, caller, {
    filters: activeFilters(parameters, filterContext(state, view)),
    offers: offersFor(parameters),
    median: view.medianPrice,
  });
}

/** The ways out of a view without homes, with the number of homes that each leads to. */
async function findWays(options: ExploreOptions, state: ExploreState, caller: Principal) {
  const parameters = parametersOf(state);
  const ways = waysOut(parameters, activeFilters(parameters, filterContext(state, null)));
  const changes = ways.map((way) => way.changes);
  const counts = await nullIfUnavailable(countChanges(options, state, caller, changes));
  return nearestWays(ways.map((way, at) => ({ ...way, count: counts?.[at] ?? 0 })));
}
