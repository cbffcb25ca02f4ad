// Route of the explorer's page.

import { anonymous, type Principal } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import type { Reply } from '../http/output/reply.ts';
import { nullIfUnavailable, Problem } from '../lib/problem.ts';
import { rootFrom } from '../page/header.ts';
import { cleanQuery } from './clean-query.ts';
import { type ExploreOptions, renderExplore } from './render.ts';
import { NO_COUNTS } from './view/filter-counts.ts';
import { linkTo, type Parameters } from './view/parameters.ts';
import { checkKind } from './view/query.ts';
import { stateOf } from './view/state.ts';
import { readView } from './view/view.ts';
import { countFilters, findWays, viewRoutes } from './view-routes.ts';

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
    ...viewRoutes(options),
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
    const ways = view?.total === 0 ? await nullIfUnavailable(findWays(options, state, caller)) : null;
    return renderExplore({
      ...base,
      loading,
      view,
      counts: counts ?? NO_COUNTS,
      ways: ways ?? [],
      problem: null,
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return renderExplore({ ...base, loading, view: null, counts: NO_COUNTS, ways: [], problem: error });
  }
}

const leadTo = (parameters: Parameters): Reply => ({
  status: 303,
  headers: { location: linkTo(parameters), 'cache-control': 'no-store' },
});
