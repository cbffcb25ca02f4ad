// Facets of a search: values and their counts, the commonest first.

import { type Static, Type } from 'typebox';
import { nullable } from '../../listings/record.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Facet } from '../query/answer-parameters.ts';
import type { SearchPlan } from '../query/plan.ts';
import { bucketOf } from '../query/price-buckets.ts';
import type { ResolvedQuery } from '../query/resolved-query.ts';
import { countFacets } from '../sql/facet-store.ts';

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

const NUMBERS: readonly Facet[] = ['bedrooms', 'bathrooms', 'yearBuiltDecade'];

/** Facets with the number of all results, counted in the same pass: so they never contradict each other. */
export interface FacetCounts {
  readonly facets: Facets;
  readonly total: number;
}

/** Counts over all results of the plan; at most `most` values of each facet. */
export async function computeFacets(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  facets: readonly Facet[],
  maxValues: number,
): Promise<FacetCounts> {
  const requested = [...new Set(facets)];
  const { rows, total } = await countFacets(database, plan, resolved, requested, maxValues);
  const valuesOf = (facet: Facet) =>
    rows
      .filter((row) => row.facet === facet)
      .map(({ value, count }) => {
        if (facet === 'priceBucket') return { ...bucketOf(Number(value)), count };
        return { value: NUMBERS.includes(facet) ? Number(value) : value, count };
      });
  return { facets: Object.fromEntries(requested.map((facet) => [facet, valuesOf(facet)])), total };
}
