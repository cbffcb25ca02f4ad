// Facets of a search: values of all results, most frequent first.

import { type TSchema, Type } from 'typebox';
import { nullable } from '../../listings/record.ts';
import type { NameKind } from '../query/name-kinds.ts';
import type { Facet } from '../query/parameters.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { priceBucket } from '../query/price-buckets.ts';
import type { FacetLimits, SearchBackend } from '../query/search-backend.ts';

const counted = ($id: string, value: TSchema) =>
  Type.Optional(Type.Array(Type.Object({ value, count: Type.Integer() }, { $id })));
const words = counted('CountedWord', Type.String());
const numbers = counted('CountedNumber', Type.Number());
const buckets = Type.Optional(
  Type.Array(
    Type.Object(
      { from: Type.Number(), to: nullable(Type.Number()), count: Type.Integer() },
      { $id: 'CountedPrices', description: 'Prices from `from` up to but excluding `to`.' },
    ),
  ),
);

const FACET_SCHEMAS = {
  propertyType: words,
  status: words,
  bedrooms: numbers,
  bathrooms: numbers,
  areaId: words,
  city: words,
  priceBucket: buckets,
  features: words,
  yearBuiltDecade: numbers,
} as const satisfies Readonly<Record<Facet, TSchema>>;

export const FacetsSchema = Type.Object(FACET_SCHEMAS, {
  $id: 'Facets',
  description:
    'For each requested facet, the values of the results, most frequent first. Listings with an unknown value are not ' +
    'counted.',
});

type Counted = { readonly value: string | number; readonly count: number };
type CountedPrices = { readonly from: number; readonly to: number | null; readonly count: number };
export type Facets = Readonly<Record<string, readonly (Counted | CountedPrices)[]>>;

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
