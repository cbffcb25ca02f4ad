// SQL of facets: values of all results with their counts, in one pass.

import type { Database, Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { type Column, columnOf } from '../query/condition.ts';
import type { Facet } from '../query/parameters.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { PRICE_BUCKET_EDGES } from '../query/price-buckets.ts';
import type { FacetLimits, FacetValues } from '../query/search-backend.ts';
import { whereSql } from './condition-sql.ts';

/** The values of these facets, and the number of all results. */
export async function countFacets(
  database: Database,
  search: ResolvedSearch,
  facets: readonly Facet[],
  limits: FacetLimits,
): Promise<FacetValues> {
  const rows = await countValues(database, search, facets, limits);
  const valuesOf = (facet: Facet) =>
    rows
      .filter((row) => row.facet === facet)
      .map(({ value, count }) => ({ value: NUMBERS.includes(facet) ? Number(value) : value, count }));
  return {
    total: rows.find(({ facet }) => facet === null)?.count ?? 0,
    values: new Map(facets.map((facet) => [facet, valuesOf(facet)])),
  };
}

const NUMBERS: readonly Facet[] = ['bedrooms', 'bathrooms', 'yearBuiltDecade', 'priceBucket'];

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
  { max, priceStep }: FacetLimits,
): Promise<CountRow[]> {
  // Most listings share their values with others and are counted in groups; few have the same features.
  const isGrouped = !facets.includes('features');
  // Ties as the engine orders them, whatever the collation of the database.
  return database.read((sql) => {
    const columns = facets.map((facet) => nameSql(sql, facet));
    const values = facets.map((facet) => sql`${valueSql(sql, facet, priceStep)} as ${nameSql(sql, facet)}`);
    const counts = facets.map(
      (facet) => sql`union all
      (select ${facet} as facet, value::text, sum(listings)::double precision as count
      from ${eachSql(sql, facet)} where value is not null group by value
      order by count desc, value::text collate "C" limit ${max})`,
    );
    return sql<CountRow[]>`
      with results as materialized (
        select ${joinSql(values, ', ')}, ${isGrouped ? sql`count(*)` : sql`1`} as listings
        from listing_search where ${whereSql(sql, plan, resolved)}
        ${isGrouped ? sql`group by ${joinSql(columns, ', ')}` : sql``})
      select * from (
        select null as facet, null as value, coalesce(sum(listings), 0)::double precision as count from results
        ${joinSql(counts)}) as counted
      order by facet, count desc, value collate "C"`;
  });
}

/** A name that no column of a table has. */
const nameSql = (sql: Sql, facet: Facet): SqlFragment => sql`${sql(`by ${facet}`)}`;

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

function valueSql(sql: Sql, facet: Facet, priceStep: number | null): SqlFragment {
  const column = sql`${sql(columnOf(COLUMNS[facet]))}`;
  if (facet === 'priceBucket' && priceStep !== null)
    return sql`case when ${column} >= 0 then floor(${column} / ${priceStep}::double precision) + 1 end`;
  // Bucket 0 is below the first edge, where no price is.
  if (facet === 'priceBucket')
    return sql`nullif(width_bucket(${column}, ${[...PRICE_BUCKET_EDGES]}::double precision[]), 0)`;
  return facet === 'yearBuiltDecade' ? sql`floor(${column} / 10) * 10` : column;
}

/** The values of a facet among the results; a listing has several areas and features. */
function eachSql(sql: Sql, facet: Facet): SqlFragment {
  const value = nameSql(sql, facet);
  if (facet === 'areaId')
    return sql`(select area.id as value, listings from results, unnest(${value}) as listed (no) join area using (no)) as each`;
  if (facet === 'features') return sql`(select unnest(${value}) as value, listings from results) as each`;
  return sql`(select ${value} as value, listings from results) as each`;
}
