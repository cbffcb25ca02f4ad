// The query of a view, checked as that of a search is.

import { Type } from 'typebox';
import { compileQuery } from '../../http/input/query.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { RentalSearchQuery, SaleSearchQuery, type SearchQuery } from '../../search/query/parameters.ts';
import { changed, writeQuery } from './parameters.ts';
import { type ExploreState, searchCursor } from './state.ts';

/** What shapes an answer of the API, and no view. */
const NOT_OF_VIEWS = [
  'limit',
  'count',
  'includeTotalCount',
  'fields',
  'include',
  'units',
  'display',
  'format',
  'facets',
  'priceBucket',
  'stats',
  'cluster',
  'explain',
] as const;

const readers = {
  sale: compileQuery(Type.Omit(SaleSearchQuery, [...NOT_OF_VIEWS])),
  rental: compileQuery(Type.Omit(RentalSearchQuery, [...NOT_OF_VIEWS])),
};

/** Throws INVALID_PARAMETER. The zoom is of the map alone. */
export function readQuery({ kind, parameters }: ExploreState): SearchQuery {
  const zoom = parameters.get('zoom');
  if (zoom !== undefined && !(Number(zoom) >= 0 && Number(zoom) <= 22))
    throw invalidParameter('zoom', 'must be a number from 0 to 22');
  const searched = changed(parameters, { zoom: null, cursor: searchCursor({ parameters }) });
  return readers[kind](writeQuery(searched)) as SearchQuery;
}

/** Throws INVALID_PARAMETER for any other kind of homes. */
export function checkKind(value: string | undefined): void {
  if (value !== undefined && value !== 'sale' && value !== 'rental')
    throw invalidParameter('for', 'must be sale or rental');
}
