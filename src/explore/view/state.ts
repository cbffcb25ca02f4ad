// State of a view: which homes, where, and in which order, as the query of its URL has it. Pure, for pages and browsers.

import { curlCode, fetchCode } from '../../page/request-code.ts';
import { changed, type Parameters, writeQuery } from './parameters.ts';

export type HomeKind = 'sale' | 'rental';

export interface ExploreState {
  readonly kind: HomeKind;
  /** All parameters but `for`: by the names of the search endpoints. */
  readonly parameters: Parameters;
}

/** The state of a view's parameters; what they mean is checked where they are read. */
export function stateOf(parameters: Parameters): ExploreState {
  const kind = parameters.get('for') === 'rental' ? 'rental' : 'sale';
  const others = new Map([...parameters].filter(([name]) => name !== 'for'));
  return { kind, parameters: others };
}

/** All parameters of the state's URL; homes for sale go without saying. */
export function parametersOf({ kind, parameters }: ExploreState): Parameters {
  return new Map([...(kind === 'rental' ? ([['for', 'rental']] as const) : []), ...parameters]);
}

/** The cursor as searches take it: that of a view without its number of rows and its seal; null: the list begins. */
export const searchCursor = ({ parameters }: Pick<ExploreState, 'parameters'>): string | null =>
  parameters.get('cursor')?.replace(/^\d+\.([\w-]+)\.[\w-]+$/, '$1') ?? null;

/** Requests of the API that give what a view shows: whole URLs, and the first as text to copy. */
export interface ApiRequests {
  readonly search: string;
  readonly clusters: string;
  readonly facets: string;
  readonly csv: string;
  readonly curl: string;
  readonly fetch: string;
}

/**
 * `baseUrl` without a slash at its end. `bbox` and `zoom` are those of the map where the query names none, and so is the `currency`;
 * null: all homes have one currency.
 */
export function apiRequests(
  { kind, parameters }: ExploreState,
  baseUrl: string,
  map: { readonly bbox: string; readonly zoom: number; readonly currency: string | null },
): ApiRequests {
  const path = `${baseUrl}/v1/search/${kind === 'sale' ? 'sales' : 'rentals'}`;
  const query = changed(parameters, {
    zoom: null,
    cursor: searchCursor({ parameters }),
    currency: parameters.get('currency') ?? map.currency,
  });
  const url = (at: string, more: Readonly<Record<string, string | null>>): string => {
    const text = writeQuery(changed(query, { cursor: null, ...more }));
    return text === '' ? at : `${at}?${text}`;
  };
  const search = url(path, { limit: '10', cursor: searchCursor({ parameters }) });
  const clusters = url(path, {
    sort: null,
    cluster: 'true',
    bbox: parameters.get('bbox') ?? map.bbox,
    zoom: String(Math.min(20, Math.max(0, Math.round(map.zoom)))),
  });
  const entries = [...changed(query, { limit: '10', cursor: searchCursor({ parameters }) })];
  return {
    search,
    clusters,
    facets: url(path, { limit: '1', facets: 'propertyType,bedrooms,priceBucket' }),
    csv: url(`${path}/export`, {}),
    curl: curlCode(path, entries),
    fetch: fetchCode(path, entries),
  };
}
