// SQL of facets: values of a trait counted over all results in one pass.

import type { Database, Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { Facet } from '../query/answer-parameters.ts';
import type { SearchPlan } from '../query/plan.ts';
import { BUCKET_EDGES } from '../query/price-buckets.ts';
import type { ResolvedQuery } from '../query/resolved-query.ts';
import type { Column } from '../query/sort.ts';
import { sourceOf } from './source-sql.ts';

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
