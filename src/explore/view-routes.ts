// Routes of views as JSON, for scripts of the explorer's pages: what the map and the list show, and what each filter would give.

import { Type } from 'typebox';
import type { Principal } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { conditional, contentEtag } from '../http/output/etag.ts';
import { bypassesCache } from '../listings/property-cache.ts';
import { activeFilters } from './parts/filters.ts';
import { nearestWays, offersFor, waysOut } from './parts/offers.ts';
import { filterContext } from './render.ts';
import { countChanges, readCounts } from './view/counts.ts';
import type { CountedChange, FilterCounts } from './view/filter-counts.ts';
import { readParameters } from './view/parameters.ts';
import { checkKind } from './view/query.ts';
import { type ExploreState, parametersOf, stateOf } from './view/state.ts';
import { suggest } from './view/suggest.ts';
import { readView, type View, type ViewParts } from './view/view.ts';

const common = {
  method: 'GET',
  tag: 'Service',
  page: true,
  access: { credentials: 'optional', scope: 'listings:read', counts: 'views' },
  ownQuery: true,
  query: Type.Object({}),
} as const;

const NOT_INDEXED = { 'x-robots-tag': 'noindex' } as const;

export function viewRoutes(parts: ViewParts): readonly Route<Principal>[] {
  return [
    route<Principal>()({
      ...common,
      path: '/explore/view',
      operation: 'getExploreView',
      summary: 'Get what a map and its list show',
      answer: { description: 'A view' },
      async handle({ url, caller, headers }) {
        const reading = { fresh: bypassesCache(headers) };
        const json = await readView(parts, stateOfUrl(url), caller, reading);
        // When it was read is not what it says.
        return conditional(headers, contentEtag(json, ['asOf']), { json, headers: NOT_INDEXED });
      },
    }),
    route<Principal>()({
      ...common,
      path: '/explore/facets',
      operation: 'getExploreFacets',
      summary: 'Get how many homes each filter of a view would give',
      answer: { description: 'Counts of filters' },
      async handle({ url, caller }) {
        return { json: await countFilters(parts, stateOfUrl(url), caller), headers: NOT_INDEXED };
      },
    }),
    route<Principal>()({
      ...common,
      path: '/explore/suggest',
      operation: 'getExploreSuggestions',
      summary: 'Get places, addresses and a listing number that begin like a text',
      ownQuery: false,
      query: Type.Object({ q: Type.String({ maxLength: 120, description: 'What was typed so far.' }) }),
      answer: { description: 'Suggestions' },
      async handle({ query: { q }, caller }) {
        return { json: await suggest(parts, q, caller), headers: NOT_INDEXED };
      },
    }),
  ];
}

/** Throws INVALID_PARAMETER for another kind of homes. */
function stateOfUrl(url: string): ExploreState {
  const parameters = readParameters(url.split('?').slice(1).join('?'));
  checkKind(parameters.get('for'));
  return stateOf(parameters);
}

/** How many homes each change of the filters would give. Throws what `readView` throws. */
export async function countFilters(
  parts: ViewParts,
  state: ExploreState,
  caller: Principal,
  view: View | null = null,
): Promise<FilterCounts> {
  const parameters = parametersOf(state);
  return readCounts(parts, state, caller, {
    filters: activeFilters(parameters, filterContext(state, view)),
    offers: offersFor(parameters),
    median: view?.medianPrice ?? null,
  });
}

/** The ways out of a view without homes, with the number of homes that each leads to. Throws what `readView` throws. */
export async function findWays(
  parts: ViewParts,
  state: ExploreState,
  caller: Principal,
  view: View | null = null,
): Promise<readonly CountedChange[]> {
  const parameters = parametersOf(state);
  const ways = waysOut(parameters, activeFilters(parameters, filterContext(state, view)));
  const changes = ways.map((way) => way.changes);
  const counts = await countChanges(parts, state, caller, changes);
  return nearestWays(ways.map((way, at) => ({ ...way, count: counts[at] ?? 0 })));
}
