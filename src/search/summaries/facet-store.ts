// Facets of a search: values counted over all results in one pass, most frequent first.

import { type Static, Type } from 'typebox';
import { nullable } from '../../listings/record.ts';
import type { Database, Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { Column } from '../query/condition.ts';
import type { Facet } from '../query/parameters.ts';
import type { ResolvedSearch } from '../query/plan.ts';
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

/** Facets and the number of all results, counted in the same pass so that they never contradict each other. */
export interface FacetCounts {
  readonly facets: Facets;
  readonly total: number;
}

/** Counts over all results; at most `maxValues` of each facet. */
export async function computeFacets(
  database: Database,
  search: ResolvedSearch,
  facets: readonly Facet[],
  maxValues: number,
): Promise<FacetCounts> {
  const requested = [...new Set(facets)];
  const rows = await countValues(database, search, requested, maxValues);
  const valuesOf = (facet: Facet) =>
    rows
      .filter((row) => row.facet === facet)
      .map(({ value, count }) => {
        if (facet === 'priceBucket') return { ...bucketOf(Number(value)), count };
        return { value: NUMBERS.includes(facet) ? Number(value) : value, count };
      });
  return {
    facets: Object.fromEntries(requested.map((facet) => [facet, valuesOf(facet)])),
    total: rows.find(({ facet }) => facet === null)?.count ?? 0,
  };
}

/** A value of a facet, as text, with its count. The row without a facet counts all results. */
interface CountRow {
  readonly facet: Facet | null;
  readonly value: string;
  readonly count: number;
}

function countValues(
  database: Database,
  { plan, resolved }: ResolvedSearch,
  facets: readonly Facet[],
  maxValues: number,
): Promise<CountRow[]> {
  // Most listings share their values with others and are counted in groups; few have the same features.
  const isGrouped = !facets.includes('features');
  return database.read((sql) => {
    const source = sourceOf(sql, plan, resolved, [...new Set(facets.map((facet) => COLUMNS[facet]))]);
    const columns = facets.map((facet) => columnSql(sql, facet));
    const values = facets.map(
      (facet) => sql`${valueSql(sql, facet, source.column(COLUMNS[facet]))} as ${columnSql(sql, facet)}`,
    );
    const counts = facets.map(
      (facet) => sql`union all
      (select ${facet} as facet, value::text, sum(listings)::double precision as count
      from ${eachSql(sql, facet)} where value is not null group by value order by count desc, value limit ${maxValues})`,
    );
    return sql<CountRow[]>`
      with results as materialized (
        select ${joinSql(values, ', ')}, ${isGrouped ? sql`count(*)` : sql`1`} as listings
        from ${source.from} where ${source.where} ${isGrouped ? sql`group by ${joinSql(columns, ', ')}` : sql``})
      select * from (
        select null as facet, null as value, coalesce(sum(listings), 0)::double precision as count from results
        ${joinSql(counts)}) as counted
      order by facet, count desc, value`;
  });
}

/** A name that no column of a table has. */
const columnSql = (sql: Sql, facet: Facet): SqlFragment => sql`${sql(`by ${facet}`)}`;

/** The column that a facet is computed from. */
const COLUMNS: Readonly<Record<Facet, Column>> = {
  propertyType: 'propertyType',
  status: 'status',
  bedrooms: 'bedrooms',
  bathrooms: 'bathrooms',
  areaId: 'areaNos',
  city: 'city',
  priceBucket: 'price',
  features: 'features',
  yearBuiltDecade: 'yearBuilt',
};

function valueSql(sql: Sql, facet: Facet, column: SqlFragment): SqlFragment {
  // Bucket 0 is below the first edge, where no price is.
  if (facet === 'priceBucket')
    return sql`nullif(width_bucket(${column}, ${[...BUCKET_EDGES]}::double precision[]), 0)`;
  return facet === 'yearBuiltDecade' ? sql`floor(${column} / 10) * 10` : column;
}

/** The values of a facet among the results; a listing has several areas and features. */
function eachSql(sql: Sql, facet: Facet): SqlFragment {
  const value = columnSql(sql, facet);
  if (facet === 'areaId')
    return sql`(select area.id as value, listings from results, unnest(${value}) as listed (no) join area using (no)) as each`;
  if (facet === 'features') return sql`(select unnest(${value}) as value, listings from results) as each`;
  return sql`(select ${value} as value, listings from results) as each`;
}

/** Edges are at thirds of powers of ten from 0.01 on, which divides rents and sale prices alike; the first bucket starts at 0. */
const [FIRST, LAST] = [-6, 36];
const BUCKET_EDGES: readonly number[] = [
  0,
  ...Array.from({ length: LAST - FIRST + 1 }, (_, at) => Math.round(10 ** ((FIRST + at) / 3 + 2)) / 100),
];

/** The bounds of a bucket by its number from 1; `to` is exclusive, null for the last. */
const bucketOf = (number: number) => ({
  from: BUCKET_EDGES[number - 1] ?? 0,
  to: BUCKET_EDGES[number] ?? null,
});
