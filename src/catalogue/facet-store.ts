// Owns the SQL of facets: how many of all results have each value of a trait, counted in one pass over them.

import type { Database, Sql, SqlFragment } from '../postgres/database.ts';
import { together } from '../postgres/fragments.ts';
import type { Facet } from './answer-parameters.ts';
import { BUCKET_EDGES } from './price-buckets.ts';
import type { SearchPlan } from './search.ts';
import { columnOf } from './search-keys-sql.ts';
import { type Column, sourceOf } from './source-sql.ts';
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
    const columns = [...new Set(facets.map((facet) => READ_FOR[facet]))];
    const source = sourceOf(sql, plan, meanings, columns);
    const read = columns.map((column) => sql`, ${source.column(column)} as ${sql(columnOf(column))}`);
    return sql<FacetRow[]>`
      with found as materialized (
        select ${source.id} as id ${together(sql, read)} from ${source.from} where ${source.where})
      select * from (${together(sql, counts)}) as counted order by facet, count desc, value`;
  });
}

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
