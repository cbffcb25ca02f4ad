// Owns the SQL of facets: how many of all results have each value of a trait, counted in one pass over them.

import type { Database, Sql, SqlFragment } from '../postgres/database.ts';
import { together } from '../postgres/fragments.ts';
import type { Facet } from './answer-parameters.ts';
import { whereSql } from './condition-sql.ts';
import { BUCKET_EDGES } from './price-buckets.ts';
import type { SearchPlan } from './search.ts';
import type { Meanings } from './text-sql.ts';

/** A value of a facet, as text, with its count. */
export interface FacetRow {
  readonly facet: Facet;
  readonly value: string;
  readonly count: number;
}

/** The commonest values of each facet, at most `most` of each, by falling count; unknown values are left out. */
export async function countFacets(
  database: Database,
  plan: SearchPlan,
  meanings: Meanings,
  facets: readonly Facet[],
  most: number,
): Promise<FacetRow[]> {
  return database.read((sql) => {
    const counts = facets.map(
      (facet, place) => sql`${place === 0 ? sql`` : sql`union all`}
      (select ${facet} as facet, value::text, count(*)::double precision as count
      from (${valuesSql(sql, facet)}) as each (value) where value is not null group by value
      order by count desc, value limit ${most})`,
    );
    return sql<FacetRow[]>`
      with found as materialized (
        select id, property_type, status, bedrooms, bathrooms, area_nos, city, price, features, year_built
        from listing_search where ${whereSql(sql, plan, meanings)})
      select * from (${together(sql, counts)}) as counted order by facet, count desc, value`;
  });
}

function valuesSql(sql: Sql, facet: Facet): SqlFragment {
  switch (facet) {
    case 'areaId':
      return sql`select area.id from found, unnest(area_nos) as held (no) join area using (no)`;
    case 'features':
      return sql`select unnest(features) from found`;
    case 'priceBucket':
      // Lower than the first edge is nothing: prices are not below 0.
      return sql`select nullif(width_bucket(price, ${[...BUCKET_EDGES]}::double precision[]), 0) from found`;
    case 'yearBuiltDecade':
      return sql`select floor(year_built / 10) * 10 from found`;
    case 'propertyType':
      return sql`select property_type from found`;
    case 'city':
      return sql`select city from found`;
    case 'status':
      return sql`select status from found`;
    case 'bedrooms':
      return sql`select bedrooms from found`;
    case 'bathrooms':
      return sql`select bathrooms from found`;
  }
}
