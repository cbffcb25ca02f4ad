// Route of the explorer's page.

import type { Principal } from '../access/tiers/tiers.ts';
import type { CallUsage } from '../http/frame/call-usage.ts';
import { type Route, route } from '../http/frame/route.ts';
import type { Reply } from '../http/output/reply.ts';
import { nullIfUnavailable, Problem } from '../lib/problem.ts';
import { rootFrom } from '../page/header.ts';
import type { Html } from '../page/html.ts';
import { refusedPages } from './allowance/refused-pages.ts';
import { cleanQuery } from './clean-query.ts';
import { createLockedMap } from './locked-map.ts';
import { type ExploreOptions, isLocked, PAGE_STYLE, renderExplore } from './render.ts';
import { NO_COUNTS } from './view/filter-counts.ts';
import { findListingByNumber, findPlace } from './view/find-store.ts';
import { linkTo, listOf, type Parameters } from './view/parameters.ts';
import { checkKind } from './view/query.ts';
import { type ExploreState, parametersOf, stateOf } from './view/state.ts';
import { readView, type View } from './view/view.ts';
import { drawViewMap } from './view-map.ts';
import { countFilters, findWays, viewRoutes } from './view-routes.ts';

export function exploreRoutes(options: ExploreOptions): readonly Route<Principal>[] {
  const drawLocked = createLockedMap(options);
  return [
    route<Principal>()({
      method: 'GET',
      path: '/explore',
      page: true,
      tag: 'Service',
      operation: 'showExplorer',
      summary: 'Show the market: homes on a map and in a list',
      access: { credentials: 'optional', scope: 'listings:read', counts: 'nothing' },
      ownQuery: true,
      accepts: ['text/html'],
      answer: { description: 'The page.', contentType: 'text/html' },
      errors: refusedPages({
        script: () => options.assets.script('refused'),
        section: 'explore',
        style: PAGE_STYLE,
        embedder: options.explorer.embedder,
        titles: { 503: 'The map cannot be shown at the moment' },
      }),
      handle: ({ url, caller, usage }) => showExplorer({ ...options, drawLocked, usage }, url, caller),
    }),
    ...viewRoutes(options),
  ];
}

interface PageOptions extends ExploreOptions {
  readonly drawLocked: () => Promise<Html | null>;
  readonly usage: CallUsage;
}

async function showExplorer(options: PageOptions, url: string, caller: Principal): Promise<Reply> {
  const query = url.split('?').slice(1).join('?');
  const { parameters, find, redirect } = cleanQuery(query);
  // Readers who may not look learn nothing of a home from where its number leads.
  const mayFind = find !== null && (await options.explorer.mayLook(caller)) === null;
  if (find !== null)
    return leadTo(mayFind ? await findTyped(options, parameters, find, caller) : linkTo(parameters));
  if (redirect !== null) return leadTo(linkTo(parameters, { cursor: parameters.get('cursor') ?? null }));
  const state = stateOf(parameters);
  const base = {
    options,
    state,
    root: rootFrom(url),
    search: parameters.get('q') ?? '',
    isPublic: caller.kind === 'anonymous',
  };
  const loading = await nullIfUnavailable(options.findLoading());
  try {
    checkKind(parameters.get('for'));
    const isAdmitted = (await nullIfUnavailable(options.explorer.admit(caller, 'views'))) !== null;
    const reading = { fresh: false, usage: options.usage };
    const view = isAdmitted ? await nullIfUnavailable(readView(options, state, caller, reading)) : null;
    const counts = view === null ? null : await nullIfUnavailable(countFilters(options, state, caller, view));
    const ways = view?.total === 0 ? await nullIfUnavailable(findWays(options, state, caller, view)) : null;
    const map = view === null ? null : await nullIfUnavailable(drawView(options, state, view, base.root));
    return renderExplore({
      ...base,
      loading,
      view,
      map,
      counts: counts ?? NO_COUNTS,
      ways: ways ?? [],
      problem: null,
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return renderExplore({
      ...base,
      loading,
      view: null,
      map: isLocked(error) ? await nullIfUnavailable(options.drawLocked()) : null,
      counts: NO_COUNTS,
      ways: [],
      problem: error,
    });
  }
}

function drawView(
  { outlines }: ExploreOptions,
  state: ExploreState,
  view: View,
  root: string,
): Promise<Html> {
  const parameters = parametersOf(state);
  const places = view.areas.map(({ name }) => name).join(', ');
  const label = `Map${places === '' ? '' : ` of ${places}`} with ${view.total.toLocaleString('en-US')} homes`;
  return drawViewMap(outlines, view, { parameters, kind: state.kind, root, label });
}

const leadTo = (location: string): Reply => ({
  status: 303,
  headers: { location, 'cache-control': 'no-store' },
});

/** Where the words of the search box lead: to the homes of a place, to one home by its number, else to homes with these words. */
async function findTyped(
  { database }: ExploreOptions,
  parameters: Parameters,
  words: string,
  { reach }: Principal,
): Promise<string> {
  const place = await nullIfUnavailable(findPlace(database, words));
  if (place !== null) {
    const areas = [...new Set([...listOf(parameters, 'areaId'), place])];
    return linkTo(parameters, { areaId: areas.join(','), bbox: null, zoom: null });
  }
  const home = await nullIfUnavailable(findListingByNumber(database, words, reach));
  return home === null ? linkTo(parameters, { q: words }) : `explore/listing/${encodeURIComponent(home)}`;
}
