// Routes of views as JSON, for scripts of the explorer's pages: what the map and the list show, and what each filter would give.

import { Type } from 'typebox';
import type { Principal } from '../access/tiers/tiers.ts';
import { type Route, route } from '../http/frame/route.ts';
import { conditional, contentEtag } from '../http/output/etag.ts';
import { nullIfUnavailable } from '../lib/problem.ts';
import { bypassesCache } from '../listings/property-cache.ts';
import { ALL_FILTERS, activeFilters } from './parts/filters.ts';
import { nearestWays, offersFor, waysOut } from './parts/offers.ts';
import { type ExploreOptions, filterContext } from './render.ts';
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

export function viewRoutes(
  parts: ViewParts & Pick<ExploreOptions, 'findLoading'>,
): readonly Route<Principal>[] {
  return [
    route<Principal>()({
      ...common,
      path: '/explore/view',
      operation: 'getExploreView',
      summary: 'Get what a map and its list show',
      answer: { description: 'A view' },
      async handle({ url, caller, headers, usage }) {
        const reading = { fresh: bypassesCache(headers), usage };
        const view = await readView(parts, stateOfUrl(url), caller, reading);
        const json = { ...view, loading: await nullIfUnavailable(parts.findLoading()) };
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
        const state = stateOfUrl(url);
        const counts = await countFilters(parts, state, caller);
        const [total] = await countChanges(parts, state, caller, [{}]);
        const ways = total === 0 ? await findWays(parts, state, caller) : [];
        return { json: { ...counts, ways }, headers: NOT_INDEXED };
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
      async handle({ query: { q }, caller, usage }) {
        return { json: await suggest(parts, q, caller, usage), headers: NOT_INDEXED };
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
  const filters = activeFilters(parameters, filterContext(state, view));
  const all = { id: ALL_FILTERS, parameters: filters.flatMap((filter) => filter.parameters) };
  return readCounts(parts, state, caller, {
    filters: filters.length === 0 ? [] : [...filters, all],
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
  const wider = widerBoxes(parameters.get('bbox')).map((bbox) => ({ bbox, zoom: null }));
  const changes = [...ways.map((way) => way.changes), ...wider];
  const counts = await countChanges(parts, state, caller, changes);
  const counted = ways.map((way, at) => ({ ...way, count: counts[at] ?? 0 }));
  const nearest = wider
    .map((each, at) => ({ label: 'A wider map', changes: each, count: counts[ways.length + at] ?? 0 }))
    .find(({ count }) => count > 0);
  return nearestWays(nearest === undefined ? counted : [...counted, nearest]);
}

/** How many times as wide and high the maps are that are tried around one without homes. */
const WIDER = [2, 4, 8, 16];

/** Boxes around the middle of one that does not cross the antimeridian, the nearest first. */
function widerBoxes(bbox: string | undefined): readonly string[] {
  const [west = 0, south = 0, east = 0, north = 0] = bbox?.split(',').map(Number) ?? [];
  if (bbox === undefined || east < west) return [];
  return WIDER.map((times) => {
    const [across, down] = [((east - west) * (times - 1)) / 2, ((north - south) * (times - 1)) / 2];
    const box = [west - across, south - down, east + across, north + down];
    const limits = [-180, -90, 180, 90];
    return box
      .map((degrees, at) =>
        at < 2 ? Math.max(degrees, limits[at] ?? 0) : Math.min(degrees, limits[at] ?? 0),
      )
      .map((degrees) => Number(degrees.toFixed(5)))
      .join();
  });
}
