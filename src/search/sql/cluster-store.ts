// SQL of clusters: results counted by cell of a grid.

import type { Database } from '../../postgres/client/database.ts';
import type { SearchPlan } from '../query/plan.ts';
import type { ResolvedQuery } from '../query/resolved-query.ts';
import { whereSql } from './condition-sql.ts';

export interface ClusterRow {
  readonly column: number;
  readonly row: number;
  readonly lat: number;
  readonly lng: number;
  readonly count: number;
  readonly medianPrice: number | null;
}

/** Cells of a grid: columns and rows in powers of two. */
export interface Grid {
  readonly columns: number;
  readonly rows: number;
}

/** The largest clusters first, cells of the same count by column and row; those after `after`, where it is given. */
export function findClusters(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  { columns, rows }: Grid,
  limit: number,
  after: readonly [count: number, column: number, row: number] | null,
): Promise<ClusterRow[]> {
  return database.read(
    (sql) => sql<ClusterRow[]>`
      select * from (
        select least(floor((location[0] + 180) / 360 * ${columns}::double precision), ${columns - 1}::double precision) as "column",
          least(floor((location[1] + 90) / 180 * ${rows}::double precision), ${rows - 1}::double precision) as "row",
          avg(location[1]) as lat, avg(location[0]) as lng, count(*)::double precision as count,
          percentile_cont(0.5) within group (order by price) as "medianPrice"
        from listing_search where ${whereSql(sql, plan, resolved)} and location is not null
        group by 1, 2) as cluster
      ${
        after === null
          ? sql``
          : sql`where (-count, "column", "row") > (${-after[0]}::double precision,
              ${after[1]}::double precision, ${after[2]}::double precision)`
      }
      order by -count, "column", "row" limit ${limit}`,
  );
}
