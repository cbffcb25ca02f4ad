// Facets of a search: values of all results, most frequent first.

import { type Static, Type } from 'typebox';
import { nullable } from '../../listings/record.ts';
import type { NameKind } from '../query/name-kinds.ts';
import type { Facet } from '../query/parameters.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { priceBucket } from '../query/price-buckets.ts';
import type { FacetLimits, SearchBackend } from '../query/search-backend.ts';

const Counted = Type.Object({
  value: Type.Union([Type.String(), Type.Number()]),
  count: Type.Integer(),
});
const Bucket = Type.Object({ from: Type.Number(), to: nullable(Type.Number()), count: Type.Integer() });

export const FacetsSchema = Type.Record(Type.String(), Type.Array(Type.Union([Counted, Bucket])), {
  description:
    'For each facet, the values of the results, most frequent first. `priceBucket` counts prices from `from` ' +
    'up to but excluding `to`. Listings with an unknown value are not counted.',
});
export type Facets = Static<typeof FacetsSchema>;

/** Facets and the number of all results, which never contradict each other. */
export interface FacetCounts {
  readonly facets: Facets;
  readonly total: number;
}

export interface FacetOptions extends FacetLimits {
  /** How listings write the names of these keys; unknown ones are left out. */
  readonly findNames: (kind: NameKind, keys: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Counts over all results. */
export async function computeFacets(
  backend: Pick<SearchBackend, 'facets'>,
  search: ResolvedSearch,
  facets: readonly Facet[],
  { findNames, ...limits }: FacetOptions,
): Promise<FacetCounts> {
  const requested = [...new Set(facets)];
  const { total, values } = await backend.facets(search, requested, limits);
  const keys = (values.get('city') ?? []).map(({ value }) => String(value));
  const cities = keys.length === 0 ? new Map<string, string>() : await findNames('city', keys);
  const shown = requested.map((facet) => {
    const counted = values.get(facet) ?? [];
    if (facet === 'city')
      return [
        facet,
        counted.map(({ value, count }) => ({ value: cities.get(String(value)) ?? value, count })),
      ];
    if (facet !== 'priceBucket') return [facet, counted];
    return [
      facet,
      counted.map(({ value, count }) => ({
        ...priceBucket(Number(value), limits.priceStep),
        count,
      })),
    ];
  });
  return { facets: Object.fromEntries(shown), total };
}
