// Facets of a search: values counted over all results in one pass, most frequent first.

import { type Static, Type } from 'typebox';
import { nullable } from '../../listings/record.ts';
import type { Database, Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { Column } from '../query/condition.ts';
import type { Facet } from '../query/parameters.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { sourceOf } from '../sql/source-sql.ts';

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

/** What was counted in one pass. */
export interface CountedFacets {
  readonly rows: readonly FacetRow[];
  /** How many listings were looked at: all that the plan finds. */
  readonly total: number;
}

/** A value of a facet, as text, with its count. */
export interface FacetRow {
  readonly facet: Facet;
  readonly value: string;
  readonly count: number;
}

/** The commonest values of each facet, at most `most` of each, by falling count, without unknown ones; and their total. */
export async function countFacets(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  facets: readonly Facet[],
  maxValues: number,
): Promise<CountedFacets> {
  const counted = await database.read((sql) => {
    const source = sourceOf(sql, plan, resolved, [...new Set(facets.map((facet) => READ_FOR[facet]))]);
    const values = facets.map(
      (facet) => sql`${valueSql(sql, facet, source.column(READ_FOR[facet]))} as ${named(sql, facet)}`,
    );
    const counts = facets.map(
      (facet) => sql`union all
      (select ${facet} as facet, value::text, sum(listings)::double precision as count
      from ${eachSql(sql, facet)} where value is not null group by value order by count desc, value limit ${maxValues})`,
    );
    return sql<(FacetRow | AllRow)[]>`
      with results as materialized (
        select ${joinSql(values, ', ')}, ${areAlike(facets) ? sql`count(*)` : sql`1`} as listings
        from ${source.from} where ${source.where} ${areAlike(facets) ? groupedBy(sql, facets) : sql``})
      select * from (
        select null as facet, null as value, coalesce(sum(listings), 0)::double precision as count from results
        ${joinSql(counts)}) as counted
      order by facet, count desc, value`;
  });
  return { rows: counted.filter(isOfFacet), total: counted.find(({ facet }) => facet === null)?.count ?? 0 };
}

/** All that was found, whether it has values or not. */
interface AllRow {
  readonly facet: null;
  readonly count: number;
}

const isOfFacet = (row: FacetRow | AllRow): row is FacetRow => row.facet !== null;

/** Many listings are the same in all that is counted, and so are counted once together; in their features few are. */
const areAlike = (facets: readonly Facet[]): boolean => !facets.includes('features');

const groupedBy = (sql: Sql, facets: readonly Facet[]): SqlFragment =>
  sql`group by ${joinSql(
    facets.map((facet) => named(sql, facet)),
    ', ',
  )}`;

/** Called as no column of a table is. */
const named = (sql: Sql, facet: Facet): SqlFragment => sql`${sql(`by ${facet}`)}`;

/** The column that a facet is counted by. */
const READ_FOR: Readonly<Record<Facet, Column>> = {
  ...{ areaId: 'areaNos', features: 'features', priceBucket: 'price', yearBuiltDecade: 'yearBuilt' },
  ...{
    propertyType: 'propertyType',
    city: 'city',
    status: 'status',
    bedrooms: 'bedrooms',
    bathrooms: 'bathrooms',
  },
};

/** What of a listing is counted. */
function valueSql(sql: Sql, facet: Facet, column: SqlFragment): SqlFragment {
  // Lower than the first edge is nothing: prices are not below 0.
  if (facet === 'priceBucket')
    return sql`nullif(width_bucket(${column}, ${[...BUCKET_EDGES]}::double precision[]), 0)`;
  return facet === 'yearBuiltDecade' ? sql`floor(${column} / 10) * 10` : column;
}

/** The values of a facet among what was found: several of a listing where it lies in several areas or has several features. */
function eachSql(sql: Sql, facet: Facet): SqlFragment {
  const value = named(sql, facet);
  if (facet === 'areaId')
    return sql`(select area.id as value, listings from results, unnest(${value}) as listed (no) join area using (no)) as each`;
  if (facet === 'features') return sql`(select unnest(${value}) as value, listings from results) as each`;
  return sql`(select ${value} as value, listings from results) as each`;
}

/** From 0.01 on; below is one bucket that begins with 0. */
const [FIRST, LAST] = [-6, 36];

/** Where each bucket begins, in cents; the next one begins where it ends. */
export const BUCKET_EDGES: readonly number[] = [
  0,
  ...Array.from({ length: LAST - FIRST + 1 }, (_, at) => Math.round(10 ** ((FIRST + at) / 3 + 2)) / 100),
];

/** The bounds of a bucket by its number, the first being 1; `to` is not in it any more, and null: no end. */
export function bucketOf(number: number): { readonly from: number; readonly to: number | null } {
  return { from: BUCKET_EDGES[number - 1] ?? 0, to: BUCKET_EDGES[number] ?? null };
}
